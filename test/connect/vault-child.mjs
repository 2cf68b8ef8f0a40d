/**
 * One process among several that replaces credentials of one person, started by the tests:
 * node vault-child.mjs KIND WHERE KEY DIE_AT PHASE FROM
 *
 * Prints a line before and after each credential. Ends itself with SIGKILL at the DIE_AT-th command to the store:
 * PHASE `before` it is sent, once it is `sent`, or `after` it has come back; DIE_AT 0 for never.
 */
import { createHash, randomBytes } from 'node:crypto';
import { provider, vault } from '@midcall/server/connect';
import { openStore } from '../stores/open-store.mjs';

const [kind, where, key, dieAt, phase, from] = process.argv.slice(2);
// Blocks while the pipe is full, where `writeSync` would throw.
const say = line => process.stdout.write(`${line}\n`);
const { store } = await openStore(kind, where);

let commands = 0;
const die = () => process.kill(process.pid, 'SIGKILL');
const dying =
  method =>
  async (...args) => {
    const last = ++commands === Number(dieAt);
    if (last && phase === 'before') die();
    const result = method(...args);
    // A turn of the event loop, in which the command leaves this process.
    if (last && phase === 'sent') setImmediate(die);
    const value = await result;
    if (last) die();
    return value;
  };
const kept = vault({
  key,
  store: {
    ...store,
    ...Object.fromEntries(['get', 'set', 'delete', 'take'].map(name => [name, dying(store[name])])),
  },
});

const owner = { issuer: 'https://login.example', subject: 'alice' };
const notes = provider({
  id: 'notes',
  issuer: 'https://provider.example',
  clientId: 'midcall',
  metadata: { token_endpoint: 'https://provider.example/token' },
});
const keep = {
  'key-1': secret => kept.put(owner, 'key-1', secret),
  'key-2': secret => kept.put(owner, 'key-2', secret),
  'sign-in': accessToken => kept.keepSignIn(owner, notes, { accessToken, scopes: [] }),
};
const names = Object.keys(keep);

for (let at = Number(from); ; at++) {
  const name = names[at % names.length];
  const secret = randomBytes(700).toString('base64');
  const digest = createHash('sha256').update(secret).digest('base64');
  say(`keeping ${name} ${digest}`);
  await keep[name](secret);
  say(`kept ${name} ${digest}`);
}
