/**
 * Makes what the `midcall` command runs, in `packages/midcall/command/dist/`: everything it is made of in a few files, since each file
 * that is read at the start costs time. The libraries are shipped as they are compiled. Names are kept, so that a stack trace can
 * be read. Run after the compiler: `npm run build` does both.
 */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './places.ts';

const out = join(root, 'packages/midcall/command/dist');
rmSync(out, { recursive: true, force: true });

const bundle = await rolldown({
  input: { main: join(root, 'packages/midcall/dist/cli/main.js') },
  platform: 'node',
  // One brings a library of the machine's own, and the other is installed by those who have a Redis.
  external: [/^@?libsql/, 'ioredis'],
  onLog(level, log, print) {
    // Nothing may be left to be found where the command is installed.
    if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    if (level === 'warn') print(level, log);
  },
});
const { output } = await bundle.write({
  dir: out,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
});
await bundle.close();

// Read by the desk as files.
cpSync(join(root, 'packages/host/dist/web/client'), join(out, 'client'), {
  recursive: true,
  filter: path => !/\.d\.ts(?:\.map)?$/.test(path),
});

/** The folder of the package that a module is from; undefined for our own. */
function packageOf(module: string): string | undefined {
  if (!module.includes('node_modules')) return undefined;
  for (let folder = dirname(module); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && 'name' in JSON.parse(readFileSync(manifest, 'utf8'))) return folder;
  }
}

const modules = output.flatMap(file => (file.type === 'chunk' ? file.moduleIds : []));
const folders = [...new Set(modules.map(packageOf))].filter(folder => folder !== undefined).sort();
const licenses = folders.map(folder => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license'].map(each => join(folder, each)).find(existsSync);
  return `${name} ${version} (${license})\n\n${file ? readFileSync(file, 'utf8').trim() : ''}\n`;
});
writeFileSync(join(out, 'LICENSES.txt'), licenses.join(`\n${'-'.repeat(80)}\n\n`));
