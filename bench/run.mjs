/**
 * Every bench, one after the other, each in a process of its own: npm run bench [name...]
 * Figures are ratios to a named peer measured in the same run; see the head of each file for what and against whom.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const loader = new URL('../scripts/load-typescript.mjs', import.meta.url).href;
/** Parts of benches that are not benches themselves. */
const parts = new Set([
  'run.mjs',
  'ask-server.mjs',
  'ask-sides.mjs',
  'desk-asker.mjs',
  'desk-idle.mjs',
  'fleet-replica.mjs',
  'redis-server.mjs',
]);
const all = readdirSync(folder).filter(name => name.endsWith('.mjs') && !parts.has(name));
const wanted = process.argv.slice(2).map(name => (name.endsWith('.mjs') ? name : `${name}.mjs`));
for (const name of wanted.length > 0 ? wanted : all) {
  console.log(`\n== ${name}`);
  const { status } = spawnSync(process.execPath, ['--import', loader, `${folder}${name}`], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
