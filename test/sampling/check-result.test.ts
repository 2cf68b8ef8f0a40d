import { checkResult, type SamplingRule } from '@midcall/core/sampling';
import { describe, expect, it } from 'vitest';

const text = { type: 'text', text: 'Paris.' };
const use = (id = 'a') => ({ type: 'tool_use', id, name: 'weather', input: {} });
const reply = (content: unknown, stopReason?: string) => ({
  role: 'assistant',
  content,
  model: 'stub-1',
  ...(stopReason !== undefined && { stopReason }),
});
const tools = [{ name: 'weather', inputSchema: { type: 'object' } }];
const mode = (name: 'auto' | 'required' | 'none') => ({ tools, toolChoice: { mode: name } });

const rules = (value: unknown, request: Parameters<typeof checkResult>[1] = {}): SamplingRule[] => {
  const checked = checkResult(value, request);
  return checked.ok ? [] : [...new Set(checked.issues.map(issue => issue.rule))];
};

describe('a sampling result', () => {
  it.each<[string, unknown, Parameters<typeof checkResult>[1]]>([
    ['sampling-27, sampling-85: one block', reply(text, 'endTurn'), {}],
    ['sampling-85: several blocks', reply([text, text], 'maxTokens'), {}],
    ['sampling-86: no stop reason', reply(text), {}],
    ['sampling-87: a stop reason of the provider’s own', reply(text, 'content_filter'), {}],
    ['sampling-35: tool uses', reply([text, use('a'), use('b')], 'toolUse'), { tools }],
    ['sampling-54: a tool as required', reply(use(), 'toolUse'), mode('required')],
    ['sampling-55: no tool as told', reply(text, 'endTurn'), mode('none')],
    ['an empty reply', reply([], 'endTurn'), {}],
  ])('a sampling result passes: %s', (_, value, request) => {
    expect(rules(value, request)).toEqual([]);
  });

  it.each<[string, unknown, Parameters<typeof checkResult>[1], SamplingRule]>([
    ['sampling-51: not the assistant', { ...reply(text), role: 'user' }, {}, 'role'],
    ['sampling-85: no model', { role: 'assistant', content: text }, {}, 'required'],
    ['sampling-27: no content', { role: 'assistant', model: 'stub-1' }, {}, 'required'],
    ['sampling-35: tool use that is not marked', reply(use(), 'endTurn'), { tools }, 'stop-reason'],
    ['sampling-35: marked, but no tool use', reply(text, 'toolUse'), { tools }, 'stop-reason'],
    ['sampling-34: an id twice', reply([use(), use()], 'toolUse'), { tools }, 'use-duplicate'],
    ['sampling-14: a tool nobody offered', reply(use(), 'toolUse'), {}, 'use-without-tools'],
    ['sampling-54: text where a tool is required', reply(text, 'endTurn'), mode('required'), 'choice-required'],
    ['sampling-55: a tool where none may be used', reply(use(), 'toolUse'), mode('none'), 'choice-none'],
    [
      'sampling-52: a tool result',
      reply({ type: 'tool_result', toolUseId: 'a', content: [] }),
      { tools },
      'result-role',
    ],
    ['sampling-94: a bad image', reply({ type: 'image', data: '?', mimeType: 'image/png' }), {}, 'base64'],
    ['sampling-94: no object', 'Paris.', {}, 'type'],
  ])('a sampling result is refused: %s', (_, value, request, rule) => {
    expect(rules(value, request)).toContain(rule);
  });
});
