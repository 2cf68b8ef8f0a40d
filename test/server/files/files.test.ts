/** `call.files()` and `call.roots()` over both wires: the operator's ceiling, the client's roots, and what changes. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Call, midcall } from '@midcall/server';
import type { BoundaryMode } from '@midcall/server/roots';
import { connectPair, pairings, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';

const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const uri = (path: string) => pathToFileURL(path).href;

function tree() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-files-')));
  for (const name of ['a', 'b', 'c']) {
    mkdirSync(join(base, name));
    writeFileSync(join(base, name, 'note.txt'), `in ${name}`);
  }
  return { base, a: join(base, 'a'), b: join(base, 'b'), c: join(base, 'c') };
}

describe.each(pairings)('%s over %s', (era, carrier) => {
  async function connect(
    handler: (call: Call) => Promise<string>,
    setup: { ceiling?: string[]; mode?: BoundaryMode; roots?: string[]; answers?: Scripted[]; tasks?: boolean },
  ) {
    const mid = midcall({
      warn: () => {},
      suspectBelowMs: 0,
      roots: { ceiling: setup.ceiling ?? [], mode: setup.mode ?? 'narrow', askWhereDeprecated: true },
    });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', { task: setup.tasks ? 'always' : 'never' }, async (_, call) => says(await handler(call)));
      return server;
    };
    const roots = setup.roots;
    const person = scriptedPerson(setup.answers ?? [], {
      roots: () => (roots ?? []).map(path => ({ uri: uri(path) })),
    });
    const capabilities = { elicitation: {}, ...(roots ? { roots: { listChanged: era === '2025-11-25' } } : {}) };
    const pair = await connectPair(factory, {
      era,
      carrier,
      person,
      capabilities,
      ...(setup.tasks && { tasks: true }),
    });
    const act = async () => {
      const result = await pair.client.callTool({ name: 'act' });
      return (result.content[0] as { text: string }).text;
    };
    return { act, pair, person, roots };
  }
  const read = (path: string) => async (call: Call) => (await call.files()).readText(path);
  /** The client's roots alone: over HTTP, they count only if the author says so. */
  const mode = carrier === 'http' ? 'replace' : 'narrow';

  it('D-3: a client elsewhere does not choose among the directories of this machine', async () => {
    const { a } = tree();
    for (const tasks of [false, true]) {
      const { act, pair } = await connect(read(join(a, 'note.txt')), { roots: [a], tasks });
      const says = expect(await act());
      if (carrier === 'http') says.toContain('only inside the directories that its operator allows');
      else says.toBe('in a');
      await pair.close();
    }
  });

  it('000-03: files are read inside the roots of the client, and refused outside', async () => {
    const { a, b } = tree();
    const inside = await connect(read(join(a, 'note.txt')), { mode, roots: [a] });
    expect(await inside.act()).toBe('in a');
    await inside.pair.close();
    const outside = await connect(read(join(b, 'note.txt')), { mode, roots: [a] });
    expect(await outside.act()).toContain('does not lead to anything inside');
    await outside.pair.close();
  });

  it('001-05; D-3: the ceiling holds where the client has no roots, and roots only narrow it', async () => {
    const { base, a, b } = tree();
    const alone = await connect(read(join(a, 'note.txt')), { ceiling: [a] });
    expect(await alone.act()).toBe('in a');
    await alone.pair.close();
    const wider = await connect(read(join(b, 'note.txt')), { ceiling: [a], roots: [base] });
    expect(await wider.act()).toContain('does not lead to anything inside');
    await wider.pair.close();
    const empty = await connect(read(join(a, 'note.txt')), { ceiling: [a], roots: [] });
    expect(await empty.act()).not.toBe('in a');
    await empty.pair.close();
    const neither = await connect(read(join(a, 'note.txt')), {});
    expect(await neither.act()).toMatch(/root|director/);
    await neither.pair.close();
  });

  it('001-03: roots() is nothing where the client has none to tell', async () => {
    const { a } = tree();
    const show = async (call: Call) => JSON.stringify((await call.roots()) ?? null);
    const without = await connect(show, {});
    expect(await without.act()).toBe('null');
    await without.pair.close();
    const withRoots = await connect(show, { roots: [a] });
    expect(await withRoots.act()).toBe(JSON.stringify([{ uri: uri(a) }]));
    await withRoots.pair.close();
  });

  it('000-04, 001-01: a changed list is in force for the next call', async () => {
    const { a, b } = tree();
    const { act, pair, roots } = await connect(read(join(b, 'note.txt')), { mode, roots: [a] });
    expect(await act()).toContain('does not lead to anything inside');
    roots?.push(b);
    if (era === '2025-11-25') await pair.client.sendRootsListChanged();
    expect(await act()).toBe('in b');
    roots?.pop();
    if (era === '2025-11-25') await pair.client.sendRootsListChanged();
    expect(await act()).toContain('does not lead to anything inside');
    await pair.close();
  });

  it('a handler that needs roots and an answer at once gets both in one round', async () => {
    const { a } = tree();
    const { act, pair, person } = await connect(
      async call => {
        const [files, answer] = await Promise.all([call.files(), call.elicit({ message: 'Read it?', form: Boolean })]);
        return `${answer.action} ${await files.readText(join(a, 'note.txt'))}`;
      },
      { mode, roots: [a], answers: [{ action: 'accept', content: { value: true } }] },
    );
    expect(await act()).toBe('accept in a');
    expect(person.asked.map(each => each.method).sort()).toEqual(['elicitation/create', 'roots/list']);
    await pair.close();
  });
});

it('2026-07-28: the boundary is never wider because the client was not asked', async () => {
  const { base, a } = tree();
  const read = async (mode: 'narrow' | 'ignore') => {
    const mid = midcall({ warn: () => {}, roots: { ceiling: [base], mode } });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => says(await (await call.files()).readText(join(a, 'note.txt'))));
      return server;
    };
    const person = scriptedPerson([], { roots: () => [] });
    await using pair = await connectPair(factory, { era: '2026-07-28', person, capabilities: { roots: {} } });
    return ((await pair.client.callTool({ name: 'act' })).content[0] as { text: string }).text;
  };
  expect(await read('narrow')).toContain('set roots.askWhereDeprecated to ask');
  expect(await read('ignore')).toBe('in a');
});
