/**
 * Prints the folders of each package from the ground up, and what each imports: `npm run folders`. Folders that import each
 * other, if only through others, are marked as a circle.
 */
import { floors, folderGraph, packageOf, packages } from './imports.ts';

const graph = folderGraph();
const groups = floors(graph);

for (const name of packages) {
  const own = groups.filter(([folder]) => packageOf(folder!) === name);
  const short = (folder: string): string => (folder === name ? '.' : folder.slice(name.length + 1));
  const width = Math.max(...own.flat().map(folder => short(folder).length));
  console.log(name);
  for (const group of own) {
    for (const folder of group) {
      const targets = [...graph.get(folder)!].map(([to, times]) => `${short(to)} ${times}`).sort();
      const circle = group.length > 1 ? ` (circle of ${group.length})` : '';
      console.log(`  ${short(folder).padEnd(width)}  ${targets.join(', ')}${circle}`.trimEnd());
    }
  }
}
