/**
 * The race: an operation is tried again and again on `g/p/…` while an attacker swaps the leaf, its parent or its
 * grandparent for a link to a twin outside. What reached the outside is counted, and what went well inside.
 */
import * as fs from 'node:fs';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Files } from '@midcall/server/roots';

export type Level = 'leaf' | 'parent' | 'grandparent';
export const levels: readonly Level[] = ['leaf', 'parent', 'grandparent'];

/** What is raced; `Files` has all of it. */
export type Subject = Pick<Files, 'readText' | 'create' | 'write' | 'rename' | 'remove' | 'list'> &
  Partial<Pick<Files, 'append' | 'copy' | 'mkdir' | 'stat' | 'removeTree'>>;

export interface Outcome {
  readonly attempts: number;
  readonly succeeded: number;
  readonly escaped: number;
  readonly swaps: number;
}

export interface Arena {
  readonly root: string;
  readonly outside: string;
  /** Puts the inside leaf back, by descriptor. */
  restore(): void;
  /** Whether the outside was touched since it was last looked at; puts it back. */
  touched(): boolean;
  attack(level: Level | 'trees'): Promise<Attack>;
  close(): void;
}

interface Attack {
  /** Tells the attacker which tree to swap in. */
  aim(tree: number): void;
  /** Lets the attacker take at least one more step, where it is waiting for the processor. */
  giveWay(): void;
  stop(): Promise<number>;
}

/** Root and outside, twins: the leaf says where it is, and so do the names in the lists. */
function arena(): Arena {
  const base = realpathSync(mkdtempSync(join(fs.existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'midcall-race-')));
  const root = join(base, 'root');
  const outside = join(base, 'outside');
  for (const [top, word] of [
    [root, 'INSIDE'],
    [outside, 'OUTSIDE'],
  ] as const) {
    mkdirSync(join(top, 'g/p'), { recursive: true });
    writeFileSync(join(top, 'g/p/leaf'), word);
    writeFileSync(join(top, `g/p/${word}`), '');
  }
  mkdirSync(join(root, 'in'));
  mkdirSync(join(outside, 'a/b'), { recursive: true });
  for (const name of ['a/1', 'a/2', 'a/b/3']) writeFileSync(join(outside, name), 'OUTSIDE');
  const parent = fs.openSync(join(root, 'g/p'), fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  const picture = (): string => JSON.stringify(readdirSync(outside, { recursive: true }).sort());
  const before = picture();
  const leaf = join(outside, 'g/p/leaf');
  return {
    root,
    outside,
    restore() {
      try {
        writeFileSync(`/proc/self/fd/${parent}/leaf`, 'INSIDE', { flag: 'wx' });
      } catch {
        // It is there, or a link is.
      }
    },
    touched() {
      const whole = fs.existsSync(leaf) && readFileSync(leaf, 'utf8') === 'OUTSIDE';
      if (whole && picture() === before) return false;
      for (const name of readdirSync(outside)) rmSync(join(outside, name), { recursive: true });
      mkdirSync(join(outside, 'g/p'), { recursive: true });
      writeFileSync(leaf, 'OUTSIDE');
      writeFileSync(join(outside, 'g/p/OUTSIDE'), '');
      mkdirSync(join(outside, 'a/b'), { recursive: true });
      for (const name of ['a/1', 'a/2', 'a/b/3']) writeFileSync(join(outside, name), 'OUTSIDE');
      return true;
    },
    async attack(level) {
      const control = new SharedArrayBuffer(16);
      const view = new Int32Array(control);
      view[3] = -1;
      const worker = new Worker(fileURLToPath(new URL('./attacker.mjs', import.meta.url)), {
        workerData: { level, root, outside, trees: level === 'trees', control },
      });
      const ended = new Promise<void>((resolve, reject) => {
        worker.once('exit', () => resolve());
        worker.once('error', reject);
      });
      const started = new Promise<void>(resolve => worker.once('message', () => resolve()));
      await Promise.race([started, ended]);
      return {
        aim: tree => Atomics.store(view, 3, tree),
        giveWay() {
          Atomics.wait(view, 2, Atomics.load(view, 2), 2);
        },
        async stop() {
          Atomics.store(view, 1, 1);
          await ended;
          return Atomics.load(view, 2);
        },
      };
    },
    close() {
      fs.closeSync(parent);
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** One attempt: resolves to `true` where outside contents were seen; throws where it was refused. */
type Attempt = (subject: Subject, arena: Arena, number: number) => Promise<boolean>;

/** The operations that are raced. */
export const operations: Record<string, Attempt> = {
  read: async subject => (await subject.readText('g/p/leaf')).includes('OUTSIDE'),
  'read together': async subject => {
    const read = ['leaf', 'leaf', 'INSIDE', 'leaf'].map(name => subject.readText(`g/p/${name}`));
    const settled = await Promise.allSettled(read);
    const texts = settled.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []));
    if (texts.length === 0) throw new Error('all of them were refused');
    return texts.some(text => text.includes('OUTSIDE'));
  },
  list: async subject => (await subject.list('g/p')).some(entry => entry.name === 'OUTSIDE'),
  create: async (subject, _, number) => {
    await subject.create(`g/p/new-${number}`, 'x');
    return false;
  },
  write: async subject => {
    await subject.write('g/p/leaf', 'INSIDE');
    return false;
  },
  rename: async (subject, { root }, number) => {
    const to = `in/${number}`;
    await subject.rename('g/p/leaf', to);
    const there = join(root, to);
    return !fs.lstatSync(there).isSymbolicLink() && readFileSync(there, 'utf8') === 'OUTSIDE';
  },
  remove: async subject => {
    await subject.remove('g/p/leaf');
    return false;
  },
  append: async subject => {
    await subject.append!('g/p/leaf', '');
    await subject.append!('g/p/log', 'x');
    return false;
  },
  copy: async (subject, { root }, number) => {
    await subject.copy!('g/p/leaf', `in/${number}`);
    return readFileSync(join(root, `in/${number}`), 'utf8') === 'OUTSIDE';
  },
  mkdir: async (subject, _, number) => {
    await subject.mkdir!(`g/p/made-${number}/deep`);
    return false;
  },
  stat: async subject => (await subject.stat!('g/p/leaf')).size === 'OUTSIDE'.length,
};

/**
 * Races one operation at one level.
 *
 * @param attempts - how often at least; it goes on until a tenth of this number went well. The outside is looked at every 50th
 *   time, so `escaped` counts at least one for each of those
 * @param untilEscape - stop at the first escape
 */
export async function race(
  operation: string,
  level: Level,
  attempts: number,
  subjectIn: (root: string) => Promise<Subject>,
  untilEscape = false,
): Promise<Outcome> {
  const field = arena();
  const subject = await subjectIn(field.root);
  const attempt = operations[operation]!;
  const attack = await field.attack(level);
  let number = 0;
  let refusals = 0;
  let succeeded = 0;
  let escaped = 0;
  try {
    for (; number < attempts || (succeeded < attempts / 10 && number < attempts * 400); number += 1) {
      if (operation === 'rename' || operation === 'remove') field.restore();
      try {
        if (await attempt(subject, field, number)) escaped += 1;
        else succeeded += 1;
        refusals = 0;
      } catch {
        // Refused, or lost to the swapping; either is safe.
        refusals += 1;
      }
      if (refusals >= 5 || number % 20 === 0) attack.giveWay();
      if (number % 50 === 49 && field.touched()) escaped += 1;
      if (untilEscape && escaped > 0) break;
    }
    if (field.touched()) escaped += 1;
  } finally {
    const swaps = await attack.stop();
    field.close();
    // biome-ignore lint/correctness/noUnsafeFinally: the outcome is the only thing that leaves here without an error
    return { attempts: number, succeeded, escaped, swaps };
  }
}

/** Races the removal of whole trees. */
export async function raceTrees(
  attempts: number,
  subjectIn: (root: string) => Promise<Pick<Files, 'removeTree'>>,
  untilEscape = false,
): Promise<Outcome> {
  const field = arena();
  const subject = await subjectIn(field.root);
  const attack = await field.attack('trees');
  let succeeded = 0;
  let escaped = 0;
  for (let number = 0; number < attempts; number += 1) {
    const tree = join(field.root, `tree-${number}`);
    mkdirSync(join(tree, 'a/b/c'), { recursive: true });
    for (const name of ['a/1', 'a/2', 'a/b/3', 'a/b/c/4']) writeFileSync(join(tree, name), '');
    attack.aim(number);
    try {
      await subject.removeTree(`tree-${number}`);
      succeeded += 1;
    } catch {
      // Refused, or lost to the swapping; either is safe.
    }
    attack.aim(-1);
    if (field.touched()) escaped += 1;
    if (untilEscape && escaped > 0) break;
  }
  const swaps = await attack.stop();
  field.close();
  return { attempts, succeeded, escaped, swaps };
}

/** What not to do: resolves and checks a name, then uses it. */
export async function checkThenUse(root: string): Promise<Subject & Pick<Files, 'removeTree'>> {
  const check = async (name: string): Promise<string> => {
    const path = join(root, name);
    const real = await fs.promises
      .realpath(path)
      .catch(async () => join(await fs.promises.realpath(dirname(path)), basename(path)));
    if (!real.startsWith(`${root}/`)) throw new Error('outside');
    return real;
  };
  return {
    readText: async name => await fs.promises.readFile(await check(name), 'utf8'),
    create: async (name, data) => await fs.promises.writeFile(await check(name), data, { flag: 'wx' }),
    write: async (name, data) => await fs.promises.writeFile(await check(name), data),
    rename: async (from, to) => await fs.promises.rename(await check(from), await check(to)),
    remove: async name => await fs.promises.unlink(await check(name)),
    list: async name =>
      (await fs.promises.readdir(await check(name))).map(each => ({ name: each, path: each, kind: 'file' as const })),
    removeTree: async name => await fs.promises.rm(await check(name), { recursive: true, force: true }),
  };
}
