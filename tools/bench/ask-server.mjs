/**
 * One tool that asks one form question, written by one of the contenders, served over one carrier:
 * node tools/bench/ask-server.mjs SIDE stdio|http. Over HTTP it prints its URL and takes sessions the same way for every side.
 */

import { serveHttp } from '@midcall/server/node';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { sides } from './ask-sides.mjs';

const [side, carrier] = process.argv.slice(2);
const { factory, serveV1 } = sides[side];

if (serveV1) await serveV1(carrier);
else if (carrier === 'stdio') serveStdio(factory());
else {
  const serving = await serveHttp(factory(), { sessions: { max: 100_000 } });
  console.log(serving.url.href);
}

// For tools/bench/pending.mjs: collects when told to, and says so.
if (process.argv[4] === 'gc') {
  process.stdin.on('data', () => {
    for (let turn = 0; turn < 4; turn++) globalThis.gc?.();
    console.log('collected');
  });
}
