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
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Packs every workspace. @returns package name -> path of its tarball */
export function packAll(): ReadonlyMap<string, string> {
  const place = mkdtempSync(join(tmpdir(), 'midcall-packs-'));
  const printed = execFileSync(
    'npm',
    ['pack', '--workspaces', '--json', '--ignore-scripts', '--pack-destination', place],
    { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const packed = JSON.parse(printed) as
    | { name: string; filename: string }[]
    | Record<string, { name: string; filename: string }>;
  return new Map(Object.values(packed).map(({ name, filename }) => [name, join(place, filename)]));
}

/** What npm installs with a package: its dependencies and the peers that are not optional. */
const needs = ({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: Manifest): string[] => [
  ...Object.keys(dependencies),
  ...Object.keys(peerDependencies).filter(name => !peerDependenciesMeta[name]?.optional),
];

/** Where a package of others lies, seen from the folder of the one that needs it. */
function found(name: string, from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) throw new Error(`${name}, needed in ${from}, is not installed.`);
  }
}

const bytes = (path: string): number =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .filter(name => name !== 'node_modules')
        .reduce((sum, name) => sum + bytes(join(path, name)), 0)
    : statSync(path).size;

export interface Installed {
  readonly folder: string;
  /** Everything that is installed, ours and others'. */
  readonly packages: ReadonlySet<string>;
  readonly megabytes: number;
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
  const packages = new Set<string>();
  let size = 0;
  const add = (name: string, from: string): void => {
    if (packages.has(name)) return;
    packages.add(name);
    const tarball = tarballs.get(name);
    mkdirSync(dirname(at(name)), { recursive: true });
    if (tarball === undefined) {
      const path = found(name, from);
      // Others resolve what they need themselves, from where they really lie.
      if (dirname(path).startsWith(join(root, 'node_modules'))) symlinkSync(path, at(name));
      size += bytes(path);
      for (const each of needs(readManifest(path))) add(each, path);
      return;
    }
    mkdirSync(at(name));
    execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', at(name)]);
    size += bytes(at(name));
    const manifest = readManifest(at(name));
    for (const each of needs(manifest)) add(each, root);
    for (const [command, file] of Object.entries(manifest.bin ?? {})) {
      mkdirSync(at('.bin'), { recursive: true });
      symlinkSync(join(at(name), file), at(join('.bin', command)));
    }
  };
  for (const name of [...wanted, ...extra]) add(name, root);
  return { folder, packages, megabytes: size / 1_000_000 };
}
