/** Reads that are asked for together give each what it would have got alone. */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundary } from '@midcall/server/roots';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatheredReads, type Turns } from '../../packages/server/src/roots/gathered-reads.ts';
import type { Folder, Platform, ResolvedPath } from '../../packages/server/src/roots/platform.ts';
import { direct, pooled } from '../../packages/server/src/roots/system.ts';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const endless: Turns = { timeSlice: () => undefined, hasTime: () => true };

/** A platform whose directories only count how often they are opened and closed. */
function counted({ fails = false, system = direct, turns = endless } = {}) {
  const seen: string[] = [];
  const platform = {
    folder: ({ rel }: ResolvedPath): Folder => {
      if (fails) throw new Error('not there');
      seen.push(`open ${rel}`);
      return { at: rel, path: rel, close: () => seen.push(`close ${rel}`) };
    },
  } as Partial<Platform> as Platform;
  const resolved = (rel: string) =>
    ({ requested: rel, rel, root: { at: '/r', system, live: true } }) as Partial<ResolvedPath> as ResolvedPath;
  const reads = new GatheredReads(platform, turns);
  const read = (
    rel: string,
    work: (above: Folder | undefined) => string = above => `${rel} from ${above?.at ?? 'its name'}`,
  ) => {
    return reads.join(resolved(rel), above => {
      seen.push(`read ${rel}`);
      return work(above);
    });
  };
  return { seen, read };
}

describe('reads asked for together', () => {
  it('reads asked for together open the directory they share once, and close it with the last of them', async () => {
    const { seen, read } = counted();
    const texts = await Promise.all(['a/1', 'b/1', 'a/2', 'top', 'a/3'].map(name => read(name)));
    expect(texts).toEqual(['a/1 from a', 'b/1 from its name', 'a/2 from a', 'top from its name', 'a/3 from a']);
    expect(seen).toEqual(['open a', 'read a/1', 'read a/2', 'read a/3', 'close a', 'read b/1', 'read top']);
  });

  it('reads asked for together share nothing with those asked for after the directory was opened', async () => {
    const { seen, read } = counted();
    let later: Promise<string> | undefined;
    await Promise.all([
      read('a/1', () => {
        later = read('a/3');
        return '';
      }),
      read('a/2'),
    ]);
    await later;
    expect(seen).toEqual(['open a', 'read a/1', 'read a/2', 'close a', 'read a/3']);
  });

  it('reads asked for together go alone where the directory cannot be opened, or a call may have to wait', async () => {
    for (const options of [{ fails: true }, { system: pooled }]) {
      const { seen, read } = counted(options);
      expect(await Promise.all([read('a/1'), read('a/2')])).toEqual(['a/1 from its name', 'a/2 from its name']);
      expect(seen).toEqual(['read a/1', 'read a/2']);
    }
  });

  it('a read that fails among others fails alone', async () => {
    const { seen, read } = counted();
    const fail = () => {
      throw new Error('broken');
    };
    const settled = await Promise.allSettled([read('a/1', fail), read('a/2')]);
    expect(settled.map(each => each.status)).toEqual(['rejected', 'fulfilled']);
    expect(seen.at(-1)).toBe('close a');
  });

  it('reads asked for together hold no directory while others have their turn', async () => {
    const seenAt: string[][] = [];
    let left = 3;
    const turns: Turns = {
      hasTime: () => --left > 0,
      timeSlice: () => {
        if (left > 0) return undefined;
        seenAt.push([...made.seen]);
        left = 3;
        return turn();
      },
    };
    const made = counted({ turns });
    await Promise.all(Array.from({ length: 6 }, (_, number) => made.read(`a/${number}`)));
    const reads = (seen: readonly string[]) => seen.filter(each => each.startsWith('read')).length;
    expect(seenAt.map(reads)).toEqual([3]);
    for (const seen of [...seenAt, made.seen]) expect(seen.at(-1)).toBe('close a');
    expect(reads(made.seen)).toBe(6);
    expect(made.seen.filter(each => each === 'open a')).toHaveLength(2);
  });
});

describe.skipIf(process.platform !== 'linux')('a folder with everything in it', () => {
  let base: string;
  beforeAll(() => {
    base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'midcall-gathered-')));
    fs.mkdirSync(join(base, 'root/folder/sub'), { recursive: true });
    fs.writeFileSync(join(base, 'secret'), 'secret');
    const at = (name: string) => join(base, 'root/folder', name);
    fs.writeFileSync(at('plain'), 'plain');
    fs.writeFileSync(at('empty'), '');
    fs.writeFileSync(at('large'), 'x'.repeat(100_000));
    fs.symlinkSync('plain', at('link'));
    fs.symlinkSync('../../secret', at('out'));
    fs.symlinkSync('nowhere', at('dangling'));
    fs.symlinkSync('sub', at('linked'));
    fs.writeFileSync(at('sub/deep'), 'deep');
    execFileSync('mkfifo', [at('fifo')]);
  });
  afterAll(() => fs.rmSync(base, { recursive: true }));

  it('a folder gives together what it gives one by one', async () => {
    await using files = await boundary({ ceiling: [join(base, 'root')], requireStrong: true }).files();
    const folder = ['plain', 'empty', 'large', 'link', 'out', 'dangling', 'linked', 'sub', 'fifo', 'missing', 'plain'];
    const names = [...folder, 'linked/deep', 'sub/deep', 'missing/deep', 'missing/other', 'plain/x', 'plain/y'];
    const said = (each: PromiseSettledResult<string>) =>
      each.status === 'fulfilled' ? each.value : String(each.reason);
    const together = await Promise.allSettled(names.map(name => files.readText(`folder/${name}`)));
    const alone: PromiseSettledResult<string>[] = [];
    for (const name of names) alone.push(...(await Promise.allSettled([files.readText(`folder/${name}`)])));
    expect(together.map(said)).toEqual(alone.map(said));
    expect(together.map(said).join()).not.toContain('secret');
    expect(together.filter(each => each.status === 'fulfilled')).toHaveLength(7);
  });

  it('reads that were asked for and not begun are refused when the files are closed', async () => {
    const files = await boundary({ ceiling: [join(base, 'root')], requireStrong: true }).files();
    const asked = Promise.allSettled([files.readText('folder/plain'), files.readText('folder/large')]);
    await files.close();
    expect((await asked).map(each => each.status === 'rejected' && each.reason.code)).toEqual([
      'roots/revoked',
      'roots/revoked',
    ]);
  });
});
