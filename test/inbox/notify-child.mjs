/**
 * A process that shares inboxes with a test, until it is killed: node notify-child.mjs WHERE KEY HOST DOES
 *
 * `ask` asks Ada and never tells anybody; `tell` tells whoever was asked. It prints `ready`.
 */
import { randomUUID } from 'node:crypto';
import { openInbox, openInboxStore } from '@midcall/inbox';
import { provider } from '@midcall/server/connect';

const [where, key, host, does] = process.argv.slice(2);
if (does === 'ask') {
  const store = await openInboxStore({ where, key });
  const question = {
    ...{ id: randomUUID(), kind: 'form', message: 'Sure?', fields: [], askedAt: Date.now() },
    asker: { id: 'notes', name: 'Notes', origin: 'notes', era: '2026' },
  };
  await store.ask({ principal: 'ada', question, owner: { reply: async () => ({ ok: true }), end() {} } });
} else {
  const issuer = provider({ id: 'login', issuer: 'http://localhost:9', clientId: 'inbox', clientSecret: 'x' });
  await openInbox({ where, key, issuer, publicUrl: new URL('http://localhost:8080'), allowedTargets: [host] });
}
process.stdout.write('ready\n');
