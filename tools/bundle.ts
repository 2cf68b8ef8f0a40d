/**
 * Makes what the `midcall` command runs, in `packages/midcall/command/dist/`: everything it is made of in a few files, since each file
 * that is read at the start costs time, and the desk's client script in `packages/host/dist/web/script/`. The libraries are shipped
 * as they are compiled. Names are kept, so that a stack trace can
 * be read. Run after the compiler: `npm run build` does both.
 */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { clientScripts } from '../packages/host/src/web/routes/assets.ts';
import { root } from './places.ts';

const out = join(root, 'packages/midcall/command/dist');
rmSync(out, { recursive: true, force: true });

/** Modules that the bundle has in a form of its own, by the ends of their paths. */
const own: Readonly<Record<string, string>> = {
  // Both parts of the SDK judge by JSON Schemas with Ajv unless they are given something else, and two copies of Ajv are a tenth
  // of a start. Each client of the command is given its own judge, and one that is not must not be made: what its servers declare
  // cannot be trusted. A server judges by its own forms alone, for which the SDK's small judge is enough.
  '@modelcontextprotocol/client/dist/shimsNode.mjs': `
    export class DefaultJsonSchemaValidator {
      constructor() {
        throw new Error('This client needs a jsonSchemaValidator.');
      }
    }
    export const CORS_IS_POSSIBLE = false;`,
  '@modelcontextprotocol/server/dist/shimsNode.mjs': `
    export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
    export { default as process } from 'node:process';`,
  // Hono is always there, so that nothing has to be awaited, which a CommonJS module cannot do.
  'packages/server/dist/connect/hono.js': `
    export { Hono } from 'hono';
    export { getRequestListener } from '@hono/node-server';`,
  'packages/server/dist/http/hono-node.js': `
    import * as library from '@hono/node-server';
    export const honoNode = async () => library;`,
  // A list that most runs of the command never look at, in a file of its own.
  'packages/host/dist/url/parse-domain.js': `
    const list = './tldts.cjs';
    export const parseDomain = (...name) => require(list).parse(...name);`,
};
const replaced = new Set<string>();

const bundle = await rolldown({
  input: { main: join(root, 'packages/midcall/dist/cli/main.js'), tldts: 'tldts' },
  platform: 'node',
  plugins: [
    {
      name: 'own modules',
      load(id) {
        const end = Object.keys(own).find(each => id.replaceAll('\\', '/').endsWith(`/${each}`));
        if (end !== undefined) replaced.add(end);
        return end === undefined ? undefined : own[end];
      },
    },
  ],
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
  // Node reads such a file at once, and a module by way of a pool of threads: for the sixty of a bridge, a tenth of its start.
  format: 'cjs',
  strict: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
});
await bundle.close();
// It is installed elsewhere.
for (const file of output)
  if (file.type === 'chunk' && file.code.includes(root))
    throw new Error(`${file.fileName} names the folder it was made in.`);
for (const end of Object.keys(own)) if (!replaced.has(end)) throw new Error(`No module is called ${end} any more.`);

// Read by the desk as files: a browser gets each as one, since every file that a page names costs it time.
const pagesOf = join(root, 'packages/host/dist/web');
for (const name of clientScripts) {
  const script = await rolldown({ input: join(pagesOf, 'client', `${name}.js`), platform: 'browser' });
  await script.write({ file: join(pagesOf, 'script', `${name}.js`), format: 'es', minify: true });
  await script.close();
}
cpSync(join(pagesOf, 'script'), join(out, 'script'), { recursive: true });

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
