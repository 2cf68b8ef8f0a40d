/** The roots of a session while they change (rows 000-04, 000-21, 001-01 to 001-05; roots-18, roots-41, roots-42, roots-44). */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BoundaryOptions, boundary, liveRoots, type Root, toUri } from '@midcall/server/roots';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { descriptorsBelow } from './descriptors.ts';
import { guarantees } from './guarantees.ts';

let base: string;
const at = (path: string): string => join(base, path);
const root = (path: string): Root => ({ uri: toUri(at(path)) });

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'midcall-live-')));
  for (const path of ['a/sub', 'b', 'c']) fs.mkdirSync(at(path), { recursive: true });
  for (const path of ['a/x', 'a/sub/x', 'b/x', 'c/x']) fs.writeFileSync(at(path), path);
});
afterEach(() => fs.rmSync(base, { recursive: true, force: true }));

const descriptors = (path = base): number => descriptorsBelow(path);

/** A client whose list can be set, made to fail, and held back. */
function client(first: readonly Root[] | undefined) {
  const state = {
    list: first,
    reads: 0,
    failure: undefined as Error | undefined,
    gate: undefined as Promise<void> | undefined,
  };
  return {
    state,
    list: async () => {
      state.reads += 1;
      const { list, failure } = state;
      await state.gate;
      if (failure) throw failure;
      return list;
    },
  };
}

const failing = (promise: Promise<unknown>): Promise<{ code: string; message: string } | undefined> =>
  promise.then(
    () => undefined,
    (error: Error & { code: string }) => error,
  );

describe.each(guarantees)('000-21: live roots, %s', guarantee => {
  const session = (first: readonly Root[] | undefined, options: BoundaryOptions & { announces?: boolean } = {}) => {
    const { announces = true, ...rest } = options;
    const told = client(first);
    const errors: unknown[] = [];
    const live = liveRoots({
      boundary: boundary({ guarantee, ...rest }),
      list: told.list,
      announces,
      onError: error => errors.push(error),
    });
    return { ...told.state, state: told.state, live, errors };
  };

  it('roots-44: roots are read once while nothing is announced, and again after a change', async () => {
    const { live, state } = session([root('a')]);
    for (let call = 0; call < 5; call += 1) await (await live.files()).close();
    expect(state.reads).toBe(1);
    state.list = [root('b')];
    await live.changed();
    await using files = await live.files();
    expect(state.reads).toBe(2);
    expect(files.roots).toEqual([{ path: at('b') }]);
    expect(await live.roots()).toEqual([root('b')]);
    expect(state.reads).toBe(2);
    await live.close();
  });

  it('roots are read for every call where the client announces nothing', async () => {
    const { live, state } = session([root('a')], { announces: false });
    for (const path of ['a', 'b', 'c']) {
      state.list = [root(path)];
      await using files = await live.files();
      expect(files.roots).toEqual([{ path: at(path) }]);
    }
    expect(state.reads).toBe(3);
    await live.close();
  });

  it('a client is never asked under ignore, except for the list itself', async () => {
    const { live, state } = session([root('a')], { mode: 'ignore', ceiling: [at('b')] });
    await using files = await live.files();
    await live.changed();
    expect([state.reads, files.roots]).toEqual([0, [{ path: at('b') }]]);
    expect(await live.roots()).toEqual([root('a')]);
    await using same = await live.files();
    expect(same.roots).toEqual([{ path: at('b') }]);
    await live.close();
  });

  it('a client without roots has none to tell, and the operator’s directories hold', async () => {
    const { live } = session(undefined, { ceiling: [at('a')] });
    expect(await live.roots()).toBeUndefined();
    await using files = await live.files();
    expect(files.roots).toEqual([{ path: at('a') }]);
    await live.close();
  });

  it('roots-42: a burst of changes costs two reads, and ends with the last list', async () => {
    const { live, state } = session([root('a')]);
    await (await live.files()).close();
    state.reads = 0;
    const all: Promise<void>[] = [];
    for (let change = 0; change < 100; change += 1) {
      state.list = [root(change % 2 ? 'a' : 'c')];
      if (change === 99) state.list = [root('b')];
      all.push(live.changed());
    }
    await Promise.all(all);
    await using files = await live.files();
    expect([state.reads, files.roots]).toEqual([2, [{ path: at('b') }]]);
    await live.close();
  });

  it('concurrent calls see the old list or the new one, never a mix', async () => {
    const pairs = [
      [root('a'), root('b')],
      [root('c'), root('a/sub')],
    ];
    const { live, state } = session(pairs[0]);
    const seen = new Set<string>();
    for (let round = 0; round < 50; round += 1) {
      state.list = pairs[round % 2];
      const calls = Array.from({ length: 8 }, () => live.files());
      const change = live.changed();
      for (const files of await Promise.all([...calls, ...Array.from({ length: 8 }, () => live.files())])) {
        seen.add(files.roots.map(each => each.path.slice(base.length)).join());
        await files.close();
      }
      await change;
    }
    expect([...seen].sort()).toEqual(['/a,/b', '/c,/a/sub']);
    await live.close();
  });

  it('a read that fails is reported, and the scope stays as it was', async () => {
    const { live, state, errors } = session([root('a')]);
    await (await live.files()).close();
    state.failure = new Error('the client is busy');
    await live.changed();
    await using files = await live.files();
    expect(files.roots).toEqual([{ path: at('a') }]);
    expect(errors).toEqual([state.failure]);
    await live.close();
  });

  it('nothing is allowed when the first read fails, and the next call asks again', async () => {
    const { live, state, errors } = session([root('a')], { ceiling: [at('.')] });
    state.failure = new Error('not now');
    expect(await failing(live.files())).toMatchObject({
      code: 'roots/none',
      message: expect.stringMatching(/could not say/),
    });
    expect(await live.roots()).toBeUndefined();
    expect(errors.length).toBe(2);
    state.failure = undefined;
    await using files = await live.files();
    expect(files.roots).toEqual([{ path: at('a') }]);
    await live.close();
  });

  it('a list that is no list counts as a failure', async () => {
    const { live, state, errors } = session([root('a')]);
    await (await live.files()).close();
    state.list = [{ uri: 7 }] as unknown as Root[];
    await live.changed();
    await using files = await live.files();
    expect(files.roots).toEqual([{ path: at('a') }]);
    expect(errors).toMatchObject([{ code: 'roots/invalid' }]);
    await live.close();
  });

  it('files, handles and streams of a root that is gone from the list are withdrawn, and only those', async () => {
    const { live, state } = session([root('a'), root('b')]);
    const files = await live.files();
    const [gone, stays] = [await files.open(at('a/x'), 'r+'), await files.open(at('b/x'), 'r+')];
    const stream = await files.stream(at('a/x'));
    state.list = [root('b')];
    await live.changed();
    expect(await failing(gone.write('no'))).toMatchObject({ code: 'roots/revoked' });
    expect(await failing(gone.read())).toMatchObject({ code: 'roots/revoked' });
    expect(await failing(gone.stat())).toMatchObject({ code: 'roots/revoked' });
    expect(await failing(files.write(at('a/x'), 'no'))).toMatchObject({ code: 'roots/revoked' });
    expect(await failing(files.exists(at('a/x')))).toMatchObject({ code: 'roots/revoked' });
    expect(await failing(stream.toArray())).toMatchObject({ code: 'roots/revoked' });
    await stays.write('B');
    expect(Buffer.from(await stays.read()).toString()).toBe('B/x');
    expect(await files.readText(at('b/x'))).toBe('B/x');
    expect(fs.readFileSync(at('a/x'), 'utf8')).toBe('a/x');
    await using now = await live.files();
    expect(await failing(now.read(at('a/x')))).toMatchObject({ code: 'roots/outside' });
    await Promise.all([stays.close(), files.close(), gone.close()]);
    await live.close();
  });

  it('a link into a root that was withdrawn is not written through', async () => {
    fs.symlinkSync('../a/x', at('b/to-a'));
    const { live, state } = session([root('a'), root('b')]);
    await using files = await live.files();
    await files.write(at('b/to-a'), 'fine');
    state.list = [root('b')];
    await live.changed();
    expect(await failing(files.write(at('b/to-a'), 'no'))).toMatchObject({ code: 'roots/outside' });
    expect(fs.readFileSync(at('a/x'), 'utf8')).toBe('fine');
    await live.close();
  });

  it('a handle whose file lies inside the new, narrower root is kept', async () => {
    const { live, state } = session([root('a')]);
    await using files = await live.files();
    const [below, above] = [await files.open('sub/x', 'r+'), await files.open('x', 'r+')];
    state.list = [root('a/sub')];
    await live.changed();
    await below.write('S');
    expect(await failing(above.write('no'))).toMatchObject({ code: 'roots/revoked' });
    expect(await failing(files.read('x'))).toMatchObject({ code: 'roots/revoked' });
    await below.close();
    await live.close();
  });

  it('the files of a running call whose root lies inside the new, wider root are kept', async () => {
    const { live, state } = session([root('a/sub')]);
    const files = await live.files();
    state.list = [root('a')];
    await live.changed();
    expect(await files.readText('x')).toBe('a/sub/x');
    state.list = [root('b')];
    await live.changed();
    expect(await failing(files.read('x'))).toMatchObject({ code: 'roots/revoked' });
    await files.close();
    await live.close();
  });

  it('roots-34: a root that is deleted and made again is followed without asking', async () => {
    const { live, state } = session([root('b')]);
    const before = await live.files();
    fs.rmSync(at('b'), { recursive: true });
    expect(await failing(live.files())).toMatchObject({
      code: 'roots/none',
      message: expect.stringMatching(/does not exist/),
    });
    fs.mkdirSync(at('b'));
    await using after = await live.files();
    await after.write('new', 'new');
    expect(await failing(before.write('new', 'old'))).toMatchObject({ code: 'roots/revoked' });
    expect(state.reads).toBe(1);
    await before.close();
    await live.close();
  });

  it('a root that is a link goes nowhere new between two reads, though the link leads elsewhere', async () => {
    fs.symlinkSync('a', at('link'));
    const { live, state } = session([root('link')]);
    await using before = await live.files();
    expect(before.roots).toEqual([{ path: at('a') }]);
    fs.unlinkSync(at('link'));
    fs.symlinkSync('c', at('link'));
    fs.renameSync(at('a'), at('a-moved'));
    for (let call = 0; call < 3; call += 1) {
      expect(await failing(live.files())).toMatchObject({
        code: 'roots/none',
        message: expect.stringMatching(/no longer leads/),
      });
    }
    await live.changed();
    await using after = await live.files();
    expect([state.reads, after.roots]).toEqual([2, [{ path: at('c') }]]);
    await live.close();
  });

  it('everything is refused when the session ends', async () => {
    const { live } = session([root('a')]);
    const files = await live.files();
    const handle = await files.open('x');
    await live.close();
    await live.close();
    expect(await failing(handle.read())).toMatchObject({ code: 'roots/revoked' });
    expect(await failing(files.read('x'))).toMatchObject({ code: 'roots/revoked' });
    expect(await failing(live.files())).toMatchObject({ code: 'roots/revoked' });
    await files.close();
  });

  it('a session that has ended is not brought back by a read that was on the way', async () => {
    const { live, state } = session([root('a')]);
    let open = (): void => undefined;
    state.gate = new Promise(resolve => {
      open = resolve;
    });
    const pending = failing(live.files());
    await live.close();
    open();
    expect(await pending).toMatchObject({ code: 'roots/revoked' });
  });

  it.runIf(process.platform === 'linux')(
    'a write in flight finishes on its own descriptor, which is then closed',
    async () => {
      const { live, state } = session([root('a')]);
      await using files = await live.files();
      const handle = await files.open('x', 'r+');
      const bytes = Buffer.alloc(32 * 1024 * 1024, 'w');
      const writing = handle.write(bytes);
      state.list = [root('b')];
      await live.changed();
      // Whatever is opened now must not get the number the write still uses.
      const decoys = Array.from({ length: 32 }, (_, number) => fs.openSync(at(`b/decoy-${number}`), 'w+'));
      expect(await failing(handle.write('no'))).toMatchObject({ code: 'roots/revoked' });
      await writing;
      expect(fs.statSync(at('a/x')).size).toBe(bytes.length);
      expect(decoys.map(fd => fs.fstatSync(fd).size)).toEqual(decoys.map(() => 0));
      for (const fd of decoys) fs.closeSync(fd);
      expect(descriptors(at('a'))).toBe(0);
      await live.close();
    },
  );

  it.runIf(process.platform === 'linux')('live roots leave no descriptor open', { tags: 'thorough' }, async () => {
    expect(descriptors()).toBe(0);
    const { live, state } = session([root('a'), root('b')]);
    for (let round = 0; round < 40; round += 1) {
      state.list = [root(['a', 'b', 'c', 'a/sub', '.'][round % 5]!), root(['b', 'gone', 'a/x'][round % 3]!)];
      if (round % 7 === 0) state.list = [];
      await live.changed();
      const files = await live.files().catch(() => undefined);
      if (!files) continue;
      const handle = await files.open('x').catch(() => undefined);
      for (const path of ['x', 'nope', '../b/x', at('b/x'), 'sub/x']) {
        await failing(files.read(path));
        await failing(files.write(path, 'x'));
        await failing(files.append(path, 'x'));
        await failing(files.create(path, 'x'));
        await failing(files.list(path));
        await failing(files.copy(path, `copy-${round}`));
        await failing(files.rename(`copy-${round}`, path));
        await failing(files.removeTree(`copy-${round}`));
        await failing(files.absolute(path));
      }
      for await (const _ of files.walk('.')) if (round % 2) break;
      if (round % 3) await handle?.close();
      if (round % 4) await files.close();
    }
    await live.close();
    expect(descriptors()).toBe(0);
  });
});
