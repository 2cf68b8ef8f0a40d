/** The first-run page of the notes server (000-12), and its guard on the SDK's version (000-20). */
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connectPair, eras, type Scripted, scriptedPerson } from '@midcall/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { directoriesInForce, notesServer, readSettings } from '../../packages/midcall/src/notes/index.ts';
import { pastCode } from '../connect/visitor.ts';

let top: string;
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'midcall-setup-')));
  for (const name of ['work', 'home', 'work/inner']) await mkdir(join(top, name), { recursive: true });
  await writeFile(join(top, 'work', 'b.md'), '# Beta\n');
  await writeFile(join(top, 'work', 'a.md'), '# Alpha\n');
  await writeFile(join(top, 'home', 'c.md'), '# Gamma\n');
});
afterEach(() => rm(top, { recursive: true, force: true }));

describe.each(eras)('%s', era => {
  async function connect(
    options: {
      directories?: string[];
      answers?: Scripted[];
      capabilities?: object;
      roots?: string[];
      sdk?: string;
    } = {},
  ) {
    const path = join(top, 'config', 'notes.json');
    const settings = await readSettings(path);
    const { misfit } = await directoriesInForce(settings, options.directories ?? []);
    const server = notesServer({
      directories: options.directories ?? [],
      suspectBelowMs: 0,
      warn: () => {},
      pages: { reach: { kind: 'here', browser: false } },
      setup: {
        path,
        settings,
        misfit,
        ...(options.sdk === undefined ? {} : { sdk: options.sdk }),
      },
    });
    const person = scriptedPerson(options.answers ?? [{ action: 'accept' }], {
      roots: () => (options.roots ?? []).map(each => ({ uri: pathToFileURL(each).href })),
    });
    const capabilities = options.capabilities ?? {
      elicitation: { form: {}, url: {} },
      ...(options.roots ? { roots: { listChanged: true } } : {}),
    };
    const pair = await connectPair(server.factory, { era, person, capabilities });
    onTestFinished(async () => {
      await pair.close();
      await server.stop();
    });
    const call = async (name: string, args: object = {}) => {
      const result = await pair.client.callTool({ name, arguments: args as Record<string, unknown> });
      return (result.content[0] as { text: string }).text;
    };
    const page = async (which = 0) => {
      for (let asked = 1, seen = 0; ; asked += 1) {
        const shown = await person.whenAsked(asked);
        if (shown.method !== 'elicitation/create') continue;
        if (seen === which) return pastCode(shown);
        seen += 1;
      }
    };
    return { call, page, path, person, client: pair.client };
  }
  const choice = (path: string) => ({ 'directories.0.path': path, order: 'title', listed: '50' });

  it('000-12, elicit-28: the page saves, the directories are in force at once, and a second call says so without asking', async () => {
    const { call, page, path, person } = await connect();
    const result = call('notes_setup');
    const who = await page();
    const wrong = await who.send(choice(join(top, 'missing')));
    expect(wrong.text).toContain('does not exist');
    expect((await who.send(choice('/'))).text).toContain('whole disk');
    expect((await who.send(choice(join(top, 'work')))).title).toBe('This is done');
    expect(await result).toBe(`Configured: ${join(top, 'work')}.`);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      directories: [join(top, 'work')],
      order: 'title',
      listed: 50,
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const list = await call('notes_list');
    expect(list).not.toContain('Gamma');
    expect(list.indexOf('Alpha')).toBeLessThan(list.indexOf('Beta'));
    expect(await call('notes_setup')).toContain('Already configured');
    expect(person.asked).toHaveLength(1);
    const after = await connect();
    expect(await after.call('notes_setup')).toContain('Already configured');
    expect(await after.call('notes_list')).toContain('Alpha');
    expect(after.person.asked).toHaveLength(0);
  });

  it('000-12: declining, on the host or on the page, leaves no file', async () => {
    const host = await connect({ answers: [{ action: 'decline' }] });
    expect(await host.call('notes_setup')).toContain('the person said no');
    await expect(stat(host.path)).rejects.toThrow();
    const own = await connect();
    const result = own.call('notes_setup');
    await (await own.page()).send({ do: 'decline' });
    expect(await result).toContain('the person said no');
    await expect(stat(own.path)).rejects.toThrow();
  });

  it('of two pages the first to be finished counts, in one server or two, and the other is told so', async () => {
    const { call, page, path } = await connect({ answers: [{ action: 'accept' }, { action: 'accept' }] });
    const beside = await connect();
    const calls = [call('notes_setup'), call('notes_setup'), beside.call('notes_setup')];
    const [one, two, three] = [await page(0), await page(1), await beside.page()];
    await one.send(choice(join(top, 'work')));
    for (const late of [two, three]) {
      const look = await late.send(choice(join(top, 'home')));
      expect([look.status, look.text]).toEqual([422, expect.stringContaining('set up in the meantime')]);
      await late.send({ do: 'decline' });
    }
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ directories: [join(top, 'work')] });
    const said = await Promise.all(calls);
    // Either of the first two may have opened the first page.
    expect(said.slice(0, 2).filter(each => each.startsWith('Configured'))).toHaveLength(1);
    expect(said.filter(each => each.includes('the person said no'))).toHaveLength(2);
    expect(await call('notes_list')).not.toContain('Gamma');
  });

  it('of two pages sent at once one is saved, and the other says that it could not be finished', async () => {
    const { call, page, path } = await connect({ answers: [{ action: 'accept' }, { action: 'accept' }] });
    const calls = [call('notes_setup'), call('notes_setup')];
    const pages = [await page(0), await page(1)];
    const sent = await Promise.all(
      pages.map((who, index) => who.send(choice(join(top, index === 0 ? 'work' : 'home')))),
    );
    const done = sent.findIndex(look => look.title === 'This is done');
    const other = sent[1 - done]!;
    expect(sent.filter(look => look.title === 'This is done')).toHaveLength(1);
    expect(`${other.title} ${other.text}`).toMatch(/could not be finished|set up in the meantime/);
    if (other.status === 422) await pages[1 - done]!.send({ do: 'decline' });
    const [settled] = [await Promise.all(calls)];
    expect(settled.filter(each => each.startsWith('Configured'))).toHaveLength(1);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
      directories: [join(top, done === 0 ? 'work' : 'home')],
    });
  });

  it('000-06: directories of the command line are the ceiling: the page narrows them and never widens them', async () => {
    const { call, page } = await connect({ directories: [join(top, 'work')] });
    const result = call('notes_setup');
    const who = await page();
    expect((await who.send(choice(join(top, 'home')))).text).toContain('This server was started for');
    expect((await who.send(choice(join(top, 'work', '..', 'home')))).text).toContain('This server was started for');
    await who.send(choice(join(top, 'work', 'inner')));
    expect(await result).toContain('inner');
    expect(await call('notes_list')).toContain('There are no notes here.');
  });

  it('the roots of a live session are narrowed by what was chosen', async () => {
    const { call, page } = await connect({ roots: [top] });
    expect(await call('notes_list')).toContain('Gamma');
    const result = call('notes_setup');
    await (await page()).send(choice(join(top, 'work')));
    await result;
    const list = await call('notes_list');
    expect(list).toContain('Alpha');
    expect(list).not.toContain('Gamma');
  });

  it.each([
    ['whose directory is gone', { roots: ['work'] }, 'gone'],
    ['that the command line rules out', { directories: ['work'] }, 'home'],
    ['that shares nothing with the roots of the client', { roots: ['work'] }, 'home'],
  ])(
    'a setup %s allows nothing, says so at each tool and in the lists, and is chosen again where it is met',
    async (_, { directories, roots }: { directories?: string[]; roots?: string[] }, chosen) => {
      await mkdir(join(top, 'config'));
      const settings = { directories: [join(top, chosen)], order: 'title', listed: 20 };
      await writeFile(join(top, 'config', 'notes.json'), JSON.stringify(settings));
      const inTop = (names: string[] | undefined) => names && { names: names.map(name => join(top, name)) };
      const { call, page, person, client } = await connect({
        ...(directories && { directories: inTop(directories)!.names }),
        ...(roots && { roots: inTop(roots)!.names }),
      });
      const tools: [string, object?][] = [
        ['notes_list'],
        ['notes_search', { query: 'Alpha' }],
        ['notes_read', { path: 'a.md' }],
        ['notes_write', { path: 'd.md', text: 'd' }],
        ['notes_delete', { title: 'Alpha' }],
        ['notes_restore', { title: 'Alpha' }],
        ['notes_archive', { title: 'Alpha' }],
        ['notes_summarize', {}],
        ['notes_tidy'],
      ];
      for (const [name, args] of tools) {
        const said = await call(name, args);
        expect(said, name).toContain(`It allows '${join(top, chosen)}', of which nothing can be used`);
        expect(said, name).toContain('Call notes_setup');
      }
      expect((await client.listResources()).resources.map(each => each.uri)).toEqual(['notes:///index']);
      const before = person.asked.filter(each => each.method === 'elicitation/create').length;
      const result = call('notes_setup');
      const who = await page();
      const asked = person.asked.filter(each => each.method === 'elicitation/create').slice(before);
      expect((asked[0]!.params as { message: string }).message).toContain('does not fit any more');
      await who.send(choice(join(top, 'work')));
      expect(await result).toBe(`Configured: ${join(top, 'work')}.`);
      expect(await call('notes_list')).toContain('Alpha');
    },
  );

  it('a setup that fits is chosen again when that is asked for, and only then', async () => {
    const { call, page, person } = await connect({ answers: [{ action: 'accept' }, { action: 'accept' }] });
    const first = call('notes_setup');
    await (await page()).send(choice(join(top, 'work')));
    await first;
    expect(await call('notes_setup')).toContain('again: true');
    const second = call('notes_setup', { again: true });
    await (await page(1)).send(choice(join(top, 'home')));
    expect(await second).toBe(`Configured: ${join(top, 'home')}.`);
    expect(await call('notes_list')).toContain('Gamma');
    expect(person.asked).toHaveLength(2);
  });

  it('a client that can show nothing is told what to do instead', async () => {
    const { call, path } = await connect({ capabilities: {} });
    expect(await call('notes_setup')).toContain('midcall notes <dir>');
    await expect(stat(path)).rejects.toThrow();
  });

  it('000-20, elicit-url-05: an SDK without URL mode is refused before anything is asked', async () => {
    const { call, person } = await connect({ sdk: '1.22.0' });
    const text = await call('notes_setup');
    expect(text).toContain('1.23.0');
    expect(text).toContain('1.22.0');
    expect(person.asked).toHaveLength(0);
    for (const sdk of ['1.23.0', '2.0.0']) {
      const able = await connect({ sdk, answers: [{ action: 'decline' }] });
      await able.call('notes_setup');
      expect(able.person.asked).toHaveLength(1);
    }
  });
});

describe('settings', () => {
  it('settings that are damaged are refused, and those whose directories are gone allow nothing and say so', async () => {
    const path = join(top, 'notes.json');
    await writeFile(path, '{"directories":[]}');
    await expect(readSettings(path)).rejects.toThrow('Remove it and set up again');
    const gone = { directories: [join(top, 'gone')], order: 'title', listed: 20 } as const;
    const { directories, misfit } = await directoriesInForce({ ...gone, directories: [...gone.directories] }, []);
    expect(directories).toEqual([]);
    expect(misfit).toContain(`allows '${join(top, 'gone')}', of which nothing can be used`);
    expect(await directoriesInForce(undefined, [top])).toEqual({ directories: [top] });
  });
});
