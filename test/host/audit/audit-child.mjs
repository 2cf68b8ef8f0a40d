/**
 * A process that writes an audit record, started by the tests: node audit-child.mjs PATH [DIE_AT BYTES]
 *
 * For every line: `record N` records so many entries, and says of each whether it was written; `exhaust` uses up the file
 * descriptors of this process; `release` gives them back. Ends itself with SIGKILL in the DIE_AT-th write of an entry, once
 * BYTES of it are written; -1 for none of it, and -2 for all.
 */
import fs, { closeSync, openSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createInterface } from 'node:readline';

const [path, dieAt = '0', count = '0'] = process.argv.slice(2);
const { writeSync } = fs;
const say = line => writeSync(1, `${line}\n`);
const die = () => process.kill(process.pid, 'SIGKILL');

let writes = 0;
fs.writeSync = (file, bytes, ...rest) => {
  if (++writes !== Number(dieAt)) return writeSync(file, bytes, ...rest);
  const end = Number(count) === -2 ? bytes.length : Math.max(0, Number(count));
  if (end > 0) writeSync(file, bytes, 0, Math.min(end, bytes.length));
  return die();
};
syncBuiltinESMExports();

const { Audit, auditFile } = await import('../../../packages/host/bundle/public.js');
let failure;
const audit = new Audit({ sink: auditFile(path), onError: error => (failure = error) });
say(`opened ${audit.last}`);

const held = [];
const commands = {
  record(times) {
    for (let n = 0; n < Number(times); n++) {
      const isWritten = audit.record({ type: 'policy', what: `change ${n} ${'x'.repeat(400)}` });
      const entry = audit.entries().at(-1);
      say(isWritten ? `wrote ${entry.n} ${entry.hash}` : `lost ${failure.code}`);
    }
    say('done');
  },
  exhaust() {
    for (;;) {
      try {
        held.push(openSync('/dev/null', 'r'));
      } catch (error) {
        say(error.code);
        return;
      }
    }
  },
  release() {
    for (const file of held.splice(0)) closeSync(file);
    say('released');
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...args] = line.split(' ');
  commands[word](...args);
}
