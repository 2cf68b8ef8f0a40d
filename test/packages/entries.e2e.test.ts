/** What loading the packages brings along, as they are built: which modules, how many bytes, and each of them once. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { packageFolders, root } from '../../tools/places.ts';
import { readManifest } from './installed.ts';

interface Entry {
  readonly name: string;
  readonly file: string;
}

/** What each library exports, by the name that one imports. */
const libraries = packageFolders.flatMap(folder => {
  const { name, exports = {} } = readManifest(join(root, folder)) as unknown as {
    name: string;
    exports?: Readonly<Record<string, string | { readonly default: string }>>;
  };
  const entries = Object.entries(exports).flatMap(([path, built]): Entry[] =>
    typeof built === 'string' ? [] : [{ name: `${name}${path.slice(1)}`, file: join(root, folder, built.default) }],
  );
  return entries.length === 0 ? [] : [{ name, folder: join(root, folder, 'bundle'), entries }];
});
const entries = libraries.flatMap(library => library.entries);

const bundledFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.js'))
    .map(path => join(folder, path));

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly unknown[];
}

/** The map of a bundled file; undefined for one that only passes names on. */
const mapOf = (file: string): SourceMap | undefined =>
  existsSync(`${file}.map`) ? (JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMap) : undefined;

const sourcesOf = (file: string): readonly string[] =>
  (mapOf(file)?.sources ?? []).map(source => resolve(dirname(file), source));

describe.each(libraries)('$name', ({ folder }) => {
  it('a package holds each of its sources once, so that its state and classes are the same through every entry', () => {
    const sources = bundledFiles(folder).flatMap(sourcesOf);
    const own = sources.filter(source => existsSync(source));
    expect(own.filter((source, at) => own.indexOf(source) !== at)).toEqual([]);
    expect(own.length).toBeGreaterThan(0);
  });

  it('a package has a source map with every file that has code of its own, and in it the sources', () => {
    for (const file of bundledFiles(folder)) {
      const text = readFileSync(file, 'utf8');
      const map = mapOf(file);
      if (map) expect(text).toMatch(/\n\/\/# sourceMappingURL=[\w.-]+\.js\.map\s*$/);
      else expect(text).toMatch(/^(?:(?:import|export) [^;]*;\s*)+$/);
      expect(map?.sourcesContent?.every(each => typeof each === 'string') ?? true).toBe(true);
    }
  });
});

it('a name that several entries export is the same value in each of them, imported and required', () => {
  const names = JSON.stringify(entries.map(({ name }) => name));
  const script = `
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    const known = new Map();
    const different = new Set();
    for (const entry of ${names}) {
      for (const exported of [await import(entry), require(entry)])
        for (const [name, value] of Object.entries(exported)) {
          if (known.has(name) && known.get(name) !== value) different.add(name);
          known.set(name, value);
        }
    }
    const { MidcallError } = require('@midcall/core/errors');
    const { keyRing, isMidcallError } = await import('@midcall/server');
    let error;
    try { keyRing('short'); } catch (thrown) { error = thrown; }
    console.log(JSON.stringify({ different: [...different], isOurs: error instanceof MidcallError && isMidcallError(error) }));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' });
  // `confirm` is a kind of page for a server; there is no other of the name in one package.
  expect(JSON.parse(said)).toEqual({ different: [], isOurs: true });
});

it('a CommonJS program can require every entry, and Node says nothing to it', () => {
  const script = entries.map(({ name }) => `require('${name}');`).join('\n');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=commonjs', '-e', script], {
    cwd: root,
    encoding: 'utf8',
  });
  expect({
    status,
    stdout,
    stderr: stderr.replace(/^.*ExperimentalWarning: .*require.*\n|^\(Use `node.*\n/gm, ''),
  }).toEqual({
    status: 0,
    stdout: '',
    stderr: '',
  });
});

const fileOf = (specifier: string, from: string): string | undefined =>
  specifier.startsWith('.') ? resolve(dirname(from), specifier) : entries.find(({ name }) => name === specifier)?.file;

/** The files of ours that Node reads for an import, beside those that are loaded later. */
function readFor(entry: string): readonly string[] {
  const read = new Set<string>();
  const follow = (file: string | undefined): void => {
    if (file === undefined || read.has(file)) return;
    read.add(file);
    const statements = readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^'"]*["']([^"']+)["']/gm);
    for (const [, specifier] of statements) follow(fileOf(specifier!, file));
  };
  follow(fileOf(entry, ''));
  return [...read];
}

/** What a bundler makes of an import, minified: the bytes of ours that are not loaded later. */
async function bytesOf(code: string): Promise<number> {
  const bundle = await rolldown({
    input: 'entry',
    platform: 'node',
    cwd: root,
    external: id => !/^(?:[./]|@midcall\/|entry$)/.test(id),
    plugins: [
      {
        name: 'entry',
        resolveId: id => (id === 'entry' ? id : entries.find(({ name }) => name === id)?.file),
        load: id => (id === 'entry' ? code : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'es', minify: true });
  await bundle.close();
  const chunks = new Map(output.flatMap(each => (each.type === 'chunk' ? [[each.fileName, each] as const] : [])));
  const read = new Set<string>();
  const follow = (name: string): void => {
    const chunk = chunks.get(name);
    if (!chunk || read.has(name)) return;
    read.add(name);
    chunk.imports.forEach(follow);
  };
  follow([...chunks.values()].find(({ isEntry }) => isEntry)!.fileName);
  return [...read].reduce((sum, name) => sum + chunks.get(name)!.code.length, 0);
}

describe('what an import loads', () => {
  it.each([
    ['@midcall/server', 'midcall', 45, 208 * 1024],
    ['@midcall/server/connect', 'connect', 40, 80_000],
    ['@midcall/server/node', 'serveHttp', 30, 50_000],
    ['@midcall/host', 'attach', 30, 162_000],
    ['@midcall/host/web', 'startDesk', 30, 378_000],
    ['@midcall/testing', 'connectPair', 60, 90_000],
  ])('importing %s loads few files of ours and few bytes', async (entry, name, mostFiles, mostBytes) => {
    expect(readFor(entry).length).toBeLessThanOrEqual(mostFiles);
    expect(await bytesOf(`export { ${name} } from '${entry}';`)).toBeLessThanOrEqual(mostBytes);
  });

  it('@midcall/server loads what few servers use only when it is used', () => {
    const sources = readFor('@midcall/server')
      .flatMap(sourcesOf)
      .map(source => source.slice(root.length));
    expect(sources).toContain('packages/server/src/midcall.ts');
    expect(sources.filter(source => usedByFew.test(source))).toEqual([]);
  });
});

it.each(['call', 'desk'])('midcall %s loads libraries that few runs need only when it uses them', name => {
  const command = join(root, 'packages/midcall/bin/midcall.js');
  const script = `
    process.on('exit', () => require('node:fs').writeSync(2, Object.keys(require.cache).join('\\n')));
    require(${JSON.stringify(command)});`;
  const { stderr } = spawnSync(process.execPath, ['-e', script, command, name, '--help'], {
    cwd: root,
    encoding: 'utf8',
  });
  const loaded = new Set([...stderr.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, library]) => library));
  expect([...loaded]).toContain('@modelcontextprotocol/client');
  expect(['diff', 'markdown-it', 'tldts'].filter(library => loaded.has(library))).toEqual([]);
});

/** Files, tasks, requests to models, wizards, metrics, pages, fleets and stores. */
const usedByFew =
  /server\/src\/(?:roots\/(?:boundary|held|tree)|files\/file-access|tasks\/task-runs|observe\/metrics|questions\/(?:sampler|wizard|page\/asker)\.|fleet|connect|http|stores\/(?:sqlite|redis))/;
