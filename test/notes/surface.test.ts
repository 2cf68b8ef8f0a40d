/** What the notes server shows of itself, whom it serves, and when it stops waiting. */
import { mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemClock } from '@midcall/core/time';
import { connectPair, type Pair, type Scripted, scriptedPerson } from '@midcall/testing';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copySamples, type NotesOptions, notesServer } from '../../packages/midcall/src/notes/index.ts';
import { corners } from '../fixtures/corners.ts';

let top: string;
let root: string;
const open: Pair[] = [];

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'midcall-surface-')));
  root = await copySamples(top);
});
afterEach(async () => {
  for (const pair of open.splice(0)) await pair.close();
  await rm(top, { recursive: true, force: true });
});

const uri = (path: string): string => pathToFileURL(path).href;

describe.each(corners)('%s over %s', (era, carrier) => {
  async function connect(
    setup: {
      directories?: string[];
      roots?: () => string[];
      answers?: Scripted[];
      capabilities?: ClientCapabilities;
      notes?: Partial<NotesOptions>;
    } = {},
  ) {
    const server = notesServer({ directories: setup.directories ?? [root], warn: () => {}, ...setup.notes });
    const person = scriptedPerson(setup.answers ?? [], {
      roots: () => (setup.roots?.() ?? []).map(path => ({ uri: uri(path) })),
    });
    const capabilities = {
      elicitation: {},
      ...(setup.roots && { roots: { listChanged: true } }),
      ...setup.capabilities,
    };
    const pair = await connectPair(server.factory, { era, carrier, person, capabilities });
    open.push(pair);
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const { content, isError } = await pair.client.callTool({ name, arguments: args });
      return { text: (content[0] as { text: string }).text, isError: isError === true };
    };
    return { pair, person, call };
  }

  /** No directories of its own; over HTTP, the client's roots then need some around them. */
  let none: string[];
  beforeEach(() => {
    none = carrier === 'http' ? [top] : [];
  });

  it('the server declares what each tool does', async () => {
    const { pair } = await connect();
    const { tools } = await pair.client.listTools();
    const hints = Object.fromEntries(
      tools.map(({ name, annotations: a }) => [
        name,
        [a?.readOnlyHint, a?.destructiveHint, a?.idempotentHint, a?.openWorldHint],
      ]),
    );
    expect(hints).toEqual({
      notes_list: [true, false, true, false],
      notes_search: [true, false, true, false],
      notes_read: [true, false, true, false],
      notes_write: [false, true, true, false],
      notes_delete: [false, true, false, false],
      notes_restore: [false, false, false, false],
      notes_archive: [false, true, false, false],
      notes_summarize: [true, false, true, false],
      notes_tidy: [false, true, false, false],
    });
    for (const tool of tools) {
      expect(tool.title).toBeTruthy();
      expect(tool.description!.length).toBeGreaterThan(40);
      expect(tool.inputSchema.additionalProperties).toBe(false);
      expect(tool.outputSchema).toBeDefined();
    }
    expect(pair.client.getServerCapabilities()).toMatchObject({ tools: { listChanged: false }, resources: {} });
  });

  it('notes are listed, searched and read, as text and as data', async () => {
    const { pair, call } = await connect();
    expect((await call('notes_list')).text).toMatch(
      /^13 notes:\n- Inbox · notes · .*\n- TPS report · work\/2025 · 2025-06-11 /,
    );
    expect((await call('notes_list', { folder: 'home' })).text).toContain('3 notes');
    expect((await call('notes_search', { query: 'phacelia' })).text).toContain('sow phacelia');
    expect((await call('notes_search', { query: 'no such word' })).text).toBe("Nothing found for 'no such word'.");
    const { structuredContent } = await pair.client.callTool({ name: 'notes_list', arguments: {} });
    const { notes } = structuredContent as { notes: { note_id: string; title: string }[] };
    const focaccia = notes.find(note => note.title === 'Focaccia')!;
    expect((await call('notes_read', { note_id: focaccia.note_id })).text).toContain('230 degrees');
  });

  it('notes are resources, by their own URI', async () => {
    const { pair } = await connect();
    const { resources } = await pair.client.listResources();
    expect(resources).toHaveLength(14);
    const soup = resources.find(resource => resource.title === 'Lentil soup')!;
    expect(soup).toMatchObject({ uri: uri(join(root, 'home/recipes/lentil soup.md')), mimeType: 'text/markdown' });
    const read = await pair.client.readResource({ uri: soup.uri });
    expect((read.contents[0] as { text: string }).text).toContain('# Lentil soup');
    const index = await pair.client.readResource({ uri: 'notes:///index' });
    expect((index.contents[0] as { text: string }).text).toContain(soup.uri);
    const { resourceTemplates } = await pair.client.listResourceTemplates();
    expect(resourceTemplates.map(each => each.uriTemplate)).toEqual(['file:///{+path}']);
  });

  it('000-05, 001-04: a resource outside, hidden or missing is refused with -32602 or not found, and nothing is said of what is there', async () => {
    const { pair } = await connect();
    await writeFile(join(top, 'secret.md'), '# Secret');
    await symlink(join(top, 'secret.md'), join(root, 'link.md'));
    for (const path of [join(top, 'secret.md'), '/etc/passwd', join(root, 'link.md'), join(root, '.git/x.md')]) {
      const error = await pair.client.readResource({ uri: uri(path) }).catch(error => error);
      expect([path, error.code]).toEqual([path, -32602]);
      expect(error.message).not.toContain('Secret');
    }
    const missing = await pair.client.readResource({ uri: uri(join(root, 'nothing.md')) }).catch(error => error);
    expect(missing.code).toBe(-32602);
    expect(missing.message).toContain('not found');
  });

  it('000-01, 000-03: the server works in the roots of the client alone, and only there', async () => {
    const { call, pair } = await connect({ directories: none, roots: () => [join(root, 'home')] });
    expect((await call('notes_list')).text).toContain('3 notes');
    const before = (await readdir(top, { recursive: true })).toSorted();
    for (const path of [
      '../inbox.md',
      join(root, 'inbox.md'),
      uri(join(root, 'inbox.md')),
      `${join(root, 'home')}-2/x.md`,
    ]) {
      for (const [tool, args] of [
        ['notes_read', { path }],
        ['notes_write', { path, text: 'x' }],
        ['notes_delete', { title: 'Inbox', path }],
        ['notes_archive', { title: 'Inbox', path }],
        ['notes_restore', { path }],
        ['notes_list', { folder: path }],
        ['notes_search', { query: 'x', folder: path }],
      ] as const) {
        const result = await call(tool, args);
        expect([tool, path, result.isError]).toEqual([tool, path, true]);
        expect(result.text).toMatch(/does not lead to anything inside the allowed folders/);
      }
    }
    expect((await readdir(top, { recursive: true })).toSorted()).toEqual(before);
    // A list cannot ask a 2026-07-28 client for its roots, so it shows the index, which can.
    const { resources } = await pair.client.listResources();
    expect(resources).toHaveLength(era === '2025-11-25' ? 4 : 1);
    const index = await pair.client.readResource({ uri: 'notes:///index' });
    expect((index.contents[0] as { text: string }).text).toContain('# 3 notes');
  });

  it('a note is not written where none can be, and nothing is in doubt then', async () => {
    const { call } = await connect();
    const { text, isError } = await call('notes_write', { path: 'list.txt', text: 'x' });
    expect(isError).toBe(true);
    expect(text).toBe("'list.txt' is not a note: notes are Markdown files, ending in .md.");
  });

  it('000-06: the roots narrow what the operator allows, and never widen it', async () => {
    const narrow = await connect({ roots: () => [join(root, 'work/2024')] });
    expect((await narrow.call('notes_delete', { title: 'TPS report' })).text).toContain('Deleted TPS report');
    const wide = await connect({ directories: [join(root, 'home')], roots: () => [root] });
    expect((await wide.call('notes_read', { path: join(root, 'inbox.md') })).isError).toBe(true);
  });

  it('000-04: the server follows the roots when they change', async () => {
    let granted = 'home';
    const { call, pair } = await connect({ directories: none, roots: () => [join(root, granted)] });
    expect((await call('notes_list')).text).toContain('3 notes');
    granted = 'work';
    if (era === '2025-11-25') await pair.client.sendRootsListChanged();
    expect((await call('notes_list')).text).toContain('6 notes');
    expect((await call('notes_read', { path: join(root, 'home/boiler service.md') })).isError).toBe(true);
  });

  it('000-01: everything is refused where nothing is granted, and the server says how to grant it', async () => {
    const neither = await connect({ directories: [] });
    const empty = await connect({ roots: () => [] });
    for (const { call, pair } of [neither, empty]) {
      for (const [tool, args] of [
        ['notes_list', {}],
        ['notes_write', { path: 'x.md', text: 'x' }],
        ['notes_delete', { title: 'Inbox' }],
      ] as const) {
        const result = await call(tool, args);
        expect(result.isError).toBe(true);
        expect(result.text).toMatch(/add a folder to the roots of your client/);
      }
      expect((await pair.client.listResources()).resources).toHaveLength(1);
    }
  });

  it('of many matches the newest fifty are listed, and the question says how to narrow it down', async () => {
    for (let index = 0; index < 60; index++) {
      const day = new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10);
      await writeFile(join(root, `same ${index}.md`), `---\ntitle: Same\ndate: ${day}\n---\n`);
    }
    const { call, person } = await connect({ answers: [{ action: 'decline' }] });
    await call('notes_delete', { title: 'Same' });
    const [{ params }] = person.asked as unknown as [{ params: { message: string; requestedSchema: Form } }];
    expect(params.message).toBe(
      "Delete 'Same'? Multiple notes match; pick one. Only the newest 50 of 60 notes are listed.",
    );
    const choices = params.requestedSchema.properties.note_id.oneOf;
    expect(choices).toHaveLength(50);
    expect(choices[0]!.title).toBe('Same · notes · 2020-02-29');
    const blind = await connect({ capabilities: { elicitation: undefined as never } });
    expect((await blind.call('notes_delete', { title: 'Same' })).text).toContain('Only the newest are listed.');
    expect((await blind.call('notes_delete', { title: 'Same', path: 'same 3.md' })).text).toContain('Deleted Same');
  });

  it('notes of one title, folder and day are told apart by their files', async () => {
    for (const name of ['a', 'b'])
      await writeFile(join(root, `${name}.md`), '---\ntitle: Same\ndate: 2024-01-01\n---\n');
    const { call, person } = await connect({ answers: [{ action: 'decline' }] });
    await call('notes_delete', { title: 'Same' });
    const { requestedSchema } = person.asked[0]!.params as unknown as { requestedSchema: Form };
    expect(requestedSchema.properties.note_id.oneOf.map(each => each.title)).toEqual([
      'Same · a.md · 2024-01-01',
      'Same · b.md · 2024-01-01',
    ]);
  });

  it('no control or bidi characters of a title are shown to the person', async () => {
    for (const name of ['a', 'b']) await writeFile(join(root, `${name}.md`), '---\ntitle: "x\\u202Ey\\u0007"\n---\n');
    const { call, person } = await connect({ answers: [{ action: 'decline' }] });
    await call('notes_delete', { title: 'x\u202ey\u0007' });
    expect(JSON.stringify(person.asked[0])).not.toMatch(/\u202e|\\u202e|\\u0007/);
    expect(person.asked).toHaveLength(1);
  });
});

interface Form {
  readonly properties: { readonly note_id: { readonly oneOf: readonly { const: string; title: string }[] } };
}

describe('time', () => {
  const minute = 60_000;

  it('nobody’s answer is taken after the deadline, and no state after its life', async () => {
    let now = Date.UTC(2026, 0, 1);
    const notes = notesServer({
      directories: [root],
      clock: { ...systemClock, now: () => now },
      askTimeoutMs: 5 * minute,
      stateTtlMs: 10 * minute,
    });
    const late = scriptedPerson([
      asked => {
        now += 6 * minute;
        return pick(asked.params);
      },
      asked => {
        now += 60 * minute;
        return pick(asked.params);
      },
    ]);
    const pair = await connectPair(notes.factory, { era: '2026-07-28', person: late });
    open.push(pair);
    const call = () => pair.client.callTool({ name: 'notes_delete', arguments: { title: 'TPS report' } });
    const before = (await readdir(root, { recursive: true })).toSorted();
    expect(((await call()).content[0] as { text: string }).text).toContain(
      'Nothing was deleted: nobody answered in time.',
    );
    await expect(call()).rejects.toMatchObject({ code: -32602 });
    expect((await readdir(root, { recursive: true })).toSorted()).toEqual(before);
  });

  it('a question of 2025-11-25 ends when its time is up', async () => {
    let fire = () => {};
    const after = (_ms: number, fn: () => void) => {
      fire = fn;
      return () => {};
    };
    const notes = notesServer({ directories: [root], clock: { ...systemClock, after } });
    const person = scriptedPerson(['never']);
    const pair = await connectPair(notes.factory, { era: '2025-11-25', person });
    open.push(pair);
    const result = pair.client.callTool({ name: 'notes_delete', arguments: { title: 'TPS report' } });
    await person.whenAsked(1);
    fire();
    expect(((await result).content[0] as { text: string }).text).toContain('nobody answered in time');
  });
});

function pick(params: unknown) {
  const { properties } = (params as { requestedSchema: Form }).requestedSchema;
  return { action: 'accept', content: { note_id: properties.note_id.oneOf[0]!.const, confirm: true } };
}
