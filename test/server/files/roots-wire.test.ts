/** Roots as a client sees them asked for on the wire, and what a server then touches on the disk, in both revisions. */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Call, type MidcallOptions, midcall } from '@midcall/server';
import type { Files } from '@midcall/server/roots';
import { eras } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Params, type WireClientOptions, wireClient } from '../wire-client.ts';

let base: string;
const at = (path: string): string => join(base, path);
const uri = (path: string): string => pathToFileURL(at(path)).href;

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'midcall-roots-wire-')));
  for (const path of ['proj/sub', 'proj-evil', 'other', 'out/dir']) fs.mkdirSync(at(path), { recursive: true });
  for (const path of ['proj/note', 'proj-evil/note', 'other/note', 'out/note', 'out/dir/note'])
    fs.writeFileSync(at(path), path);
  fs.symlinkSync(at('out'), at('proj/leaves'));
  fs.symlinkSync(at('out/note'), at('proj/leaf'));
});
afterEach(() => fs.rmSync(base, { recursive: true, force: true }));

/** Every file below a directory with its contents, links as what they say. */
function snapshot(path: string): Record<string, string> {
  const all: Record<string, string> = {};
  for (const entry of fs.readdirSync(path, { withFileTypes: true, recursive: true })) {
    const full = join(entry.parentPath, entry.name);
    all[full] = entry.isFile() ? fs.readFileSync(full, 'utf8') : entry.isSymbolicLink() ? fs.readlinkSync(full) : '/';
  }
  return all;
}

const codeOf = (error: unknown) => `${(error as { code?: string }).code}: ${(error as Error).message}`;

describe.each(eras)('%s', era => {
  const announced = { roots: era === '2025-11-25' ? { listChanged: true } : {} };

  async function connect(
    handler: (call: Call) => Promise<string>,
    list: { roots: readonly unknown[] },
    options: MidcallOptions['roots'] = {},
    client: WireClientOptions = {},
  ) {
    const warnings: string[] = [];
    const mid = midcall({
      warn: message => void warnings.push(message),
      roots: { askWhereDeprecated: true, ...options },
    });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => ({
        content: [{ type: 'text' as const, text: await handler(call).catch(codeOf) }],
      }));
      return server;
    };
    const answer = () => ({ roots: [...list.roots] });
    return Object.assign(await wireClient(era, factory, { capabilities: announced, answer, ...client }), { warnings });
  }
  const read = (path: string) => async (call: Call) => (await call.files()).readText(path);
  const one = (...paths: string[]) => ({ roots: paths.map(path => ({ uri: uri(path) })) });

  it('roots-05, roots-12, roots-14: a server asks by roots/list, as a request or inside input_required, and gets what it needs', async () => {
    await using client = await connect(async call => JSON.stringify(await call.roots()), one('proj'));
    expect(JSON.parse(await client.act())).toEqual(one('proj').roots);
    const [question] = client.questions;
    expect(client.questions).toHaveLength(1);
    if (era === '2025-11-25')
      expect(question).toMatchObject({ jsonrpc: '2.0', id: expect.anything(), method: 'roots/list' });
    else {
      expect(question?.method).toBe('roots/list');
      expect(Object.keys(question ?? {}).filter(key => key !== 'method' && key !== 'params')).toEqual([]);
      const asked = client.received.find(frame => frame.result?.['resultType'] === 'input_required');
      expect(Object.values(asked?.result?.['inputRequests'] as object)).toEqual([question]);
    }
  });

  it('one root that is none, or that is no folder here, does not hide the others', async () => {
    const [proj] = one('proj').roots;
    const roots = [{ uri: 'vscode-remote://ssh/home' }, { ...proj, name: null }, { uri: null }, null];
    await using client = await connect(read('note'), { roots });
    expect(await client.act()).toBe('proj/note');
    expect(client.warnings.join()).toContain("Entry 3 of the client's roots has no URI, and is left out.");
  });

  it('roots-01, roots-35, roots-36, roots-43: no operation reads or changes anything outside, whatever the path is called', async () => {
    const names = [
      at('out/note'),
      uri('out/note'),
      at('proj-evil/note'),
      '../out/note',
      at('proj/../out/note'),
      'sub/../../proj-evil/note',
      'leaves/note',
      at('proj/leaves/dir/note'),
      `${uri('proj')}/../out/note`,
      `${uri('proj')}/%2e%2e/out/note`,
      'leaf',
    ];
    const operations: Record<string, (files: Files, name: string) => Promise<unknown>> = {
      read: (files, name) => files.read(name),
      readText: (files, name) => files.readText(name),
      stream: async (files, name) => (await files.stream(name)).toArray(),
      open: (files, name) => files.open(name, 'r+'),
      list: (files, name) => files.list(join(name, '..')),
      write: (files, name) => files.write(name, 'changed'),
      append: (files, name) => files.append(name, 'changed'),
      create: (files, name) => files.create(`${name}-new`, 'made'),
      mkdir: (files, name) => files.mkdir(`${name}-dir`),
      copyOut: (files, name) => files.copy('note', `${name}-copy`),
      copyIn: (files, name) => files.copy(name, 'stolen'),
      moveOut: (files, name) => files.rename('note', `${name}-moved`),
      moveIn: (files, name) => files.rename(name, 'stolen'),
      remove: (files, name) => files.remove(name),
      removeTree: (files, name) => files.removeTree(name),
    };
    /** These act on a link itself, which lies inside; names ending in a suffix of their own are new names inside. */
    const acts = (operation: string, name: string) =>
      name === 'leaf' && /list|create|mkdir|copyOut|moveOut|moveIn|remove/.test(operation);
    const outside = () => ({ ...snapshot(at('out')), ...snapshot(at('proj-evil')), ...snapshot(at('other')) });
    const before = outside();
    await using client = await connect(async call => {
      const files = await call.files();
      const through: string[] = [];
      for (const [operation, act] of Object.entries(operations))
        for (const name of names.filter(name => !acts(operation, name)))
          await act(files, name).then(
            () => void through.push(`${operation} ${name}`),
            () => {},
          );
      return JSON.stringify(through);
    }, one('proj'));
    expect(JSON.parse(await client.act())).toEqual([]);
    expect(outside()).toEqual(before);
    expect(fs.readFileSync(at('proj/note'), 'utf8')).toBe('proj/note');
    expect(fs.existsSync(at('proj/stolen'))).toBe(false);
  });

  it('roots-02: a client’s roots, however wide, open nothing beyond the operator’s directories', async () => {
    const everything = { roots: [{ uri: 'file:///' }] };
    await using outside = await connect(read(at('out/note')), everything, { ceiling: [at('proj')] });
    expect(await outside.act()).toMatch(/^roots\/outside: /);
    await using inside = await connect(read(at('proj/note')), everything, { ceiling: [at('proj')] });
    expect(await inside.act()).toBe('proj/note');
  });

  it('roots-03: a server asks for roots on 2026-07-28 only where the operator switched it on, and then warns', async () => {
    await using off = await connect(read(at('proj/note')), one('proj'), { askWhereDeprecated: false });
    const without = await off.act();
    await using on = await connect(read(at('proj/note')), one('proj'));
    expect(await on.act()).toBe('proj/note');
    if (era === '2025-11-25') expect([without, off.warnings, on.warnings]).toEqual(['proj/note', [], []]);
    else {
      expect([without.split(':')[0], off.questions]).toEqual(['roots/none', []]);
      expect(on.warnings.filter(each => each.includes('deprecated'))).toHaveLength(1);
    }
  });

  it('roots-04, roots-41: a server works in the operator’s directories, and asks nothing, where the client has no roots', async () => {
    await using client = await connect(
      async call => `${JSON.stringify((await call.roots()) ?? null)} ${await read(at('proj/note'))(call)}`,
      one('other'),
      { ceiling: [at('proj')] },
      { capabilities: {} },
    );
    expect(await client.act()).toBe('null proj/note');
    expect(client.questions).toEqual([]);
  });

  if (era === '2026-07-28')
    it('roots-09, roots-41: a server goes by what each request declares', async () => {
      await using client = await connect(async call => JSON.stringify((await call.roots()) ?? null), one('proj'));
      const told = JSON.stringify(one('proj').roots);
      expect(await client.act()).toBe(told);
      expect(await client.act({ capabilities: {} })).toBe('null');
      expect(client.questions).toHaveLength(1);
      expect(await client.act()).toBe(told);
      expect(client.questions).toHaveLength(2);
    });

  it('roots-18, roots-19, roots-44: a server keeps a list of roots as long as it may, and works by the new one after a change', async () => {
    const list = one('proj');
    await using client = await connect(read(at('other/note')), list);
    for (let call = 0; call < 5; call += 1) expect(await client.act()).toMatch(/^roots\/outside: /);
    expect(client.questions).toHaveLength(era === '2025-11-25' ? 1 : 5);
    list.roots = one('other').roots;
    if (era === '2025-11-25') await client.notify('notifications/roots/list_changed');
    expect(await client.act()).toBe('other/note');
    expect(client.questions).toHaveLength(era === '2025-11-25' ? 2 : 6);
    list.roots = [];
    if (era === '2025-11-25') await client.notify('notifications/roots/list_changed');
    expect(await client.act()).toMatch(/^roots\/none: /);
  });

  it('roots-44: a server asks for roots once in a call, however often they are needed', async () => {
    await using client = await connect(async call => {
      await call.roots();
      await call.files();
      return read(at('proj/note'))(call);
    }, one('proj'));
    expect(await client.act()).toBe('proj/note');
    expect(client.questions).toHaveLength(1);
  });

  it('roots-23, roots-24: a call reaches every root and no sibling, with or without a name, whatever the name says', async () => {
    const list = {
      roots: [{ uri: uri('proj'), name: at('proj-evil') }, { uri: uri('other') }] as readonly unknown[],
    };
    for (const [path, expected] of [
      ['proj/note', /^proj\/note$/],
      ['other/note', /^other\/note$/],
      ['proj-evil/note', /^roots\/outside: /],
      ['out/note', /^roots\/outside: /],
    ] as const) {
      await using client = await connect(read(at(path)), list);
      expect(await client.act()).toMatch(expected);
    }
  });

  it('roots-34: a call says what is wrong with a root that vanished, and the next goes on where it is back', async () => {
    await using client = await connect(read(at('proj/note')), one('proj'));
    expect(await client.act()).toBe('proj/note');
    fs.renameSync(at('proj'), at('gone'));
    expect(await client.act()).toMatch(/^roots\/none: .*does not exist/);
    fs.renameSync(at('gone'), at('proj'));
    expect(await client.act()).toBe('proj/note');
  });

  it('roots-34: a call says so where the client cannot tell its roots, and opens nothing', async () => {
    await using client = await connect(
      read(at('proj/note')),
      one(),
      { ceiling: [base] },
      {
        answer: () => ({ error: { code: -32603, message: 'Internal error' } }),
      },
    );
    expect(await client.act()).toMatch(era === '2025-11-25' ? /^roots\/none: .*could not say/ : /^given up$/);
  });

  it.each<[string, Params]>([
    ['no list', { roots: 'file:///' }],
    ['no uri', { roots: [{ name: 'everything' }] }],
    ['another scheme', { roots: [{ uri: 'https://example.com/' }] }],
    ['a climbing path', { roots: [{ uri: 'file:///tmp/../' }] }],
  ])('an answer that is no list of roots allows nothing: %s', async (_, answer) => {
    await using client = await connect(read(at('proj/note')), one(), {}, { answer: () => answer });
    expect(await client.act()).toMatch(/^roots\/none: /);
  });

  if (era === '2025-11-25')
    it('roots-42: changes of the roots during a call and in a burst lose no work, and the last list holds', async () => {
      const list = one('proj', 'other');
      let arrived = (): void => {};
      const inside = new Promise<void>(resolve => {
        arrived = resolve;
      });
      let go = (): void => {};
      const changed = new Promise<void>(resolve => {
        go = resolve;
      });
      let calls = 0;
      await using client = await connect(async call => {
        const files = await call.files();
        if (calls++ > 0) return files.roots.map(root => root.path).join();
        arrived();
        await changed;
        return [await files.readText(at('proj/note')), await files.readText(at('other/note')).catch(codeOf)].join('; ');
      }, list);
      const running = client.act();
      await inside;
      for (let change = 0; change < 30; change += 1) {
        list.roots = one('proj', change % 2 ? 'out' : 'other').roots;
        await client.notify('notifications/roots/list_changed');
      }
      list.roots = one('proj').roots;
      await client.notify('notifications/roots/list_changed');
      // Another call shares the session's list, so it comes back when the last list is in force.
      expect(await client.act()).toBe(at('proj'));
      go();
      expect(await running).toMatch(/^proj\/note; roots\/(revoked|outside): /);
    });
});
