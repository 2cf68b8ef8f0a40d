/**
 * An empty project with our packages as npm would install them, from their tarballs and without the network: beside them
 * lies what their manifests declare, and nothing else, so that an import nobody declared fails here.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Manifest as Needing, needs } from '../../tools/bill-of-materials.ts';
import { packageFolders, root } from '../../tools/places.ts';

interface Manifest extends Needing {
  readonly version: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, { readonly types?: string }>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/**
 * Packs the build that is there, as `npm run pack` does.
 * @returns package name -> path of its tarball, which has its bill of materials beside it
 */
export function packAll(): ReadonlyMap<string, string> {
  const out = mkdtempSync(join(tmpdir(), 'midcall-packs-'));
  const args = ['--silent', 'run', 'pack', '--', '--as-built', '--out', out];
  execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Map(
    packageFolders.map(folder => {
      const { name, version } = readManifest(join(root, folder));
      return [name, join(out, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)];
    }),
  );
}

/** Where a package of others lies, seen from the folder of the one that needs it. */
function found(name: string, from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) throw new Error(`${name}, needed in ${from}, is not installed.`);
  }
}

/** What a file or a folder takes of a disk, as `du` counts it: whole blocks, so that many small files take more than they hold. */
const onDisk = (path: string): number =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .filter(name => name !== 'node_modules')
        .reduce((sum, name) => sum + onDisk(join(path, name)), BLOCK)
    : Math.ceil(statSync(path).size / BLOCK) * BLOCK;
const BLOCK = 4_096;

export interface Installed {
  readonly folder: string;
  /** Everything that is installed, ours and others', and where. */
  readonly packages: ReadonlyMap<string, string>;
  /** What it takes of a disk with blocks of 4 KiB, as `du -sm` says it. */
  megabytes(): number;
}

/** @param extra - further packages that the author of the project asks for, such as an optional peer */
export function install(
  tarballs: ReadonlyMap<string, string>,
  wanted: readonly string[],
  extra: readonly string[] = [],
): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-installed-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'mine', private: true, type: 'module' }));
  const at = (name: string) => join(folder, 'node_modules', name);
  const packages = new Map<string, string>();
  const add = (name: string, from: string): void => {
    if (packages.has(name)) return;
    const tarball = tarballs.get(name);
    mkdirSync(dirname(at(name)), { recursive: true });
    if (tarball === undefined) {
      const path = found(name, from);
      packages.set(name, path);
      // Others resolve what they need themselves, from where they really lie.
      if (dirname(path).startsWith(join(root, 'node_modules'))) symlinkSync(path, at(name));
      for (const each of needs(readManifest(path))) add(each, path);
      return;
    }
    mkdirSync(at(name));
    packages.set(name, at(name));
    execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', at(name)]);
    const manifest = readManifest(at(name));
    for (const each of needs(manifest)) add(each, root);
    for (const [command, file] of Object.entries(manifest.bin ?? {})) {
      mkdirSync(at('.bin'), { recursive: true });
      symlinkSync(join(at(name), file), at(join('.bin', command)));
    }
  };
  for (const name of [...wanted, ...extra]) add(name, root);
  const megabytes = (): number => [...packages.values()].reduce((sum, path) => sum + onDisk(path), 0) / 2 ** 20;
  return { folder, packages, megabytes };
}

/**
 * Packs packages of others, with all that npm installed of them.
 * @param into - the folder of their tarballs
 * @param places - folders of packages
 * @returns the paths of their tarballs
 */
export const packOthers = (into: string, places: readonly string[]): readonly string[] =>
  places.map((place, at) => {
    const tarball = join(into, `other-${at}.tar`);
    const names = ['--exclude=./node_modules', '--transform=s,^\\.,package,'];
    execFileSync('tar', ['-cf', tarball, ...names, '-C', place, '.']);
    return tarball;
  });

/**
 * An empty project in which npm itself installs packages, without the network.
 * @param own - tarballs of ours
 * @param others - folders of packages that the author asks for, and of all that these and ours need
 */
export function installByNpm(own: readonly string[], others: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-npm-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'mine', private: true, type: 'module' }));
  const args = ['install', '--offline', '--no-audit', '--no-fund', ...own, ...packOthers(folder, others)];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  return folder;
}
