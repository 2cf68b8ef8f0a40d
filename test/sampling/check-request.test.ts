import { checkRequest, describeIssues, type SamplingRule } from '@midcall/core/sampling';
import { describe, expect, it } from 'vitest';

const withTools = { tools: {} };
const text = (value = 'hello') => ({ type: 'text', text: value });
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const use = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'weather', input });
const result = (toolUseId: string, content: unknown = [text()]) => ({ type: 'tool_result', toolUseId, content });
const tool = (name = 'weather') => ({ name, description: 'The weather.', inputSchema: { type: 'object' } });
const plain = { messages: [user(text())], maxTokens: 100 };
const history = (...messages: unknown[]) => ({ messages, maxTokens: 100, tools: [tool()] });

const rules = (params: unknown, capability: { tools?: object; context?: object } = withTools): SamplingRule[] => {
  const checked = checkRequest(params, capability);
  return checked.ok ? [] : [...new Set(checked.issues.map(issue => issue.rule))];
};

describe('a sampling request that keeps every rule', () => {
  it.each<[string, unknown]>([
    ['sampling-25, sampling-79: messages and maxTokens are enough', plain],
    ['sampling-43: content may be one block', history(user(text()), assistant(use('a')), user(result('a')))],
    ['sampling-43: content may be an array', { ...plain, messages: [user([text(), text('and')])] }],
    [
      'sampling-56: parallel tool uses',
      history(user(text()), assistant([use('a'), use('b')]), user([result('b'), result('a')])),
    ],
    [
      'sampling-46: several rounds of tool use',
      history(user(text()), assistant(use('a')), user(result('a')), assistant([text(), use('b')]), user(result('b'))),
    ],
    [
      'sampling-34: an id may come back in a later round',
      history(user(text()), assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a'))),
    ],
    ['sampling-63: an image', { ...plain, messages: [user({ type: 'image', data: 'aGk=', mimeType: 'image/png' })] }],
    [
      'sampling-64: a sound, with MIME parameters',
      { ...plain, messages: [user({ type: 'audio', data: 'aGk=', mimeType: 'audio/ogg; codecs=opus' })] },
    ],
    [
      'sampling-41: a tool result with links and resources',
      history(
        user(text()),
        assistant(use('a')),
        user(
          result('a', [
            { type: 'resource_link', uri: 'notes://1', name: 'One' },
            { type: 'resource', resource: { uri: 'notes://1', text: 'x' } },
          ]),
        ),
      ),
    ],
    [
      'sampling-105: a tool result that failed',
      history(user(text()), assistant(use('a')), user({ ...result('a'), isError: true })),
    ],
    ['sampling-81: temperature has no range of ours', { ...plain, temperature: 1.9 }],
    [
      'sampling-66, sampling-70: preferences at both ends',
      {
        ...plain,
        modelPreferences: {
          hints: [{ name: 'sonnet' }, {}],
          costPriority: 0,
          speedPriority: 1,
          intelligencePriority: 0.5,
        },
      },
    ],
    [
      'sampling-75, sampling-82, sampling-83: prompt, stop sequences, metadata',
      { ...plain, systemPrompt: '', stopSequences: ['END'], metadata: { a: 1 } },
    ],
    [
      'sampling-12, sampling-13: tools and a choice',
      { ...plain, tools: [tool('a'), tool('b')], toolChoice: { mode: 'required' } },
    ],
    ['sampling-40: no tools on the last iteration', { ...plain, tools: [tool()], toolChoice: { mode: 'none' } }],
  ])('a sampling request passes: %s', (_, params) => {
    const checked = checkRequest(params, withTools);
    expect(checked.ok ? '' : describeIssues(checked.issues)).toBe('');
  });
});

describe('a sampling request that breaks a rule', () => {
  it.each<[string, unknown, SamplingRule]>([
    [
      'sampling-44, sampling-45, sampling-91: text beside a tool result',
      history(user(text()), assistant(use('a')), user([text(), result('a')])),
      'result-only',
    ],
    ['sampling-46, sampling-90: a tool use at the end', history(user(text()), assistant(use('a'))), 'result-missing'],
    [
      'sampling-46, sampling-90: a tool use in mid-history, passed by the SDK',
      history(user(text()), assistant(use('a')), user(text()), assistant(text()), user(text())),
      'result-missing',
    ],
    [
      'sampling-46: another assistant message before the results',
      history(user(text()), assistant(use('a')), assistant(text()), user(result('a'))),
      'result-missing',
    ],
    [
      'sampling-47, sampling-48: one of two answered',
      history(user(text()), assistant([use('a'), use('b')]), user(result('a')), assistant(text())),
      'result-missing',
    ],
    [
      'sampling-47: answered twice',
      history(user(text()), assistant(use('a')), user([result('a'), result('a')])),
      'result-duplicate',
    ],
    [
      'sampling-104: an unknown id',
      history(user(text()), assistant(use('a')), user([result('a'), result('z')])),
      'result-unknown',
    ],
    ['sampling-104: a result that follows no tool use', history(user(result('a'))), 'result-unknown'],
    [
      'sampling-104: a result that comes one message late',
      history(user(text()), assistant(use('a')), user(result('a')), user(result('a'))),
      'result-unknown',
    ],
    [
      'sampling-34: one id twice in a message',
      history(user(text()), assistant([use('a'), use('a')]), user(result('a'))),
      'use-duplicate',
    ],
    ['sampling-51: a tool use by the user', history(user(use('a'))), 'use-role'],
    [
      'sampling-52: a tool result by the assistant',
      history(user(text()), assistant(use('a')), assistant(result('a'))),
      'result-role',
    ],
    ['sampling-50: role system', { ...plain, messages: [{ role: 'system', content: text() }] }, 'role'],
    ['sampling-59: no role', { ...plain, messages: [{ content: text() }] }, 'role'],
    ['sampling-59: no content', { ...plain, messages: [{ role: 'user' }] }, 'required'],
    ['sampling-59: no block', { ...plain, messages: [user([])] }, 'empty'],
    ['sampling-25: no message', { ...plain, messages: [] }, 'empty'],
    ['sampling-25: no messages', { maxTokens: 1 }, 'required'],
    ['sampling-60: an unknown block', { ...plain, messages: [user({ type: 'video' })] }, 'type'],
    ['sampling-62: text that is none', { ...plain, messages: [user({ type: 'text', text: 1 })] }, 'type'],
    [
      'sampling-63: bad base64',
      { ...plain, messages: [user({ type: 'image', data: 'a b=', mimeType: 'image/png' })] },
      'base64',
    ],
    [
      'sampling-63: base64 without padding',
      { ...plain, messages: [user({ type: 'image', data: 'aGk', mimeType: 'image/png' })] },
      'base64',
    ],
    [
      'sampling-63: a sound called an image',
      { ...plain, messages: [user({ type: 'image', data: 'aGk=', mimeType: 'audio/wav' })] },
      'mime-type',
    ],
    [
      'sampling-64: an image called a sound',
      { ...plain, messages: [user({ type: 'audio', data: 'aGk=', mimeType: 'image/png' })] },
      'mime-type',
    ],
    [
      'sampling-64: a MIME type with a line break',
      { ...plain, messages: [user({ type: 'audio', data: 'aGk=', mimeType: 'audio/wav\r\nx: y' })] },
      'mime-type',
    ],
    [
      'sampling-41: a tool result whose content is no array',
      history(user(text()), assistant(use('a')), user(result('a', text()))),
      'type',
    ],
    [
      'sampling-41: a resource with text and blob',
      history(
        user(text()),
        assistant(use('a')),
        user(result('a', [{ type: 'resource', resource: { uri: 'x:', text: '', blob: '' } }])),
      ),
      'required',
    ],
    ['sampling-34: input that is no object', history(user(text()), assistant(use('a', [])), user(result('a'))), 'type'],
    ['sampling-79: no maxTokens', { messages: plain.messages }, 'required'],
    ['sampling-79: maxTokens of none', { ...plain, maxTokens: 0 }, 'range'],
    ['sampling-79: half a token', { ...plain, maxTokens: 1.5 }, 'range'],
    ['sampling-79: endless tokens', { ...plain, maxTokens: Infinity }, 'range'],
    ['sampling-66: a priority above 1', { ...plain, modelPreferences: { speedPriority: 1.1 } }, 'range'],
    ['sampling-66: a priority below 0', { ...plain, modelPreferences: { costPriority: -0.1 } }, 'range'],
    [
      'sampling-66: a priority that is no number',
      { ...plain, modelPreferences: { intelligencePriority: NaN } },
      'range',
    ],
    ['sampling-70: hints as texts', { ...plain, modelPreferences: { hints: ['sonnet'] } }, 'type'],
    ['sampling-81: a temperature that is no number', { ...plain, temperature: 'hot' }, 'type'],
    ['sampling-82: stop sequences that are no texts', { ...plain, stopSequences: [1] }, 'type'],
    ['sampling-83: metadata that is no object', { ...plain, metadata: [] }, 'type'],
    ['sampling-77: an unknown context', { ...plain, includeContext: 'everything' }, 'type'],
    ['sampling-33: a tool without a schema', { ...plain, tools: [{ name: 'a' }] }, 'type'],
    [
      'sampling-33: a schema that is no object schema',
      { ...plain, tools: [{ name: 'a', inputSchema: { type: 'string' } }] },
      'type',
    ],
    ['sampling-33: two tools of one name', { ...plain, tools: [tool(), tool()] }, 'tool-duplicate'],
    [
      'sampling-12: a tool demanded, none offered',
      { ...plain, toolChoice: { mode: 'required' } },
      'choice-without-tools',
    ],
    ['sampling-53: an unknown choice', { ...plain, tools: [tool()], toolChoice: { mode: 'sometimes' } }, 'type'],
    [
      'sampling-94: __proto__ in arguments',
      history(
        user(text()),
        assistant(
          JSON.parse('{"type":"tool_use","id":"a","name":"weather","input":{"x":[{"__proto__":{"admin":true}}]}}'),
        ),
        user(result('a')),
      ),
      'prototype',
    ],
    [
      'sampling-94: a schema nested without end',
      { ...plain, tools: [{ name: 'a', inputSchema: { type: 'object', ...deep(70) } }] },
      'size',
    ],
    [
      'sampling-94: too many messages',
      { ...plain, messages: Array.from({ length: 1_001 }, () => user(text())) },
      'size',
    ],
    ['sampling-94: no object at all', null, 'type'],
    ['sampling-94: something that is not JSON', { ...plain, metadata: { f: () => 1 } }, 'type'],
  ])('a sampling request is refused: %s', (_, params, rule) => {
    expect(rules(params)).toContain(rule);
  });

  it('sampling-15, sampling-18, sampling-100: tools, or a choice of them, are refused towards a client that has not declared them', () => {
    expect(rules({ ...plain, tools: [] }, {})).toEqual(['tools-undeclared']);
    expect(rules({ ...plain, toolChoice: { mode: 'none' } }, {})).toEqual(['tools-undeclared']);
    expect(rules(plain, {})).toEqual([]);
  });

  it('a refusal names the missing id, and no content', () => {
    const checked = checkRequest(history(user(text('secret')), assistant(use('call\u202e_1'))), withTools);
    expect(checked.ok).toBe(false);
    const said = checked.ok ? '' : describeIssues(checked.issues);
    expect(said).toContain('"call\uFFFD_1" has no result');
    expect(said).not.toContain('secret');
  });

  it('a refusal lists every broken rule at once, up to fifty', () => {
    const checked = checkRequest({ messages: Array.from({ length: 90 }, () => ({})), maxTokens: -1 }, withTools);
    expect(checked.ok || checked.issues.length).toBe(50);
  });
});

describe('what a checked request keeps', () => {
  const value = (params: unknown, capability: { tools?: object; context?: object } = withTools) => {
    const checked = checkRequest(params, capability);
    if (!checked.ok) throw new Error(describeIssues(checked.issues));
    return checked;
  };

  it('sampling-20, sampling-21, sampling-78: includeContext is dropped and named where sampling.context is not declared', () => {
    expect(value({ ...plain, includeContext: 'allServers' })).toMatchObject({ ignored: ['includeContext'] });
    expect(value({ ...plain, includeContext: 'allServers' }).value).not.toHaveProperty('includeContext');
    expect(value({ ...plain, includeContext: 'thisServer' }, { context: {} }).value.includeContext).toBe('thisServer');
  });

  it('sampling-22: includeContext that is absent and includeContext none are the same', () => {
    expect(value({ ...plain, includeContext: 'none' })).toEqual(value(plain));
  });

  it('sampling-107: _meta stays as it was', () => {
    const _meta = { 'x/cache': { key: [1, 2] } };
    const messages = [user(text()), assistant({ ...use('a'), _meta }), user({ ...result('a'), _meta })];
    expect(value(history(...messages)).value.messages).toEqual(messages);
  });

  it('sampling-57: members nobody asked for are dropped', () => {
    expect(value({ ...plain, task: { ttl: 1 }, model: 'gpt' }).value).toEqual(plain);
  });

  it('a large image is read in one pass', () => {
    const data = 'QUJD'.repeat(5_000_000);
    expect(rules({ ...plain, messages: [user({ type: 'image', data, mimeType: 'image/png' })] })).toEqual([]);
  });
});

function deep(levels: number): object {
  return levels === 0 ? {} : { properties: { a: deep(levels - 1) } };
}
