/**
 * The rules of ARCHITECTURE.md, "Who may import whom". A folder is entered through its index.ts; there are no cycles;
 * no file is a drawer.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));

/** Folder -> the folders it may import, besides itself and the root files errors.ts and html.ts. */
const mayImport: Record<string, readonly string[]> = {
  patterns: [],
  'json-schema': ['patterns'],
  form: ['patterns'],
  sampling: [],
  models: ['sampling'],
  stores: [],
  roots: [],
  server: ['form', 'sampling', 'roots', 'stores'],
  connect: ['form', 'roots', 'server', 'stores'],
  host: ['json-schema', 'form', 'sampling', 'roots', 'stores'],
  'host/terminal': ['form', 'host', 'roots'],
  'host/web': ['json-schema', 'form', 'host', 'roots'],
  testing: ['form', 'sampling', 'roots', 'server', 'connect', 'host', 'stores'],
  notes: ['form', 'sampling', 'roots', 'server', 'connect', 'stores'],
  design: ['form', 'server', 'host', 'testing'],
  doctor: ['form', 'sampling', 'roots', 'server', 'connect'],
  bridge: ['form', 'sampling', 'roots', 'server', 'host', 'host/web'],
  cli: [
    'bridge',
    'form',
    'sampling',
    'models',
    'roots',
    'server',
    'connect',
    'stores',
    'host',
    'host/terminal',
    'host/web',
    'notes',
    'design',
    'doctor',
    'testing',
  ],
};

/** Packages that only these folders may import; every other package is free where ARCHITECTURE.md lists it. */
const packageHomes: Record<string, readonly string[]> = {
  '@modelcontextprotocol/server': ['server', 'connect', 'notes', 'doctor', 'testing', 'bridge', 'cli'],
  '@modelcontextprotocol/node': ['server', 'notes', 'testing', 'cli'],
  '@modelcontextprotocol/client': ['host', 'testing', 'design', 'bridge', 'cli'],
  '@clack/prompts': ['host/terminal'],
  'get-east-asian-width': ['host/terminal'],
  'openid-client': ['connect'],
  libsql: ['stores', 'cli'],
  tldts: ['host'],
  // Language models are passed in; nothing of the AI SDK is imported, not even a type.
  ai: [],
  '@ai-sdk/provider': [],
  commander: ['cli'],
};

const forbiddenNames = /^(utils?|helpers?|common|types|constants|misc|shared)\.ts$/;

interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map(path => path.replaceAll('\\', '/'))
  .filter(path => path.endsWith('.ts') && statSync(join(src, path)).isFile());

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), 'utf8');
  const found: Import[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)';?/gm)) {
    found.push({ target: match[2]!, typeOnly: match[1] !== undefined });
  }
  for (const match of text.matchAll(/\bimport\('([^']+)'\)/g)) found.push({ target: match[1]!, typeOnly: true });
  return found;
}

const folderOf = (file: string): string => {
  const folder = dirname(file);
  if (folder === '.') return '';
  const known = Object.keys(mayImport).sort((a, b) => b.length - a.length);
  return known.find(name => folder === name || folder.startsWith(`${name}/`)) ?? folder;
};

const local = (file: string, target: string): string =>
  relative(src, resolve(src, dirname(file), target)).replaceAll('\\', '/');

describe('architecture', () => {
  it('A1: every folder is one the table knows', () => {
    expect(files.map(folderOf).filter(folder => folder !== '' && !(folder in mayImport))).toEqual([]);
  });

  it('A2: a folder imports only what the table allows, and enters other folders through index.ts', () => {
    const wrong: string[] = [];
    for (const file of files) {
      const from = folderOf(file);
      for (const { target } of importsOf(file).filter(each => each.target.startsWith('.'))) {
        const path = local(file, target);
        const to = folderOf(path);
        if (to === from || to === '') continue;
        if (from === '') wrong.push(`${file} -> ${path}: a root file imports no folder`);
        else if (!mayImport[from]?.includes(to)) wrong.push(`${file} -> ${path}: ${from} may not import ${to}`);
        else if (!path.endsWith('/index.ts') && to !== 'stores')
          wrong.push(`${file} -> ${path}: enter ${to} through index.ts`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('A3: no file imports itself through others (value imports)', () => {
    const graph = new Map(
      files.map(file => [
        file,
        importsOf(file)
          .filter(each => each.target.startsWith('.') && !each.typeOnly)
          .map(each => local(file, each.target)),
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

  it('A4: packages stay in their homes', () => {
    const wrong: string[] = [];
    for (const file of files) {
      for (const { target } of importsOf(file).filter(each => !each.target.startsWith('.'))) {
        const name = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : target.split('/')[0]!;
        const homes = packageHomes[name];
        if (homes && !homes.includes(folderOf(file))) wrong.push(`${file} imports ${name}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('A5: no drawers and no star exports', () => {
    expect(files.filter(file => forbiddenNames.test(file.split('/').at(-1)!))).toEqual([]);
    expect(files.filter(file => /^export \*/m.test(readFileSync(join(src, file), 'utf8')))).toEqual([]);
  });

  it('A6: no file is longer than 400 lines', () => {
    const long = files.map(file => ({ file, lines: readFileSync(join(src, file), 'utf8').split('\n').length }));
    expect(long.filter(each => each.lines > 400)).toEqual([]);
  });

  it('A7: the engine imports no SDK, and of the server nothing but the digest', () => {
    const engine = files.filter(file => file.startsWith('server/engine/') || file === 'server/digest.ts');
    expect(engine.length).toBeGreaterThan(5);
    const targets = engine.flatMap(file => importsOf(file).map(each => ({ file, target: each.target })));
    const packages = targets.filter(({ target }) => !target.startsWith('.') && !target.startsWith('node:'));
    const outside = targets
      .filter(({ target }) => target.startsWith('.'))
      .map(({ file, target }) => local(file, target))
      .filter(path => !path.startsWith('server/engine/') && path !== 'server/digest.ts' && path.includes('/'));
    expect({ packages, outside }).toEqual({ packages: [], outside: [] });
  });

  it('A8: ARCHITECTURE.md names every folder and every dependency', () => {
    const root = fileURLToPath(new URL('..', import.meta.url));
    const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object };
    const packages = Object.keys(dependencies).map(name =>
      name.replace(/^@modelcontextprotocol\/(client|node)$/, '/$1'),
    );
    const folders = new Set(files.map(file => `${dirname(file)}/`).filter(name => name !== './'));
    expect([...folders, ...packages].filter(name => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('A9: SECURITY.md names tests that exist', () => {
    const root = fileURLToPath(new URL('..', import.meta.url));
    const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');
    const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(match => match[1]!);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(path => !existsSync(join(root, path)))).toEqual([]);
  });

  it('A10: what tests, benches and scripts reach into exists, built or as source', () => {
    const root = fileURLToPath(new URL('..', import.meta.url));
    const inCode = /['"](?:\.\.\/)+(?:src|dist)\/([a-z0-9/-]+)\.(?:ts|js)['"]/g;
    const inJson = /"src\/([a-z0-9/-]+)\.ts"/g;
    const missing: string[] = [];
    for (const folder of ['test', 'bench', 'scripts', 'conformance']) {
      for (const path of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
        if (!/\.(?:ts|mjs|json)$/.test(path)) continue;
        const text = readFileSync(join(root, folder, path), 'utf8');
        const reach = path.endsWith('.json') ? inJson : inCode;
        for (const [, named] of text.matchAll(reach)) {
          if (!files.includes(`${named}.ts`)) missing.push(`${folder}/${path}: ${named}`);
        }
      }
    }
    expect(missing).toEqual([]);
  });

  it('A11: every client is given a validator for what its servers declare', () => {
    const clients = files.filter(file => /\bnew Client\(/.test(readFileSync(join(src, file), 'utf8')));
    expect(clients.length).toBeGreaterThan(2);
    expect(clients.filter(file => !readFileSync(join(src, file), 'utf8').includes('jsonSchemaValidator'))).toEqual([]);
  });

  it('A12: what runs in any runtime imports nothing of Node', () => {
    const pure = files.filter(file => ['patterns', 'json-schema'].includes(folderOf(file)));
    expect(pure.length).toBeGreaterThan(5);
    const targets = pure.flatMap(file => importsOf(file).map(each => `${file} imports ${each.target}`));
    expect(targets.filter(each => each.includes('imports node:'))).toEqual([]);
  });
});
