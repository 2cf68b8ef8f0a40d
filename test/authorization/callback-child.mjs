/** A process that waits for a browser to return, and for nothing else: node callback-child.mjs. Prints the address; stops waiting when a line comes. */
import { writeSync } from 'node:fs';
import { CallbackListener } from '../../packages/host/dist/authorization/callback-listener.js';

const listener = await CallbackListener.open();
writeSync(1, `${listener.redirectUri}\n`);
process.stdin.once('data', () => {
  listener.close();
  process.stdin.destroy();
});
