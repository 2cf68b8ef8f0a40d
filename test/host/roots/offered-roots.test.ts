import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { detectWorkspace, machineDisk, OfferedRoots, rootsFile } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { handClock } from '../clock.ts';

const temporary = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'roots-')));

describe('roots manager', () => {
  it('offered-R1: a server is told of what was granted to it, and nothing before', async () => {
    const [a, b] = [temporary(), temporary()];
    const roots = new OfferedRoots({ disk: machineDisk });
    const one = await roots.add(a);
    await roots.add(pathToFileURL(b).href);
    expect(roots.granted('s')).toBeUndefined();
    await roots.grant('s', [one.uri]);
    expect(roots.granted('s')).toEqual([{ uri: pathToFileURL(a).href, name: one.name }]);
    expect(roots.granted('other')).toBeUndefined();
    await roots.remove(one.uri);
    expect(roots.granted('s')).toEqual([]);
    await roots.forget('s');
    expect(roots.granted('s')).toBeUndefined();
  });

  it('offered-R1: a directory that was withdrawn and is offered again is granted to nobody, in this process and the next', async () => {
    const [a, b] = [temporary(), temporary()];
    const memory = rootsFile(join(temporary(), 'roots.json'));
    const roots = new OfferedRoots({ disk: machineDisk, memory });
    const [one, two] = [await roots.add(a), await roots.add(b)];
    for (const server of ['s', 't']) await roots.grant(server, [one.uri, two.uri]);
    expect(await roots.remove(one.uri)).toBe(true);
    expect(await roots.remove(one.uri)).toBe(false);
    const meanwhile = new OfferedRoots({ disk: machineDisk, memory });
    await meanwhile.load();
    expect(meanwhile.list()).toEqual([two]);
    await roots.add(a);
    const later = new OfferedRoots({ disk: machineDisk, memory });
    await later.load();
    for (const manager of [roots, later]) {
      expect(manager.list()).toHaveLength(2);
      for (const server of ['s', 't']) expect(manager.granted(server)?.map(({ uri }) => uri)).toEqual([two.uri]);
    }
    await roots.grant('s', [one.uri]);
    expect(roots.granted('s')?.map(({ uri }) => uri)).toEqual([one.uri]);
    expect(roots.granted('t')?.map(({ uri }) => uri)).toEqual([two.uri]);
  });

  it('offered-R1: a server is told of nothing that is gone or leads elsewhere by now, though it is granted', async () => {
    const base = temporary();
    mkdirSync(join(base, 'a'));
    mkdirSync(join(base, 'elsewhere'));
    const roots = new OfferedRoots({ disk: machineDisk });
    const { uri } = await roots.add(join(base, 'a'));
    await roots.grant('s', [uri]);
    rmSync(join(base, 'a'), { recursive: true });
    symlinkSync(join(base, 'elsewhere'), join(base, 'a'));
    await roots.look();
    expect(roots.granted('s')).toEqual([]);
    expect(roots.list()).toMatchObject([{ state: 'gone' }]);
  });

  it('offered-R1: what is not on offer is not granted, and is named, and nothing changes', async () => {
    const roots = new OfferedRoots({ disk: machineDisk });
    const { uri } = await roots.add(temporary());
    await roots.grant('s', [uri]);
    const given = ['file:///etc', uri, '/tmp/\u202eelse'];
    await expect(roots.grant('s', given)).rejects.toMatchObject({
      code: 'roots/not-found',
      message:
        "Not on offer: 'file:///etc', '/tmp/⟦U+202E⟧else'. Add the directory, and grant the uri that add() gives.",
    });
    await expect(roots.grant('s', uri as never)).rejects.toThrow('what is granted must be a list');
    expect(roots.granted('s')?.map(root => root.uri)).toEqual([uri]);
  });

  it('roots-22; offered-R2: what is no directory is refused, and one directory is known by one name', async () => {
    const dir = temporary();
    writeFileSync(join(dir, 'file'), '');
    symlinkSync(dir, join(dir, 'link'));
    const roots = new OfferedRoots({ disk: machineDisk });
    await expect(roots.add(join(dir, 'none'))).rejects.toMatchObject({ code: 'roots/not-found' });
    await expect(roots.add(join(dir, 'file'))).rejects.toMatchObject({ code: 'roots/invalid' });
    await expect(roots.add('file:///a/%2e%2e/%2f')).rejects.toMatchObject({ code: 'roots/invalid' });
    await expect(roots.add('https://example.com/')).rejects.toMatchObject({ code: 'roots/invalid' });
    const first = await roots.add(dir);
    expect(await roots.add(join(dir, 'link'))).toBe(first);
    expect(roots.list()).toHaveLength(1);
  });

  it('offered-R1: a server is told of a directory by the path under which it finds it, while we look for it by ours', async () => {
    const dir = temporary();
    const file = join(temporary(), 'roots.json');
    const roots = new OfferedRoots({ disk: machineDisk, memory: rootsFile(file) });
    const root = await roots.add(dir, { as: '/data/my notes' });
    await roots.grant('s', [root.uri]);
    const told = [{ uri: 'file:///data/my%20notes', name: root.name }];
    expect(roots.granted('s')).toEqual(told);
    expect(await roots.add(dir, { as: '/data/my notes' })).toBe(root);
    await expect(roots.add(dir)).rejects.toThrow('is on offer already, as /data/my notes.');
    await expect(roots.add(temporary(), { as: 'data' })).rejects.toMatchObject({ code: 'roots/invalid' });

    const later = new OfferedRoots({ disk: machineDisk, memory: rootsFile(file) });
    await later.load();
    expect(later.granted('s')).toEqual(told);
    rmSync(dir, { recursive: true });
    await later.look();
    expect(later.granted('s')).toEqual([]);
  });

  it('roots-33; offered-R3: each change is announced once, a vanished and a returned root included', async () => {
    const dir = temporary();
    const root = join(dir, 'r');
    mkdirSync(root);
    const clock = handClock();
    const roots = new OfferedRoots({ disk: machineDisk, clock, lookEveryMs: 1_000 });
    const heard: (string | undefined)[] = [];
    const stop = roots.subscribe(server => heard.push(server));
    const { uri } = await roots.add(root);
    await roots.add(root);
    await roots.grant('s', [uri]);
    await roots.grant('s', [uri]);
    expect(heard).toEqual([undefined, 's']);
    rmSync(root, { recursive: true });
    await roots.look();
    await roots.look();
    expect([heard.length, roots.granted('s'), roots.list()[0]?.state]).toEqual([3, [], 'gone']);
    mkdirSync(root);
    await roots.look();
    expect([heard.length, roots.granted('s')?.length]).toEqual([4, 1]);
    stop();
    expect(clock.waiting).toBe(0);
  });

  it('offered-R4: roots manager keeps roots and grants in a file of its owner, and reads them back', async () => {
    const dir = temporary();
    const path = join(dir, 'state', 'roots.json');
    const first = new OfferedRoots({ disk: machineDisk, memory: rootsFile(path) });
    await first.load();
    const { uri } = await first.add(dir, { name: 'work' });
    await first.grant('s', [uri]);
    const second = new OfferedRoots({ disk: machineDisk, memory: rootsFile(path) });
    await second.load();
    expect(second.granted('s')).toEqual([{ uri, name: 'work' }]);
    writeFileSync(path, '{"roots":[1]}');
    await expect(new OfferedRoots({ disk: machineDisk, memory: rootsFile(path) }).load()).rejects.toThrow(
      /Move it away/,
    );
    expect(readFileSync(path, 'utf8')).toBe('{"roots":[1]}');
  });

  it('roots-07: the workspace is found by version control before project files, never at home', async () => {
    const home = temporary();
    const deep = join(home, 'repo', 'packages', 'a', 'src');
    mkdirSync(deep, { recursive: true });
    mkdirSync(join(home, 'repo', '.git'));
    writeFileSync(join(home, 'repo', 'packages', 'a', 'package.json'), '{}');
    writeFileSync(join(home, 'Makefile'), '');
    expect(await detectWorkspace(deep, { home })).toEqual({ path: join(home, 'repo'), marker: '.git' });
    rmSync(join(home, 'repo', '.git'), { recursive: true });
    expect(await detectWorkspace(deep, { home })).toMatchObject({ marker: 'package.json' });
    const bare = join(home, 'bare');
    mkdirSync(bare);
    expect(await detectWorkspace(bare, { home })).toBeUndefined();
  });
});
