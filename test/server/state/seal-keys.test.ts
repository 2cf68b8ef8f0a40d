import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KeySource, keyRing } from '../../../packages/server/src/state/keys.ts';

const bytes = randomBytes(32);
const ids = (source: KeySource) => keyRing(source).keys.map(key => key.id);
const failure = (run: () => unknown): Error & { code: string } => {
  try {
    run();
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error('nothing was thrown');
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'midcall-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('keys-K2: key text', () => {
  it('key text is the same key as hex, base64 and base64url, with and without padding', () => {
    const expected = ids(bytes);
    const base64 = bytes.toString('base64');
    for (const text of [
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      base64,
      base64.replace(/=+$/, ''),
      bytes.toString('base64url'),
      ` ${base64}\n`,
    ]) {
      expect(ids(text)).toEqual(expected);
    }
  });

  it('key text is told apart as base64 where it ends like hex, and as base64url by its own two signs', () => {
    const endsLikeHex = Buffer.concat([randomBytes(30), Buffer.from('abcd', 'base64')]);
    expect(ids(endsLikeHex.toString('base64'))).toEqual(ids(endsLikeHex));
    const signs = Buffer.concat([Buffer.from('-_-_', 'base64url'), randomBytes(30)]);
    for (const spelling of ['base64', 'base64url'] as const) expect(ids(signs.toString(spelling))).toEqual(ids(signs));
  });

  it('key text needs no more than 16 different bytes to be taken for random', () => {
    const different = (count: number) => Buffer.from(Array.from({ length: 32 }, (_, at) => at % count)).toString('hex');
    expect(ids(different(16))).toHaveLength(1);
    expect(failure(() => keyRing(different(15))).message).toContain('is not random');
  });

  it('key text holds several keys, apart by commas or lines, in their order', () => {
    const other = randomBytes(48);
    const expected = ids([bytes, other]);
    expect(ids(`${bytes.toString('base64')}, ${other.toString('hex')}`)).toEqual(expected);
    expect(ids(`${bytes.toString('base64')}\r\n\n${other.toString('hex')}\n`)).toEqual(expected);
    expect(ids(`${bytes.toString('base64')},\n  ${other.toString('hex')}\n`)).toEqual(expected);
    expect(ids(`${bytes.toString('base64')} \n ${other.toString('hex')}`)).toEqual(expected);
    expect(ids([bytes.toString('base64'), other])).toEqual(expected);
  });

  it.each([
    ['no text', '', 'empty'],
    ['spaces', '   ', 'empty'],
    ['a key and a comma', `${bytes.toString('hex')},`, 'entry 2, is empty'],
    ['two keys and two commas', `${bytes.toString('hex')},,${'ab'.repeat(32)}`, 'entry 2, is empty'],
    ['a sentence', 'correct horse battery staple, of course, and long enough', 'neither hex nor base64'],
    // The last character before the padding carries bits that no spelling of 32 bytes has.
    ['base64 with stray bits', `${Buffer.alloc(32, 255).toString('base64').slice(0, -2)}==`, 'neither hex nor base64'],
    ['31 bytes in base64', randomBytes(31).toString('base64'), '31 bytes'],
    ['hex with a digit too many', `${bytes.toString('hex')}a`, 'neither hex nor base64'],
    [
      'base64 in two pieces',
      `${bytes.toString('base64').slice(0, 20)}=${bytes.toString('base64').slice(20)}`,
      'neither hex',
    ],
    ['16 bytes in hex', randomBytes(16).toString('hex'), '16 bytes'],
    ['zeros', '0'.repeat(64), 'not random'],
    ['a word again and again', 'changeme'.repeat(8), 'not random'],
  ])('key text is refused with a reason where it is %s', (_, text, reason) => {
    const error = failure(() => keyRing(text));
    expect(error.code).toBe('server/setup');
    expect(error.message).toContain(reason);
    expect(error.message).toMatch(/^The key[ ,].* Make a new one with: openssl rand -base64 32$/);
    for (const part of text.split(',').filter(each => each.trim().length > 8))
      expect(error.message).not.toContain(part);
  });
});

describe('a key ring', () => {
  it('a key ring refuses short bytes, an empty list and the same key twice', () => {
    const refused: readonly [KeySource, string][] = [
      [new Uint8Array(31), 'Key 1 has 31 bytes; at least 32 are needed.'],
      [[bytes, new Uint8Array(31)], 'Key 2 has 31 bytes; at least 32 are needed.'],
      [[], 'There is no key in the list. Make a new one'],
      [[''], 'The key is empty.'],
      [[bytes, bytes.toString('hex')], 'The same key is given twice. Give each key once, the newest first.'],
    ];
    for (const [source, message] of refused) {
      const error = failure(() => keyRing(source));
      expect(error.code).toBe('server/setup');
      expect(error.message).toContain(message);
    }
  });

  it('a key ring refuses what is no key, and says what it may be', () => {
    for (const source of [5, null, true]) {
      const { message } = failure(() => keyRing(source as never));
      expect(message).toMatch(/^keyRing: the key must be a text \(hex or base64\), bytes/);
    }
  });

  it('a key ring looks up MIDCALL_KEY, then MIDCALL_KEY_FILE, then makes a key of this process and says so', () => {
    const file = join(folder, 'key');
    writeFileSync(file, bytes.toString('base64'), { mode: 0o600 });
    const text = randomBytes(32).toString('hex');
    const idsOf = (env: Record<string, string>) => keyRing(undefined, { env }).keys.map(key => key.id);
    expect(idsOf({ MIDCALL_KEY: text, MIDCALL_KEY_FILE: file })).toEqual(ids(text));
    expect(idsOf({ MIDCALL_KEY_FILE: file })).toEqual(ids(bytes));
    expect(keyRing(undefined, { env: { MIDCALL_KEY: text } }).ephemeral).toBe(false);
    const own = keyRing(undefined, { env: {} });
    expect(own.ephemeral).toBe(true);
    expect(own.keys[0]!.id).not.toBe(keyRing(undefined, { env: {} }).keys[0]!.id);
  });

  it('an empty MIDCALL_KEY is an error, not a silent process key', () => {
    expect(failure(() => keyRing(undefined, { env: { MIDCALL_KEY: '' } })).message).toContain('MIDCALL_KEY is empty');
  });

  it('keys-K1: a key ring shows ids and no key', () => {
    const ring = keyRing([bytes, randomBytes(32)]);
    const shown = `${inspect(ring, { depth: 9, showHidden: true })} ${JSON.stringify(ring)} ${JSON.stringify(ring.keys[0])} ${inspect({ deep: { ring } }, { depth: 9 })}`;
    for (const spelling of ['hex', 'base64', 'base64url'] as const)
      expect(shown).not.toContain(bytes.toString(spelling));
    for (const key of ring.keys) expect(shown).toContain(key.id);
    const keys = ring.keys.map(key => key.id);
    for (const each of [JSON.stringify(ring), inspect(ring)]) for (const id of keys) expect(each).toContain(id);
    expect(JSON.parse(JSON.stringify(ring))).toEqual({ keys, ephemeral: false });
    expect(JSON.parse(JSON.stringify(ring.keys[0]))).toEqual({ id: keys[0] });
    expect(inspect(ring.keys[0])).toBe(inspect({ id: keys[0] }));
    expect(() => Object.assign(ring, { ephemeral: true })).toThrow(TypeError);
  });
});

describe('elicit-33; keys-K3: a key file', () => {
  it('a key file is made once, for its owner only, with its folder, and read again', () => {
    const file = join(folder, 'deep', 'er', 'key');
    const first = ids({ file, create: true });
    expect(ids({ file, create: true })).toEqual(first);
    expect(ids({ file })).toEqual(first);
    expect(readdirSync(join(folder, 'deep', 'er'))).toEqual(['key']);
    if (process.platform !== 'win32') {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o700);
    }
  });

  it('a key file that another process makes meanwhile is the one, and nothing else is left', () => {
    const file = join(folder, 'key');
    // Between the look and the making.
    const slow = (size: number) => {
      writeFileSync(file, bytes.toString('base64'), { mode: 0o600 });
      return randomBytes(size);
    };
    expect(keyRing({ file, create: true }, { randomBytes: slow }).keys.map(key => key.id)).toEqual(ids(bytes));
    expect(readdirSync(folder)).toEqual(['key']);
  });

  it.runIf(process.platform === 'linux')('a key file is not left open, neither by reading nor by making it', () => {
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let n = 0; n < 200; n += 1) ids({ file: join(folder, `${n}`), create: true });
    expect(open() - before).toBeLessThan(100);
  });

  it('a key file holds what MIDCALL_KEY may hold', () => {
    const file = join(folder, 'key');
    ids({ file, create: true });
    expect(ids(readFileSync(file, 'utf8'))).toEqual(ids({ file }));
  });

  it.runIf(process.platform !== 'win32')(
    'a key file is refused where others may read it or its group may write it',
    () => {
      const file = join(folder, 'key');
      writeFileSync(file, bytes.toString('base64'));
      for (const mode of [0o644, 0o604, 0o602, 0o660, 0o666]) {
        chmodSync(file, mode);
        const error = failure(() => keyRing({ file }));
        expect(error.message).toContain('chmod 600');
        expect(error.message).not.toContain(bytes.toString('base64'));
      }
      for (const mode of [0o600, 0o400, 0o440, 0o640]) {
        chmodSync(file, mode);
        expect(ids({ file })).toEqual(ids(bytes));
      }
    },
  );

  it('a key file that is missing, empty, no file or huge is refused with a reason', () => {
    const at = (name: string, text?: string) => {
      const file = join(folder, name);
      if (text !== undefined) writeFileSync(file, text, { mode: 0o600 });
      const error = failure(() => keyRing({ file }));
      expect(error.code).toBe('server/setup');
      expect(error.message).toContain(`The key file ${JSON.stringify(file)}`);
      return error.message;
    };
    const missing = failure(() => keyRing({ file: join(folder, 'missing') }));
    expect(missing.cause).toMatchObject({ code: 'ENOENT' });
    expect(at('missing')).toContain('does not exist');
    writeFileSync(join(folder, 'large'), `${bytes.toString('base64')}${'\n'.repeat(65_536 - 44)}`, { mode: 0o600 });
    expect(ids({ file: join(folder, 'large') })).toEqual(ids(bytes));
    expect(at('empty', '')).toContain('is empty');
    expect(at('huge', 'A'.repeat(70_000))).toContain('too large');
    mkdirSync(join(folder, 'folder'), { mode: 0o700 });
    expect(at('folder')).toContain('not a regular file');
    expect(at('huge/key')).toContain('cannot be opened (ENOTDIR)');
    const unmade = failure(() => keyRing({ file: join(folder, 'huge', 'key'), create: true }));
    const { code } = unmade.cause as NodeJS.ErrnoException;
    expect(unmade.code).toBe('server/setup');
    expect(unmade.message).toContain(`cannot be made (${code})`);
  });
});
