/** Which declarations a package's users need: those that its entries name, and those that these name in turn. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/**
 * Keeps declarations that no public type reaches, and the sources to which only they lead, out of the tarball of a package: half
 * the files of `@midcall/server`, which cost a block of the disk each. Declarations of untyped libraries are among them.
 *
 * Writes a `.npmignore` into `dist` and `src`, which `npm pack` and `npm publish` read.
 * @param folder - of a package that was built
 */
export function keepUnreachedTypesOut(folder: string): void {
  const { exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports?: Readonly<Record<string, string | { readonly types?: string }>>;
  };
  const entries = Object.values(exports).flatMap(each => (typeof each === 'object' && each.types ? [each.types] : []));
  const [dist, src] = [join(folder, 'dist'), join(folder, 'src')];
  if (entries.length === 0) return;
  const program = ts.createProgram({
    rootNames: entries.map(each => join(folder, each)),
    options: { module: ts.ModuleKind.NodeNext, noLib: true, skipLibCheck: true, types: [] },
  });
  const reached = new Set(program.getSourceFiles().map(({ fileName }) => relative(dist, fileName)));
  const unreached = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.d.ts') && !reached.has(path))
    .map(path => path.slice(0, -'.d.ts'.length));
  const leaveOut = (at: string, paths: readonly string[]) =>
    writeFileSync(join(at, '.npmignore'), paths.map(path => `/${path}\n`).join(''));
  leaveOut(
    dist,
    unreached.flatMap(path => [`${path}.d.ts`, `${path}.d.ts.map`]),
  );
  if (!existsSync(src)) return;
  const ambient = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.d.ts'));
  leaveOut(src, [...unreached.map(path => `${path}.ts`), ...ambient]);
}
