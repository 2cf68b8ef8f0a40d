/**
 * One process among several that lock a file: node lock-child.mjs PATH DIE_AT. Prints `done`, or `overlap` if another had the lock at
 * the same time. Ends itself with SIGKILL after its DIE_AT-th operation on files, or once it has the lock if DIE_AT is `inside`.
 */
import { writeSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [path, dieAt] = process.argv.slice(2);
const { open, rm } = files;
const die = () => process.kill(process.pid, 'SIGKILL');
let operations = 0;
for (const name of ['writeFile', 'link', 'open', 'rm']) {
  const operation = files[name];
  files[name] = async (...args) => {
    const isLast = String(++operations) === dieAt;
    try {
      return await operation(...args);
    } finally {
      if (isLast) die();
    }
  };
}
syncBuiltinESMExports();

const { withFileLock } = await import('../../../packages/host/dist/files/file-lock.js');
const work = async () => {
  if (dieAt === 'inside') die();
  try {
    await (await open(`${path}.inside`, 'wx')).close();
    await new Promise(resolve => setImmediate(resolve));
    await rm(`${path}.inside`);
  } catch {
    writeSync(1, 'overlap\n');
  }
};
await withFileLock(path, work, { timeoutMs: 60_000 });
writeSync(1, 'done\n');
