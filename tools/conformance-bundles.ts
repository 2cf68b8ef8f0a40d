/**
 * The official suite's command and our client, each made one file: the client is started anew for every scenario, and loading one
 * file takes a third of the processor time and less.
 */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { root } from './places.ts';

const official = join(root, 'node_modules/@modelcontextprotocol/conformance');

/** The suite's `fs`, as Node 20 has no `globSync`; its one use there is for a command that is not ours. */
const fsOfSuite = `
export * from 'node:fs';
export { default } from 'node:fs';
export const globSync = () => { throw new Error('globSync needs Node 22'); };`;

const onNode20: Plugin = {
  name: 'fs of the suite on Node 20',
  resolveId: (id, importer) =>
    id === 'fs' && importer?.includes('@modelcontextprotocol/conformance/') ? '\0fs' : undefined,
  load: id => (id === '\0fs' ? fsOfSuite : undefined),
};

async function bundle(input: string, file: string, plugins: readonly Plugin[]): Promise<string> {
  const made = await rolldown({ input, platform: 'node', plugins: [...plugins] });
  await made.write({ file, format: 'esm', codeSplitting: false });
  await made.close();
  return file;
}

/** @returns the path of the suite's command, in that folder; it reads what revisions require from the folder above its own */
export function bundleSuite(folder: string): Promise<string> {
  symlinkSync(join(official, 'requirements'), join(folder, 'requirements'));
  return bundle(join(official, 'dist/index.js'), join(folder, 'dist/suite.mjs'), [onNode20]);
}

/** @returns the path of `tools/conformance/client.ts`, in that folder */
export const bundleClient = (folder: string): Promise<string> =>
  bundle(join(root, 'tools/conformance/client.ts'), join(folder, 'client.mjs'), []);
