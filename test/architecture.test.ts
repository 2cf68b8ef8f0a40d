/**
 * The rules of ARCHITECTURE.md, "Who may import whom". Packages meet by name, folders at their index.ts; there are no
 * cycles; no file is a drawer.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const packagesDir = join(root, 'packages');
const packages = ['core', 'server', 'host', 'testing', 'midcall'] as const;
type Package = (typeof packages)[number];

/** Package -> the packages it may import. */
const mayDependOn: Record<Package, readonly Package[]> = {
  core: [],
  server: ['core'],
  host: ['core'],
  testing: ['core', 'server', 'host'],
  midcall: ['core', 'server', 'host', 'testing'],
};

/**
 * Folder -> the folders of the same package it may import, besides itself. A package's own folder (`server`) is all of it
 * that has no row of its own. What is not listed for core is that `errors`, `json`, `options` and `text` are open to all.
 */
const mayImport: Record<string, readonly string[]> = {
  'core/errors': [],
  'core/json': [],
  'core/options': [],
  'core/text': [],
  'core/time': [],
  'core/url': [],
  'core/fetch': [],
  'core/page': [],
  'core/store': ['core/time'],
  'core/node': [],
  'core/roots': [],
  'core/sdk-seam': [],
  'core/patterns': [],
  'core/json-schema': ['core/form', 'core/patterns'],
  'core/form': ['core/patterns', 'core/time'],
  'core/sampling': [],
  'core/models': ['core/sampling'],
  'server/stores': [],
  'server/roots': [],
  server: ['server/roots', 'server/stores'],
  'server/connect': ['server', 'server/roots', 'server/stores'],
  host: [],
  'host/terminal': ['host'],
  'host/web': ['host'],
  testing: [],
  'midcall/install': [],
  'midcall/notes': ['midcall/install'],
  'midcall/design': [],
  'midcall/doctor': ['midcall/install'],
  'midcall/bridge': [],
  'midcall/cli': ['midcall/install', 'midcall/notes', 'midcall/design', 'midcall/doctor', 'midcall/bridge'],
};
const openToCore = ['core/errors', 'core/json', 'core/options', 'core/text'];

/** Packages of others that only these folders may import; any other is free where ARCHITECTURE.md lists it. */
const packageHomes: Record<string, readonly string[]> = {
  '@modelcontextprotocol/server': ['server', 'server/connect', 'testing', 'midcall'],
  '@modelcontextprotocol/client': ['host', 'testing', 'midcall'],
  '@clack/prompts': ['host/terminal'],
  'get-east-asian-width': ['host/terminal'],
  'openid-client': ['server/connect'],
  libsql: ['server/stores'],
  tldts: ['host'],
  // Language models are passed in; nothing of the AI SDK is imported, not even a type.
  ai: [],
  '@ai-sdk/provider': [],
  commander: ['midcall/cli'],
};

const forbiddenNames = /^(utils?|helpers?|common|types|constants|misc|shared)\.ts$/;

interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
}

const files = packages.flatMap(name =>
  readdirSync(join(packagesDir, name, 'src'), { recursive: true, encoding: 'utf8' })
    .map(path => `${name}/${path.replaceAll('\\', '/')}`)
    .filter(path => path.endsWith('.ts') && statSync(sourceOf(path)).isFile()),
);

/** `server/call/call.ts` -> the file it names. */
function sourceOf(file: string): string {
  const [name, ...path] = file.split('/');
  return join(packagesDir, name!, 'src', ...path);
}

const textOf = (file: string): string => readFileSync(sourceOf(file), 'utf8');

function importsOf(file: string): Import[] {
  const text = textOf(file);
  const found: Import[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)';?/gm)) {
    found.push({ target: match[2]!, typeOnly: match[1] !== undefined });
  }
  for (const match of text.matchAll(/\bimport\('([^']+)'\)/g)) found.push({ target: match[1]!, typeOnly: true });
  return found;
}

/** The one pair whose types need each other: what a form holds follows from what it was made of. */
const entwined = new Set(['core/form/input.ts -> core/form/form.ts']);

const packageOf = (file: string): Package => file.split('/')[0] as Package;

const folderOf = (file: string): string => {
  const folder = dirname(file);
  const known = Object.keys(mayImport).sort((a, b) => b.length - a.length);
  return known.find(name => folder === name || folder.startsWith(`${name}/`)) ?? folder;
};

const local = (file: string, target: string): string => {
  const path = resolve(dirname(sourceOf(file)), target);
  return relative(packagesDir, path).replaceAll('\\', '/').replace('/src/', '/');
};

/** The outer doors: what package.json exports, as sources. */
const doors = new Set(
  packages.flatMap(name => {
    const { exports = {} } = JSON.parse(readFileSync(join(packagesDir, name, 'package.json'), 'utf8')) as {
      exports?: Record<string, string | { default: string }>;
    };
    return Object.values(exports).flatMap(each =>
      typeof each === 'string' ? [] : [each.default.replace('./dist/', `${name}/`).replace(/\.js$/, '.ts')],
    );
  }),
);

describe('architecture', () => {
  it('A1: every folder is one the table knows', () => {
    const homeless = files.filter(file => !(folderOf(file) in mayImport));
    expect(homeless.filter(file => !doors.has(file))).toEqual([]);
  });

  it('A2: a package imports only the packages it may, by name, and host never meets server', () => {
    const wrong: string[] = [];
    for (const file of files) {
      for (const { target } of importsOf(file)) {
        const name = /^@midcall\/([a-z]+)/.exec(target)?.[1] as Package | undefined;
        if (name && !mayDependOn[packageOf(file)].includes(name)) wrong.push(`${file} -> ${target}`);
        if (target.startsWith('.') && packageOf(local(file, target)) !== packageOf(file)) {
          wrong.push(`${file} -> ${target}: name the package`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('A3: a folder imports only what the table allows, and enters other folders through index.ts', () => {
    const wrong: string[] = [];
    for (const file of files.filter(each => !doors.has(each))) {
      const from = folderOf(file);
      for (const { target } of importsOf(file).filter(each => each.target.startsWith('.'))) {
        const path = local(file, target);
        const to = folderOf(path);
        if (to === from) continue;
        const allowed = mayImport[from]?.includes(to) || (from.startsWith('core/') && openToCore.includes(to));
        if (!allowed) wrong.push(`${file} -> ${path}: ${from} may not import ${to}`);
        else if (!path.endsWith('/index.ts') && !openToCore.includes(to) && !doors.has(path)) {
          wrong.push(`${file} -> ${path}: enter ${to} through index.ts`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('A4: nothing inside a package imports a public list', () => {
    const wrong = files.flatMap(file =>
      importsOf(file)
        .filter(each => /\/public\.ts$/.test(each.target))
        .map(each => `${file} -> ${each.target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('A5: no file imports itself through others, be it for a type', () => {
    const graph = new Map(
      files.map(file => [
        file,
        importsOf(file)
          .filter(each => each.target.startsWith('.'))
          .map(each => local(file, each.target))
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

  it('A6: packages of others stay in their homes', () => {
    const wrong: string[] = [];
    for (const file of files) {
      for (const { target } of importsOf(file).filter(each => !each.target.startsWith('.'))) {
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
      .flatMap(file => importsOf(file).map(each => `${file} -> ${each.target}`))
      .filter(each => !/ -> \.{1,2}\//.test(each) && !each.includes('@valibot/to-json-schema'));
    expect(wrong).toEqual([]);
  });

  it('A8: no drawers and no star exports', () => {
    expect(files.filter(file => forbiddenNames.test(file.split('/').at(-1)!))).toEqual([]);
    expect(files.filter(file => /^export \*/m.test(textOf(file)))).toEqual([]);
  });

  it('A9: no file is longer than 400 lines', () => {
    const long = files.map(file => ({ file, lines: textOf(file).split('\n').length }));
    expect(long.filter(each => each.lines > 400)).toEqual([]);
  });

  it('A10: the engine imports no SDK, and of the server nothing but the digest', () => {
    const engine = files.filter(file => file.startsWith('server/engine/') || file === 'server/digest.ts');
    expect(engine.length).toBeGreaterThan(5);
    const targets = engine.flatMap(file => importsOf(file).map(each => ({ file, target: each.target })));
    const outside = targets
      .filter(({ target }) => !target.startsWith('.') && !/^(node:|@midcall\/core\/)/.test(target))
      .map(({ file, target }) => `${file} -> ${target}`);
    const beyond = targets
      .filter(({ target }) => target.startsWith('.'))
      .map(({ file, target }) => local(file, target))
      .filter(path => !path.startsWith('server/engine/') && path !== 'server/digest.ts');
    expect({ outside, beyond }).toEqual({ outside: [], beyond: [] });
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
    const folders = files.map(file => `${dirname(file)}/`).filter(name => !packages.some(each => name === `${each}/`));
    const named = (name: string) => page.includes(`\`${name.replace(/^@modelcontextprotocol\/(client)$/, '/$1')}\``);
    expect(
      [...new Set([...folders, ...needed.filter(name => !name.startsWith('@midcall/'))])].filter(each => !named(each)),
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
    for (const folder of ['test', 'bench', 'scripts', 'conformance']) {
      for (const path of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
        if (!/\.(?:ts|mjs|json)$/.test(path)) continue;
        const text = readFileSync(join(root, folder, path), 'utf8');
        for (const [, name, named] of text.matchAll(path.endsWith('.json') ? inJson : inCode)) {
          if (!files.includes(`${name}/${named}.ts`)) missing.push(`${folder}/${path}: ${name}/${named}`);
        }
      }
    }
    expect(missing).toEqual([]);
  });

  it('A15: on each side one file names revisions of the protocol', () => {
    const walls = ['server/era.ts', 'host/era.ts'];
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
    // A channel of the browser; and one end of a pair in memory, with no SDK behind it.
    const others = ['host/web/client/events.ts', 'testing/explore/explore-wire.ts'];
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
