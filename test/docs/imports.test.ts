/** A reader of one page can tell where every name of ours in its code comes from. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sourceOf } from '../../tools/places.ts';

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | { readonly default: string }>>;
}

/** What each public entry exports as a value, by the module that one imports. */
const entries = new Map(
  readdirSync('packages').flatMap(folder => {
    const { name, exports = {} } = JSON.parse(readFileSync(`packages/${folder}/package.json`, 'utf8')) as Manifest;
    return Object.entries(exports).flatMap(([entry, built]): [string, readonly string[]][] => {
      if (typeof built === 'string' || name === '@midcall/core') return [];
      const source = sourceOf(`packages/${folder}`, built.default);
      const text = readFileSync(source, 'utf8');
      const listed = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list = '']) => list.split(','));
      const declared = [...text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(
        ([, each = '']) => each,
      );
      return [
        [
          `${name}${entry.slice(1)}`,
          [...listed.map(each => each.trim()).filter(each => /^\w+$/.test(each)), ...declared],
        ],
      ];
    });
  }),
);
const pages = ['README.md', ...readdirSync('docs').flatMap(name => (name.endsWith('.md') ? [`docs/${name}`] : []))];

const codeOf = (text: string): string =>
  [...text.matchAll(/^```[tj]s\n(.*?)^```/gms)].map(([, code = '']) => code).join('\n');

/** Names that are called in code, without those of objects, in strings or in comments. */
function calledIn(code: string): ReadonlySet<string> {
  const templates = code.replace(/`[^`]*`/g, text =>
    [...text.matchAll(/\$\{([^}]*)\}/g)].map(([, each]) => each).join(';'),
  );
  const bare = templates.replace(/'[^'\n]*'|\/\/.*/g, '');
  return new Set([...bare.matchAll(/(?<![\w.#])(\w+)\(/g)].map(([, name = '']) => name));
}

const boundIn = (code: string): ReadonlySet<string> => {
  const imported = [...code.matchAll(/^import (?:type )?\{([^}]*)\}/gm)].flatMap(
    ([, list = '']) => list.match(/\w+/g) ?? [],
  );
  const declared = [...code.matchAll(/\b(?:const|let|function|class) (\w+)/g)].map(([, name = '']) => name);
  return new Set([...imported, ...declared]);
};

it.each(pages)('%s imports each of our names that its code calls, or says where it is from', path => {
  const text = readFileSync(path, 'utf8');
  const code = codeOf(text);
  const prose = text.replace(/^```.*?^```/gms, '');
  const bound = boundIn(code);
  const called = [...calledIn(code)].filter(name => !bound.has(name));
  const homeless = [...entries].flatMap(([module, names]) =>
    prose.includes(`\`${module}\``) ? [] : called.filter(name => names.includes(name)),
  );
  expect(homeless).toEqual([]);
});

it('the check of imports knows the names of every entry', () => {
  expect(entries.get('@midcall/server')).toContain('midcall');
  expect(entries.get('@midcall/server/stores/redis')).toContain('redisStore');
});
