/**
 * Every case of the attack corpus on every operation that takes a path (rows 000-05, 001-04; roots-35, roots-36).
 *
 * @module-tag thorough
 */
import * as fs from 'node:fs';
import { isMidcallError } from '@midcall/core/errors';
import { boundary, type Files } from '@midcall/server/roots';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Case, cases, ground, pictureOfOutside, plant, secret, type Tree } from './corpus.ts';
import { guarantees } from './guarantees.ts';

type Operation = (files: Files, path: string) => Promise<unknown>;

const drain = async (items: AsyncIterable<unknown>): Promise<string> => {
  const seen: string[] = [];
  for await (const item of items) seen.push(Buffer.isBuffer(item) ? item.toString() : JSON.stringify(item));
  return seen.join('\n');
};

/** What only looks, what changes, and of that what acts on a link itself. */
const looking: Record<string, Operation> = {
  read: async (files, path) => Buffer.from(await files.read(path)).toString(),
  'read a range': async (files, path) => Buffer.from(await files.read(path, { position: 1, length: 9 })).toString(),
  readText: async (files, path) => await files.readText(path),
  'readText beside another': async (files, path) => {
    const beside = `${path.slice(0, path.lastIndexOf('/') + 1)}beside`;
    const [text] = await Promise.allSettled([files.readText(path), files.readText(beside)]);
    if (text.status === 'rejected') throw text.reason;
    return text.value;
  },
  stream: async (files, path) => await drain(await files.stream(path)),
  'open for reading': async (files, path) => {
    await using handle = await files.open(path);
    return Buffer.from(await handle.read()).toString();
  },
  list: async (files, path) => await files.list(path),
  walk: async (files, path) => await drain(files.walk(path)),
  stat: async (files, path) => (await files.stat(path)).size !== secret.length,
  exists: async (files, path) => await files.exists(path),
  absolute: async (files, path) => await files.absolute(path),
  'copy from': async (files, path) => {
    await files.copy(path, 'copied');
    return await files.readText('copied');
  },
};
const changing: Record<string, Operation> = {
  'open for change': async (files, path) => {
    await using handle = await files.open(path, 'r+');
    await handle.write('x');
  },
  'open to append': async (files, path) => {
    await using handle = await files.open(path, 'a');
    await handle.write('x');
  },
  write: async (files, path) => await files.write(path, 'x'),
  append: async (files, path) => await files.append(path, 'x'),
  mkdir: async (files, path) => await files.mkdir(path),
};
const atLeaf: Record<string, Operation> = {
  create: async (files, path) => await files.create(path, 'x'),
  'rename to': async (files, path) => await files.rename('a.txt', path),
  'copy to': async (files, path) => await files.copy('a.txt', path),
  'rename from': async (files, path) => await files.rename(path, 'renamed'),
  remove: async (files, path) => await files.remove(path),
  removeTree: async (files, path) => await files.removeTree(path),
};
const operations = Object.entries({ ...looking, ...changing, ...atLeaf });

const codes: Record<Case['expected'], readonly string[]> = {
  outside: ['roots/outside'],
  invalid: ['roots/invalid'],
  absent: ['roots/not-found'],
  inside: ['roots/not-found', 'roots/exists', 'roots/invalid'],
};

describe.each(guarantees)('%s files', guarantee => {
  let tree: Tree;
  let files: Files;
  let before: string;

  const anew = (): void => {
    plant(tree);
    before = pictureOfOutside(tree);
  };
  beforeAll(() => {
    tree = ground();
  });
  afterAll(() => {
    fs.rmSync(tree.base, { recursive: true, force: true });
  });

  it('000-05: the corpus has at least 150 cases, each under its own name', () => {
    expect(cases.length).toBeGreaterThanOrEqual(150);
    expect(new Set(cases.map(each => each.name)).size).toBe(cases.length);
  });

  it.each(cases.map(each => [each.name, each] as const))(
    'every operation goes where the path leads, and never outside: %s',
    async (_, { path, expected, leafInside }) => {
      anew();
      files = await boundary({ ceiling: [tree.root], guarantee }).files();
      for (const [name, operation] of operations) {
        const given = path(tree);
        const outcome = await operation(files, given).then(
          value => ({ value }),
          (error: unknown) => ({ error }),
        );
        expect(pictureOfOutside(tree), `${name} must not change the outside`).toBe(before);
        if ('error' in outcome) {
          const { error } = outcome;
          expect(isMidcallError(error), `${name} throws ours, not ${String(error)}`).toBe(true);
          const { code, message } = error as { code: string; message: string };
          const allowed = leafInside && name in atLeaf ? [...codes[expected], 'roots/exists'] : codes[expected];
          expect(allowed, `${name}: ${message}`).toContain(code);
          expect(message).not.toContain(secret);
        } else {
          const fine = expected === 'inside' || (leafInside && ['rename from', 'remove', 'removeTree'].includes(name));
          expect(fine, `${name} must not succeed`).toBe(true);
          expect(JSON.stringify(outcome.value) ?? '', `${name} must not tell`).not.toContain('SECRET-OF');
          if (name === 'absolute') expect(`${String(outcome.value)}/`).toMatch(new RegExp(`^${tree.root}/`));
          if (!['read', 'stat', 'exists', 'list'].includes(name)) {
            await files.close();
            anew();
            files = await boundary({ ceiling: [tree.root], guarantee }).files();
          }
        }
      }
      await files.close();
    },
  );
});
