/** Which file of the packages imports which, and so which folder. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const packagesDir = fileURLToPath(new URL('../packages', import.meta.url));
export const packages = ['core', 'server', 'host', 'testing', 'inbox', 'midcall'] as const;
export type Package = (typeof packages)[number];

/** `server/request/call.ts` -> the file it names. */
export function sourceOf(file: string): string {
  const [name, ...path] = file.split('/');
  return join(packagesDir, name!, 'src', ...path);
}

/** Each source file, as in `server/request/call.ts`. */
export const files: readonly string[] = packages.flatMap(name =>
  readdirSync(join(packagesDir, name, 'src'), { recursive: true, encoding: 'utf8' })
    .map(path => `${name}/${path.replaceAll('\\', '/')}`)
    .filter(path => path.endsWith('.ts') && statSync(sourceOf(path)).isFile()),
);

export const textOf = (file: string): string => readFileSync(sourceOf(file), 'utf8');

/** What a file imports or exports from elsewhere, values and types, as it names it. */
export function importsOf(file: string): string[] {
  const text = textOf(file);
  const statements = text.matchAll(/^(?:import|export)\s+(?:type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)';?/gm);
  return [...statements, ...text.matchAll(/\bimport\('([^']+)'\)/g)].map(match => match[1]!);
}

/** The file that a relative import names. */
export const local = (file: string, target: string): string =>
  relative(packagesDir, resolve(dirname(sourceOf(file)), target))
    .replaceAll('\\', '/')
    .replace('/src/', '/');

export const packageOf = (file: string): Package => file.split('/')[0] as Package;

/** The outer doors: what package.json exports, as sources. */
export const doors: ReadonlySet<string> = new Set(
  packages.flatMap(name => {
    const { exports = {} } = JSON.parse(readFileSync(join(packagesDir, name, 'package.json'), 'utf8')) as {
      exports?: Record<string, string | { default: string }>;
    };
    return Object.values(exports).flatMap(each =>
      typeof each === 'string' ? [] : [each.default.replace('./bundle/', `${name}/`).replace(/\.js$/, '.ts')],
    );
  }),
);

/** The folder of a package that a file is in: `server/questions` of `server/questions/page/plan.ts`, `server` of its own files. */
export const folderOf = (file: string): string => {
  const [name, folder, ...rest] = file.split('/');
  return rest.length > 0 ? `${name}/${folder}` : name!;
};

/** Folder -> the folders of its package that its files import, with the number of imports. Outer doors do not count. */
export function folderGraph(): Map<string, Map<string, number>> {
  const graph = new Map<string, Map<string, number>>();
  for (const file of files.filter(each => !doors.has(each))) {
    const from = folderOf(file);
    const targets = graph.get(from) ?? new Map<string, number>();
    graph.set(from, targets);
    for (const target of importsOf(file).filter(each => each.startsWith('.'))) {
      const to = folderOf(local(file, target));
      if (to !== from) targets.set(to, (targets.get(to) ?? 0) + 1);
    }
  }
  return graph;
}

/**
 * The folders from the ground up: each group imports only groups before it. A group of several folders is a circle: each of
 * them imports itself through the others (Tarjan's strongly connected components).
 */
export function floors(graph: ReadonlyMap<string, ReadonlyMap<string, number>>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const groups: string[][] = [];
  const visit = (folder: string): void => {
    order.set(folder, order.size);
    lowest.set(folder, order.get(folder)!);
    open.push(folder);
    for (const next of [...(graph.get(folder)?.keys() ?? [])].sort()) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(folder, Math.min(lowest.get(folder)!, lowest.get(next)!));
    }
    if (lowest.get(folder) === order.get(folder)) groups.push(open.splice(open.indexOf(folder)).sort());
  };
  for (const folder of [...graph.keys()].sort()) if (!order.has(folder)) visit(folder);
  return groups;
}
