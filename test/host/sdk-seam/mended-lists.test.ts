/** The lists of servers that do not keep to the protocol: one bad entry affects itself alone. */
import type { Era } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { mended } from '../../../packages/host/src/sdk-seam/mended-lists.ts';

const inputSchema = { type: 'object' };
const good = { name: 'good', inputSchema };

function mend(result: object, era: Era = '2025-11-25'): { readonly result: unknown; readonly told: readonly string[] } {
  const told: string[] = [];
  const leftOut = (line: string) => void told.push(line);
  const message = mended({ jsonrpc: '2.0', id: 1, result }, { leftOut, era: () => era });
  return { result: message['result'], told };
}

describe('a list of a server', () => {
  it('a list of a server passes as it came where the protocol allows it', () => {
    const outputSchema = { type: 'array' };
    const tools = [good, { ...good, 'x-own': null }];
    const cached = { resultType: 'complete', ttlMs: 5, cacheScope: 'public' };
    for (const [era, result] of [
      ['2025-11-25', { tools, more: 1 }],
      ['2026-07-28', { ...cached, tools: [...tools, { ...good, outputSchema }], more: 1 }],
      ['2026-07-28', { ...cached, contents: [{}] }],
      ['2026-07-28', { content: [], tools: [null] }],
      ['2025-11-25', { content: [], tools: [null] }],
      ['2025-11-25', { contents: [{}] }],
    ] as const)
      expect(mend(result, era)).toEqual({ result, told: [] });
  });

  it.each<[string, object]>([
    ['title: null', { ...good, title: null }],
    ['no inputSchema', { name: 'good' }],
    ['an inputSchema that is null', { name: 'good', inputSchema: null }],
    ['an inputSchema without a type', { name: 'good', inputSchema: {} }],
    ['annotations, icons and _meta that are null', { ...good, annotations: null, icons: null, _meta: null }],
    [
      'properties and required that are null',
      { ...good, inputSchema: { ...inputSchema, properties: null, required: null } },
    ],
  ])('a tool with %s in a server’s list is read as what was meant', (_, tool) => {
    expect(mend({ tools: [tool, good] })).toEqual({ result: { tools: [good, good] }, told: [] });
  });

  it.each<[string, object, string]>([
    ['title', { title: 5 }, 'title: '],
    ['annotations', { annotations: { readOnlyHint: 'yes' } }, 'annotations.readOnlyHint: '],
    ['icons', { icons: ['a.png'] }, 'icons.0: '],
    ['execution', { execution: { taskSupport: 'perhaps' } }, 'execution.taskSupport: '],
    ['outputSchema', { outputSchema: 'object' }, 'outputSchema: '],
    ['outputSchema', { outputSchema: { type: 'array' } }, 'outputSchema.type: '],
  ])('a tool with an odd %s in a server’s list is read without it, and that is told: %j', (_, odd, why) => {
    const { result, told } = mend({ tools: [{ ...good, ...odd }, good] });
    expect(result).toEqual({ tools: [good, good] });
    expect(told).toEqual([expect.stringContaining(`A part of the tool 'good' is left out: ${why}`)]);
  });

  it('a member that is null stands for none wherever it is in an entry of a server’s list, but for schemas and _meta', () => {
    const annotations = { title: null, readOnlyHint: true, destructiveHint: null };
    const schema = { ...inputSchema, properties: { a: { default: null } } };
    const tool = { ...good, annotations, inputSchema: schema, _meta: { a: null } };
    expect(mend({ tools: [tool] })).toEqual({
      result: { tools: [{ ...tool, annotations: { readOnlyHint: true } }] },
      told: [],
    });
    const prompts = [{ name: 'p', arguments: [{ name: 'a', description: null, required: null }] }];
    expect(mend({ prompts })).toEqual({ result: { prompts: [{ name: 'p', arguments: [{ name: 'a' }] }] }, told: [] });
  });

  it('a resource or template without a name in a server’s list is called by its address', () => {
    expect(mend({ resources: [{ uri: 'a:b' }] }).result).toEqual({ resources: [{ uri: 'a:b', name: 'a:b' }] });
    const uriTemplate = 'a:{b}';
    expect(mend({ resourceTemplates: [{ uriTemplate, name: null }] }).result).toEqual({
      resourceTemplates: [{ uriTemplate, name: uriTemplate }],
    });
  });

  it('a server’s list with a cursor that is no text is cut off, and that is told', () => {
    expect(mend({ tools: [good], nextCursor: 2 })).toEqual({
      result: { tools: [good] },
      told: ['The list of tools is cut off: its cursor is no text.'],
    });
  });

  it('an output schema without a type in a server’s list is that of an object, where no other is allowed', () => {
    const outputSchema = { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } };
    const tools = [{ ...good, outputSchema }];
    const read = [{ ...good, outputSchema: { type: 'object', ...outputSchema } }];
    expect(mend({ tools })).toEqual({ result: { tools: read }, told: [] });
    const whole = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    expect(mend({ ...whole, tools }, '2026-07-28').result).toEqual({ ...whole, tools });
  });

  it('a server’s list that does not say how long it may be kept is not kept, where it has to', () => {
    const read = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    for (const odd of [{}, { resultType: null, ttlMs: -1, cacheScope: 'all' }, { resultType: 'complete', ttlMs: '5' }])
      for (const [name, entry] of [['tools', good] as const, ['contents', {}] as const])
        expect(mend({ ...odd, [name]: [entry] }, '2026-07-28').result).toEqual({ ...read, [name]: [entry] });
  });

  it('entries of a server’s list that cannot be used are left out and named', () => {
    const tools = [good, { inputSchema }, { name: 'odd', inputSchema: { type: 'string' } }, null];
    const { result, told } = mend({ tools, nextCursor: null });
    expect(result).toEqual({ tools: [good] });
    expect(told).toHaveLength(3);
    expect(told[0]).toMatch(/^The tool without a name is left out: name: /);
    expect(told[1]).toMatch(/^The tool 'odd' is left out: inputSchema\.type: /);
    expect(told[2]).toBe('The tool without a name is left out: it is not an object.');
    expect(mend({ prompts: [{ name: 'p', title: null }] }).result).toEqual({ prompts: [{ name: 'p' }] });
    expect(mend({ resources: [{ uri: 'a:b', name: 'r', mimeType: null }, {}] }).told).toHaveLength(1);
    const templates = [{ uriTemplate: 'a:{b}', name: 't', description: null }];
    expect(mend({ resourceTemplates: templates }).result).toEqual({
      resourceTemplates: [{ uriTemplate: 'a:{b}', name: 't' }],
    });
  });

  it('the first of many entries that cannot be used is named, and the rest are counted', () => {
    const { told } = mend({ tools: Array.from({ length: 1_000 }, () => ({})) });
    expect(told).toHaveLength(11);
    expect(told.at(-1)).toBe("990 more of the server's tools are left out, or parts of them.");
  });
});
