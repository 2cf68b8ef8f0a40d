/** One process among several that finds a sign-in ended: node refresh-child.mjs FOLDER URL NOW. Prints what the server calls it. */
import { writeSync } from 'node:fs';
import { systemClock } from '@midcall/core/time';
import { Connection, Inbox, urlTarget, vaultFolder } from '@midcall/host';

const [folder, url, time] = process.argv.slice(2);
const connection = new Connection(
  { id: 'guarded', target: urlTarget(url) },
  {
    client: { name: 'child', version: '1.0.0' },
    inbox: new Inbox(),
    clock: { ...systemClock, now: () => Number(time) },
    authorization: { vault: vaultFolder(folder) },
  },
);
writeSync(1, 'ready\n');
await new Promise(resolve => process.stdin.once('data', resolve));
await connection.start();
const outcome = await connection.run({ kind: 'tool', name: 'whoami' }).outcome;
writeSync(1, `${outcome.how}: ${outcome.result?.content[0].text}\n`);
await connection.stop();
process.exit(0);
