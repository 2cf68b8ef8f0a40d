/** The lists of servers that do not keep to the protocol: one bad entry affects itself alone. */
import { describe, expect, it } from 'vitest';
import { mended } from '../../../packages/host/src/sdk-seam/mended-lists.ts';

const inputSchema = { type: 'object' };
const good = { name: 'good', inputSchema };

function mend(result: object): { readonly result: unknown; readonly told: readonly string[] } {
  const told: string[] = [];
  const message = mended({ jsonrpc: '2.0', id: 1, result }, line => told.push(line));
  return { result: message['result'], told };
}

describe('a list of a server', () => {
  it('a list of a server passes as it came where the protocol allows it', () => {
    const message = { jsonrpc: '2.0', id: 1, result: { tools: [good, { ...good, 'x-own': null }], more: 1 } };
    expect(mended(message, () => {})).toBe(message);
    const call = { jsonrpc: '2.0', id: 1, result: { content: [], tools: [null] } };
    expect(mended(call, () => {})).toBe(call);
  });

  it.each<[string, object]>([
    ['title: null', { ...good, title: null }],
    ['no inputSchema', { name: 'good' }],
    ['an inputSchema that is null', { name: 'good', inputSchema: null }],
    ['an inputSchema without a type', { name: 'good', inputSchema: {} }],
    ['annotations, icons and _meta that are null', { ...good, annotations: null, icons: null, _meta: null }],
  ])('a tool with %s in a server’s list is read as what was meant', (_, tool) => {
    expect(mend({ tools: [tool, good] })).toEqual({ result: { tools: [good, good] }, told: [] });
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
    expect(told.at(-1)).toBe("990 more of the server's tools are left out.");
  });
});
