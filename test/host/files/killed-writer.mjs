/**
 * One process among several that write: node killed-writer.mjs KIND PATH FROM DIE_AT. Prints `writing` and `written` with what and
 * which number, and ends itself with SIGKILL after its DIE_AT-th operation on files.
 */
import files, { writeSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [kind, path = '', from, dieAt] = process.argv.slice(2);
const say = text => writeSync(1, `${text}\n`);
let operations = -1;
const begin = () => {
  operations = 0;
};
const done = () => {
  if (operations < 0) return;
  operations += 1;
  if (operations >= Number(dieAt)) process.kill(process.pid, 'SIGKILL');
};
/** Those that change something, or come before a change. */
const counted = ['open', 'writeFile', 'write', 'link', 'unlink', 'rename', 'rm', 'mkdir', 'fsync', 'stat', 'readFile'];
for (const name of counted) {
  const operation = promises[name];
  if (operation)
    promises[name] = async (...args) => {
      try {
        return await operation(...args);
      } finally {
        done();
      }
    };
  const direct = files[`${name}Sync`];
  if (direct && name !== 'write')
    files[`${name}Sync`] = (...args) => {
      try {
        return direct(...args);
      } finally {
        done();
      }
    };
}
syncBuiltinESMExports();

/** Writes number `n` of what is called `name`. */
const writers = {
  async decisions() {
    const { decisionsFile } = await import('../../../packages/host/dist/policy/decisions-file.js');
    const decisions = decisionsFile(path);
    return (name, n) =>
      decisions.keep({
        ...{ id: `r${n}`, server: name, origin: name.padStart(64, '0'), subject: 'form' },
        ...{ effect: 'refuse', scope: 'always', madeAt: n },
      });
  },
  async notes() {
    const { boundary } = await import('../../../packages/server/dist/roots/public.js');
    const { notebook } = await import('../../../packages/midcall/dist/notes/notebook.js');
    const notes = notebook(await boundary({ ceiling: [path] }).files(), { now: Date.now });
    return (name, n) => notes.write(`${name}.md`, `# ${n}\n${String(n).repeat(20_000)}\n`);
  },
};

const write = await writers[kind]();
begin();
for (let n = Number(from); ; n += 1) {
  const name = String(n % 7);
  say(`writing ${name} ${n}`);
  await write(name, n);
  say(`written ${name} ${n}`);
}
