/**
 * The rules of ARCHITECTURE.md, "The shape". Packages meet by name, folders at their index.ts; folders have an order, and
 * import only what is below them; there are no cycles; no file is a drawer.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  doors,
  files,
  folderOf,
  importsOf,
  local,
  type Package,
  packageOf,
  packages,
  packagesDir,
  textOf,
} from '../tools/imports.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Package -> the packages it may import. */
const mayDependOn: Record<Package, readonly Package[]> = {
  core: [],
  server: ['core'],
  host: ['core'],
  testing: ['core', 'server', 'host'],
  inbox: ['core', 'server', 'host'],
  midcall: ['core', 'server', 'host', 'testing', 'inbox'],
};

/** Folder -> the folders of the same package that it imports. `.` is the package's own files. */
type Floors = Readonly<Record<string, readonly string[]>>;

const core: Floors = {
  json: [],
  text: [],
  options: ['json'],
  errors: ['text'],
  time: ['options'],
  stop: ['options', 'time'],
  url: ['text'],
  fetch: [],
  page: [],
  node: ['json', 'text', 'url'],
  store: ['errors', 'time'],
  'sdk-seam': ['json', 'text'],
  roots: ['errors', 'json'],
  patterns: [],
  form: ['errors', 'json', 'patterns', 'time'],
  'json-schema': ['form', 'json', 'patterns'],
  sampling: ['errors', 'json', 'options'],
  models: ['errors', 'json', 'options', 'sampling', 'time'],
};

const server: Floors = {
  base: [],
  'sdk-seam': ['base'],
  engine: ['base'],
  state: ['base', 'engine'],
  observe: ['base', 'state'],
  jobs: ['state'],
  stores: [],
  roots: [],
  request: ['base', 'sdk-seam', 'engine', 'state', 'observe', 'jobs', 'roots'],
  questions: ['base', 'sdk-seam', 'engine', 'state', 'request'],
  files: ['base', 'sdk-seam', 'engine', 'observe', 'roots', 'request', 'questions'],
  eras: ['base', 'sdk-seam', 'engine', 'state', 'observe', 'request', 'questions'],
  call: ['base', 'sdk-seam', 'engine', 'state', 'observe', 'roots', 'request', 'questions', 'files', 'eras'],
  tasks: ['base', 'sdk-seam', 'state', 'observe', 'request', 'questions', 'eras'],
  serving: ['sdk-seam', 'observe', 'request'],
  http: ['base', 'sdk-seam', 'observe', 'request', 'serving'],
  fleet: ['base', 'sdk-seam', 'engine', 'state', 'jobs', 'stores', 'request', 'http'],
  // midcall.ts, and what it is made of.
  '.': [
    ...['base', 'sdk-seam', 'state', 'observe', 'jobs', 'stores', 'roots'],
    ...['request', 'questions', 'call', 'tasks'],
  ],
  connect: ['base', 'state', 'request'],
};

const host: Floors = {
  base: [],
  files: [],
  views: [],
  url: [],
  'sdk-seam': ['base'],
  question: ['base', 'url'],
  calls: ['sdk-seam', 'question'],
  audit: ['base', 'question', 'calls'],
  policy: ['files'],
  rules: ['files', 'question'],
  inbox: ['base', 'question'],
  roots: ['base', 'files', 'sdk-seam'],
  authorization: ['files', 'url', 'sdk-seam', 'question'],
  servers: ['authorization'],
  asking: ['base', 'url', 'question', 'calls', 'audit', 'policy', 'inbox'],
  consent: ['sdk-seam', 'question', 'calls', 'rules', 'asking'],
  sampling: ['base', 'question', 'calls', 'asking'],
  tasks: ['base', 'files', 'sdk-seam', 'question', 'calls', 'inbox', 'servers', 'asking'],
  attach: [
    'base',
    'url',
    'sdk-seam',
    'question',
    'calls',
    'audit',
    'policy',
    'rules',
    'inbox',
    'roots',
    'authorization',
    'servers',
    'asking',
    'consent',
    'sampling',
    'tasks',
  ],
  connection: ['base', 'sdk-seam', 'calls', 'authorization', 'servers', 'sampling', 'attach'],
  agents: ['question', 'calls', 'connection'],
  '.': [
    'files',
    'views',
    'question',
    'calls',
    'audit',
    'policy',
    'rules',
    'inbox',
    'roots',
    'servers',
    'asking',
    'sampling',
    'tasks',
    'connection',
  ],
  terminal: ['base', '.'],
  'web/style': [],
  'web/texts': ['.'],
  'web/html': ['.', 'web/texts'],
  'web/client': [],
  'web/form': ['.', 'web/texts', 'web/html'],
  'web/keeping': ['.'],
  'web/workspace': ['.', 'web/texts', 'web/form', 'web/keeping'],
  'web/apps': ['.', 'web/texts', 'web/form'],
  'web/card': ['.', 'web/texts', 'web/html', 'web/form', 'web/workspace', 'web/apps'],
  'web/pages': ['.', 'web/texts', 'web/html', 'web/form', 'web/keeping', 'web/workspace', 'web/apps', 'web/card'],
  'web/routes': [
    '.',
    'web/style',
    'web/texts',
    'web/form',
    'web/keeping',
    'web/workspace',
    'web/apps',
    'web/card',
    'web/pages',
  ],
  'web/person': ['.', 'web/texts', 'web/html', 'web/form', 'web/workspace', 'web/card', 'web/pages', 'web/routes'],
  web: ['.', 'web/keeping', 'web/workspace', 'web/apps', 'web/routes', 'web/person'],
};

const testing: Floors = {
  '.': [],
  explore: ['.'],
};

const inbox: Floors = {
  store: [],
  notify: ['store'],
  site: ['store'],
  '.': ['store', 'notify', 'site'],
};

const midcall: Floors = {
  install: [],
  notes: ['install'],
  design: [],
  doctor: ['install'],
  'shared-desk': ['install'],
  'host-stdio': [],
  'bridge/sdk-seam': [],
  'bridge/link': ['bridge/sdk-seam'],
  'bridge/desk': [],
  'bridge/inbox': ['bridge/desk'],
  'bridge/upstream': ['bridge/link', 'bridge/desk'],
  'bridge/forward': ['bridge/link', 'bridge/desk', 'bridge/upstream'],
  'bridge/stdio': ['host-stdio', 'bridge/link', 'bridge/desk', 'bridge/upstream', 'bridge/forward'],
  'bridge/http': ['bridge/link', 'bridge/desk', 'bridge/upstream', 'bridge/forward'],
  bridge: ['bridge/stdio'],
  cli: ['install', 'notes', 'design', 'doctor', 'shared-desk', 'host-stdio', 'bridge/inbox', 'bridge/http', 'bridge'],
};

/** The rows of each package, from the ground up: a folder imports only folders of rows above its own. */
const floorsOf: Readonly<Record<Package, Floors>> = { core, server, host, testing, inbox, midcall };

/** Packages of others that only these folders may import; any other is free where ARCHITECTURE.md lists it. */
const packageHomes: Record<string, readonly string[]> = {
  '@modelcontextprotocol/server': ['server', 'server/connect', 'testing', 'midcall'],
  '@modelcontextprotocol/client': ['host', 'testing', 'midcall'],
  '@clack/prompts': ['host/terminal'],
  'get-east-asian-width': ['host/terminal'],
  'openid-client': ['server/connect'],
  libsql: ['server/stores', 'inbox/store'],
  kysely: ['inbox/store'],
  pg: ['inbox/store'],
  'web-push': ['inbox/notify'],
  standardwebhooks: ['inbox/notify'],
  tldts: ['host'],
  // Language models are passed in; nothing of the AI SDK is imported, not even a type.
  ai: [],
  '@ai-sdk/provider': [],
  commander: ['midcall/cli'],
};

const forbiddenNames = /^(utils?|helpers?|common|types|constants|misc|shared)\.ts$/;

/** The one pair whose types need each other: what a form holds follows from what it was made of. */
const entwined = new Set(['core/form/input.ts -> core/form/form.ts']);

/** Its row: a folder inside another that has no row of its own is a part of it. */
const rowOf = (file: string): string => {
  const name = packageOf(file);
  const path = dirname(file).slice(name.length + 1) || '.';
  let row = path;
  while (row !== '.' && !(row in floorsOf[name])) row = dirname(row);
  return row === '.' ? path : row;
};

/** Imports between files of one package that are in different rows. */
const betweenRows = files
  .filter(file => !doors.has(file))
  .flatMap(file =>
    importsOf(file)
      .filter(target => target.startsWith('.'))
      .map(target => ({ file, path: local(file, target), name: packageOf(file) }))
      .map(each => ({ ...each, from: rowOf(file), to: rowOf(each.path) }))
      .filter(({ from, to }) => from !== to),
  );

describe('architecture', () => {
  it('A1: every folder has a row', () => {
    const homeless = files.filter(file => !doors.has(file) && !(rowOf(file) in floorsOf[packageOf(file)]));
    expect(homeless).toEqual([]);
  });

  it('A2: a package imports only the packages it may, by name, and host never meets server', () => {
    const wrong: string[] = [];
    for (const file of files) {
      for (const target of importsOf(file)) {
        const name = /^@midcall\/([a-z]+)/.exec(target)?.[1] as Package | undefined;
        if (name && !mayDependOn[packageOf(file)].includes(name)) wrong.push(`${file} -> ${target}`);
        if (target.startsWith('.') && packageOf(local(file, target)) !== packageOf(file)) {
          wrong.push(`${file} -> ${target}: name the package`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('A3: a row names only rows above it, so no folder imports itself through others', () => {
    const upwards = packages.flatMap(name => {
      const rows = Object.keys(floorsOf[name]);
      return rows.flatMap((row, at) =>
        floorsOf[name]
          [row]!.filter(each => !rows.slice(0, at).includes(each))
          .map(each => `${name}: ${row} -> ${each}`),
      );
    });
    expect(upwards).toEqual([]);
  });

  it('A17: a folder imports, values and types, the folders that its row names, and no others', () => {
    const wrong = betweenRows.filter(({ name, from, to }) => !floorsOf[name][from]!.includes(to));
    expect(wrong.map(({ file, path }) => `${file} -> ${path}`)).toEqual([]);
    const unused = packages.flatMap(name =>
      Object.entries(floorsOf[name]).flatMap(([from, row]) =>
        row
          .filter(to => !betweenRows.some(each => each.name === name && each.from === from && each.to === to))
          .map(to => `${name}: ${from} -> ${to}`),
      ),
    );
    expect(unused).toEqual([]);
  });

  it('A19: a folder is entered through its index.ts', () => {
    const inFolder = betweenRows.filter(({ path, name }) => dirname(path) !== name && !doors.has(path));
    const wrong = inFolder.filter(({ path }) => !path.endsWith('/index.ts'));
    expect(wrong.map(({ file, path }) => `${file} -> ${path}`)).toEqual([]);
  });

  it('A4: nothing inside a package imports a public list', () => {
    const wrong = files.flatMap(file =>
      importsOf(file)
        .filter(each => /\/public\.ts$/.test(each))
        .map(each => `${file} -> ${each}`),
    );
    expect(wrong).toEqual([]);
  });

  it('A5: no file imports itself through others, be it for a type', () => {
    const graph = new Map(
      files.map(file => [
        file,
        importsOf(file)
          .filter(each => each.startsWith('.'))
          .map(each => local(file, each))
          .filter(target => !entwined.has(`${file} -> ${target}`)),
      ]),
    );
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
        return;
      }
      state.set(file, 'open');
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      state.set(file, 'done');
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('A20: only the folder of a channel tests for it by its name', () => {
    const byName = /(?:[!=]== |includes\()'(native|card|page|relay)'/g;
    const wrong = files
      .filter(file => file.startsWith('server/'))
      .flatMap(file => [...textOf(file).matchAll(byName)].map(([, name]) => ({ file, name: name! })))
      .filter(({ file, name }) => !file.startsWith(`server/questions/${name}/`));
    expect(wrong).toEqual([]);
  });

  it('A6: packages of others stay in their homes', () => {
    const wrong: string[] = [];
    for (const file of files) {
      for (const target of importsOf(file).filter(each => !each.startsWith('.'))) {
        const name = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : target.split('/')[0]!;
        const homes = packageHomes[name];
        if (homes && !homes.includes(folderOf(file)) && !homes.includes(packageOf(file))) {
          wrong.push(`${file} imports ${name}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('A7: core imports nothing of Node outside its folder node, and no package', () => {
    const wrong = files
      .filter(file => packageOf(file) === 'core' && folderOf(file) !== 'core/node')
      .flatMap(file => importsOf(file).map(each => `${file} -> ${each}`))
      .filter(each => !/ -> \.{1,2}\//.test(each) && !each.includes('@valibot/to-json-schema'));
    expect(wrong).toEqual([]);
  });

  it('A8: there are no drawers and no star exports', () => {
    expect(files.filter(file => forbiddenNames.test(file.split('/').at(-1)!))).toEqual([]);
    expect(files.filter(file => /^export \*/m.test(textOf(file)))).toEqual([]);
  });

  it('A10: the engine, and the ground that it stands on, import no SDK', () => {
    const folders = ['server/base', ...server['engine']!.map(each => `server/${each}`), 'server/engine'];
    const engine = files.filter(file => folders.includes(folderOf(file)));
    expect(engine.length).toBeGreaterThan(15);
    const outside = engine.flatMap(file =>
      importsOf(file)
        .filter(target => !/^(\.|node:|@midcall\/core\/)/.test(target))
        .map(target => `${file} -> ${target}`),
    );
    expect(outside).toEqual([]);
  });

  it('A11: ARCHITECTURE.md names every folder and every dependency', () => {
    const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const needed = packages.flatMap(name => {
      const manifest = JSON.parse(readFileSync(join(packagesDir, name, 'package.json'), 'utf8')) as {
        dependencies?: object;
        peerDependencies?: object;
      };
      return Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    });
    const folders = Object.values(floorsOf).flatMap(floors => Object.keys(floors).map(row => `${row.split('/')[0]}/`));
    const named = (name: string) => page.includes(`\`${name.replace(/^@modelcontextprotocol\/(client)$/, '/$1')}\``);
    expect(
      [...new Set([...folders, ...needed.filter(name => !name.startsWith('@midcall/'))])].filter(
        each => each !== './' && !named(each),
      ),
    ).toEqual([]);
  });

  it('A12: SECURITY.md names tests that exist', () => {
    const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');
    const tests = [...page.matchAll(/`(test\/[^`]+)`/g)].map(match => match[1]!);
    expect(tests.length).toBeGreaterThan(10);
    expect(tests.filter(path => !existsSync(join(root, path)))).toEqual([]);
  });

  it('A13: what tests, benches and scripts reach into exists, built or as source', () => {
    const inCode = /['"`](?:\.\.\/)*packages\/([a-z]+)\/(?:src|dist)\/([a-z0-9/-]+)\.(?:ts|js)['"`]/g;
    const inJson = /"packages\/([a-z]+)\/src\/([a-z0-9/-]+)\.ts"/g;
    const missing: string[] = [];
    for (const folder of ['test', 'tools']) {
      for (const path of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
        if (!/\.(?:ts|mjs|json)$/.test(path) || path.includes('node_modules')) continue;
        const text = readFileSync(join(root, folder, path), 'utf8');
        for (const [, name, named] of text.matchAll(path.endsWith('.json') ? inJson : inCode)) {
          if (!files.includes(`${name}/${named}.ts`)) missing.push(`${folder}/${path}: ${name}/${named}`);
        }
      }
    }
    expect(missing).toEqual([]);
  });

  it('A15: on each side one file names revisions of the protocol', () => {
    const walls = ['server/base/revision.ts', 'host/base/era.ts'];
    const naming = files
      .filter(file => ['server', 'host'].includes(packageOf(file)) && !walls.includes(file))
      .filter(file => {
        const code = textOf(file)
          .replace(/\/\*[\s\S]*?\*\//g, '')
          .replace(/^\s*\/\/.*$/gm, '');
        return /20(24-11-05|25-03-26|25-06-18|25-11-25|26-07-28)/.test(code);
      });
    expect(naming).toEqual([]);
  });

  it('A16: what touches the insides of the SDK is in a folder sdk-seam, in every package', () => {
    const insides = [
      /\['_(?!meta')\w+'\]/,
      /_userAjv|_jsonSchemaValidator|as unknown as \{/,
      /(?<!this)\??\.onmessage\b/,
      /\.(?:send|connect|callTool|setRequestHandler) = /,
      /\bserver\.onclose\b/,
      /\bclient\.(?!onclose\b|fallback)\w+ = (?!undefined)/,
    ];
    // One end of a pair in memory, with no SDK behind it.
    const others = ['testing/explore/explore-wire.ts'];
    const touching = files.filter(file => insides.some(each => each.test(textOf(file))) && !others.includes(file));
    const seams = touching.filter(file => file.includes('/sdk-seam/'));
    expect([...new Set(seams.map(packageOf))].sort()).toEqual(['core', 'host', 'midcall', 'server']);
    expect(touching.filter(file => !seams.includes(file))).toEqual([]);
  });

  it('A18: an invariant has one label in the repository, which begins with what it is about', () => {
    const heads = files.flatMap(file =>
      [...textOf(file).matchAll(/^ \*\s+(?:- )?((?:[a-z-]+-)?[A-Z]\d+)\s/gm)].map(([, label]) => ({
        file,
        label: label!,
      })),
    );
    expect(heads.length).toBeGreaterThan(50);
    expect(heads.filter(({ label }) => /^[A-Z]/.test(label))).toEqual([]);
    expect(heads.filter(({ label }, at) => heads.findIndex(each => each.label === label) !== at)).toEqual([]);
  });

  it('A14: the type check finds each public entry at its source', () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
      compilerOptions: { paths: Record<string, string[]> };
    };
    const paths = Object.values(compilerOptions.paths).flat();
    expect(paths.map(path => path.replace('./packages/', '').replace('/src/', '/')).sort()).toEqual([...doors].sort());
  });
});
