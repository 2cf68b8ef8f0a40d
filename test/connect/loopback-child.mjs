/** A process with a page open on its loopback server, and nothing else that keeps it: node loopback-child.mjs. Prints the link; ends with its input. */
import { writeSync } from 'node:fs';
import { idleClock } from '@midcall/core/time';
import { confirm, connect } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { keyRing } from '../../packages/server/dist/state/keys.js';
import { createSealer } from '../../packages/server/dist/state/seal.js';

const pages = connect({ name: 'Notes', reach: { kind: 'here', browser: false } });
const service = pages.attach({
  store: memoryStore(),
  sealer: createSealer(keyRing(Buffer.alloc(32, 9).map((byte, index) => byte + index))),
  clock: idleClock,
  warn: () => {},
  audit: () => {},
});
const { url } = await service.open({
  pageId: service.newPageId(),
  ...confirm(),
  message: 'Sure?',
  check: 'none',
  call: { method: 'tools/call', name: 'act' },
  arguments: {},
  askedAt: Date.now(),
  dueAt: Date.now() + 600_000,
});
writeSync(1, `${url}\n`);
process.stdin.resume();
