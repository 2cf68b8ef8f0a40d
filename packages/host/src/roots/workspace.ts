import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Files that mark the root of a project, strongest first: version control, then build and package files. */
const markers = [
  '.git', '.hg', '.jj', '.svn', 'package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'pom.xml', 'build.gradle',
  'build.gradle.kts', 'Gemfile', 'composer.json', 'mix.exs', 'deno.json', 'CMakeLists.txt', 'Makefile', '.obsidian',
]; // biome-ignore format: a list reads better in rows.

/** A directory that looks like a workspace, and why. */
export interface DetectedWorkspace {
  readonly path: string;
  readonly marker: string;
}

/**
 * Finds the workspace a directory belongs to: the nearest directory upwards under version control, else the nearest with a
 * project file. The home directory and the file system's root never count.
 * @param options - `home`: where to stop
 * @example
 * ```ts
 * const workspace = await detectWorkspace(process.cwd(), { home: homedir() });
 * ```
 */
export async function detectWorkspace(
  start: string,
  options: { readonly home?: string } = {},
): Promise<DetectedWorkspace | undefined> {
  let project: DetectedWorkspace | undefined;
  for (let path = start; ; path = dirname(path)) {
    if (path === options.home || dirname(path) === path) return project;
    const names = new Set(await readdir(path).catch(() => []));
    const marker = markers.find(name => names.has(name));
    if (marker !== undefined && markers.indexOf(marker) < 4) return { path, marker };
    if (marker !== undefined) project ??= { path, marker };
  }
}
