/**
 * Makes what is released, in `tarballs/`: for every package its tarball, and beside it what is installed with it, as a
 * CycloneDX bill of materials: `npm run pack [-- --out FOLDER]`. Needs no network. With `--as-built`, packs the build that is
 * there.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BillOfMaterials, type Manifest, shipped } from './bill-of-materials.ts';
import { keepUnreachedTypesOut } from './declared.ts';
import { packageFolders, root } from './places.ts';

const { values } = parseArgs({
  options: { 'as-built': { type: 'boolean' }, out: { type: 'string', default: join(root, 'tarballs') } },
});
const out = resolve(root, values.out);

/** What a command of npm says as JSON. */
const npm = (...args: readonly string[]): unknown =>
  JSON.parse(
    execFileSync('npm', args, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );

if (!values['as-built']) {
  // What a build before this one left may no longer have a source.
  for (const folder of packageFolders) rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
}
// What was built from a file that is gone would be shipped without its source.
for (const folder of packageFolders.filter(each => existsSync(join(root, each, 'dist')))) {
  for (const file of readdirSync(join(root, folder, 'dist'), { recursive: true, encoding: 'utf8' })) {
    const source = /^(.*?)(?:\.js|\.d\.ts|\.d\.ts\.map)$/.exec(file)?.[1];
    if (source !== undefined && !existsSync(join(root, folder, 'src', `${source}.ts`)))
      rmSync(join(root, folder, 'dist', file));
  }
}
for (const folder of packageFolders) keepUnreachedTypesOut(join(root, folder));
mkdirSync(out, { recursive: true });
// What an earlier run left, and nothing else: the folder may hold more.
for (const file of readdirSync(out))
  if (/^(?:create-)?midcall-.*\.(?:tgz|cdx\.json)$/.test(file)) rmSync(join(out, file));
// An array up to npm 10, an object by the packages' names after it.
const packed = npm('pack', '--workspaces', '--json', '--ignore-scripts', '--pack-destination', out) as Record<
  string,
  { readonly name: string; readonly filename: string }
>;
const all = npm(
  'sbom',
  '--package-lock-only',
  '--sbom-format',
  'cyclonedx',
  '--sbom-type',
  'library',
) as BillOfMaterials;
const manifests = packageFolders.map(
  folder => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest,
);
for (const { name, filename } of Object.values(packed)) {
  const bill = filename.replace(/\.tgz$/, '.cdx.json');
  writeFileSync(join(out, bill), `${JSON.stringify(shipped(all, name, manifests), undefined, 2)}\n`);
  console.log(join(out, filename));
  console.log(join(out, bill));
}
