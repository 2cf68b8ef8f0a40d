/**
 * Makes what the packages ship from their sources: for each entry of a library one file, beside chunks that entries share, in its
 * folder `bundle/`; for the command the same, in `packages/midcall/command/dist/`; and the scripts that the desk gives to a
 * browser, in `packages/host/script/`. What other packages hold is never inside, so that a fix of theirs reaches whoever installs
 * it. Run after the compiler, which writes the declarations: `npm run build` does both.
 */
import { readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { clientScripts } from '../packages/host/src/web/routes/client-scripts.ts';
import type { Manifest } from './bill-of-materials.ts';
import { packageFolders, root, sourceOf } from './places.ts';

interface Shipped extends Manifest {
  readonly exports?: Readonly<Record<string, string | { readonly default: string }>>;
}

const manifestOf = (folder: string): Shipped =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Shipped;

/** A package, as opposed to a file. What the bundler itself adds is small, and belongs to us. */
const isPackage = (id: string): boolean => !/^(?:[./]|@oxc-project\/runtime)/.test(id);

/** The language that every version of Node we promise speaks. */
const transform = { target: 'es2023' };
/** Comments stay with the sources; names stay, so that a stack trace can be read. */
const readable = {
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false } },
  sourcemap: true,
} as const;

/** @throws Error if a file names this machine, and if what the files import is not what is installed with them */
function checkChunks(chunks: readonly OutputChunk[], manifest: Manifest): void {
  const { name, dependencies = {}, peerDependencies = {} } = manifest;
  const installed = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
  const own = new Set(chunks.map(({ fileName }) => fileName));
  for (const { fileName, code, imports, dynamicImports } of chunks) {
    if (code.includes(root)) throw new Error(`${name}: ${fileName} names the folder it was made in.`);
    for (const each of [...imports, ...dynamicImports]) {
      const imported = /^(?:@[^/]+\/)?[^/]+/.exec(each)![0];
      if (!own.has(each) && !isBuiltin(each) && !installed.includes(imported))
        throw new Error(`${name}: ${fileName} imports ${imported}, which is not among its dependencies.`);
    }
  }
  const isImported = (library: string): boolean =>
    chunks.some(({ code }) => new RegExp(`["']${library}(?:/[^"']*)?["']`).test(code));
  const unused = Object.keys(dependencies).filter(library => !isImported(library));
  if (unused.length > 0) throw new Error(`${name}: no file imports ${unused.join(', ')}, which are dependencies.`);
}

const chunksOf = (output: readonly { readonly type: string }[]) =>
  output.filter((each): each is OutputChunk => each.type === 'chunk');

for (const folder of packageFolders) {
  const manifest = manifestOf(folder);
  const entries = Object.values(manifest.exports ?? {}).flatMap(each =>
    typeof each === 'string' ? [] : [each.default],
  );
  if (entries.length === 0) continue;
  const bundle = await rolldown({
    input: Object.fromEntries(
      entries.map(each => [relative('bundle', each).replace(/\.js$/, ''), join(root, sourceOf(folder, each))]),
    ),
    platform: 'neutral',
    external: isPackage,
    transform,
  });
  const out = join(root, folder, 'bundle');
  rmSync(out, { recursive: true, force: true });
  const { output } = await bundle.write({
    dir: out,
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    ...readable,
  });
  await bundle.close();
  checkChunks(chunksOf(output), manifest);
}

/** Every entry of the libraries, as its source: the command has them inside. */
const alias = Object.fromEntries(
  packageFolders.flatMap(folder => {
    const { name, exports = {} } = manifestOf(folder);
    return Object.entries(exports).flatMap(([entry, built]) =>
      typeof built === 'string' ? [] : [[`${name}${entry.slice(1)}`, join(root, sourceOf(folder, built.default))]],
    );
  }),
);
/** In place of libraries that most runs of the command never use: what we use of each, which loads it when it is called. */
const onFirstUse = new Map([
  ['diff', "export const diffLines = (...texts) => require('diff').diffLines(...texts);"],
  ['markdown-it', "export default function MarkdownIt(...options) { return require('markdown-it')(...options); }"],
  ['tldts', "export const parse = (...name) => require('tldts').parse(...name);"],
]);
const command = join(root, 'packages/midcall/command/dist');
rmSync(command, { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: join(root, 'packages/midcall/src/cli/main.ts') },
  platform: 'node',
  external: id => isPackage(id) && alias[id] === undefined && !onFirstUse.has(id),
  plugins: [
    { name: 'entries', resolveId: id => alias[id] },
    {
      name: 'libraries that few runs need',
      resolveId: (id, importer) => {
        if (!onFirstUse.has(id)) return undefined;
        return importer === `/on-first-use/${id}` ? { id, external: true } : `/on-first-use/${id}`;
      },
      load: id => onFirstUse.get(id.replace('/on-first-use/', '')),
    },
  ],
  transform,
  preserveEntrySignatures: 'allow-extension',
});
const { output } = await bundle.write({
  dir: command,
  // Node reads such a file at once, and a module by way of a pool of threads: for the files of a bridge, a tenth of its start.
  format: 'cjs',
  strict: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  codeSplitting: {
    // Each file costs a start some tenths of a millisecond, so what several commands share is one file of each package, and what
    // nearly all share one more, which is all of it that `--help` reads. What a module imports is shared by at least as many as it
    // is itself, so these files never import each other in a circle.
    groups: [
      { name: 'base', test: /packages.core.src/, minShareCount: 30, priority: 1 },
      { name: 'core', test: /packages.core.src/, minShareCount: 3 },
      { name: 'host', test: /packages.host.src/, minShareCount: 4 },
      { name: 'server', test: /packages.server.src/, minShareCount: 4 },
    ],
    includeDependenciesRecursively: false,
  },
  ...readable,
  // Nobody debugs the command as a library, and its stack traces have the names of the sources.
  sourcemap: false,
});
await bundle.close();
checkChunks(chunksOf(output), manifestOf('packages/midcall'));

// Read by the desk as files: a browser gets each as one, since every file that a page names costs it time.
for (const name of clientScripts) {
  const script = await rolldown({
    input: join(root, `packages/host/src/web/client/${name}.ts`),
    platform: 'browser',
    transform,
  });
  for (const folder of ['host', 'midcall'])
    await script.write({ file: join(root, `packages/${folder}/script/${name}.js`), format: 'es', minify: true });
  await script.close();
}
