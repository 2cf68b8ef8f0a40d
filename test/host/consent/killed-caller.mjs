/**
 * A host that calls a tool once, asks before it, and may die: node killed-caller.mjs LOG CONSENT NAME REPLY DIE_AT. Prints `asked` with
 * why, and `ended` with the disposition; the tool adds NAME to LOG. Ends itself with SIGKILL after its DIE_AT-th operation on files,
 * which no call reaches if that is 0, or as soon as the tool has done that, if DIE_AT is `once made`.
 */
import files, { writeSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [log, consent, name, action, dieAt] = process.argv.slice(2);
const say = text => writeSync(1, `${text}\n`);
let operations = -1;
const done = () => {
  if (operations < 0) return;
  operations += 1;
  if (operations === Number(dieAt)) process.kill(process.pid, 'SIGKILL');
};
const counted = ['open', 'writeFile', 'appendFile', 'link', 'unlink', 'rename', 'rm', 'mkdir', 'stat', 'readFile'];
for (const [of, names] of [
  [promises, counted],
  [files, counted.map(each => `${each}Sync`)],
]) {
  for (const each of names) {
    const operation = of[each];
    of[each] = (...args) => {
      const result = operation(...args);
      if (result instanceof Promise) return result.finally(done);
      done();
      return result;
    };
  }
}
syncBuiltinESMExports();

const { attach, consentFile, Inbox, Rules } = await import('@midcall/host');
const { Client } = await import('@modelcontextprotocol/client');
const { InMemoryTransport, McpServer } = await import('@modelcontextprotocol/server');

const server = new McpServer({ name: 'killed', version: '1.0.0' });
server.registerTool('act', {}, () => {
  files.appendFileSync(log, `${name}\n`);
  if (dieAt === 'once made') process.kill(process.pid, 'SIGKILL');
  return { content: [{ type: 'text', text: 'done' }] };
});
const inbox = new Inbox();
inbox.present({
  via: 'test',
  show({ why }, { reply }) {
    say(`asked ${why}`);
    void reply({ action });
  },
});
const client = new Client({ name: 'killed-caller', version: '1.0.0' });
// The name is in the address of the server, so that each has calls of its own.
const rules = new Rules({ rules: [{ server: '*', tools: '*', effect: 'ask' }], consent: consentFile(consent) });
const attachment = attach(client, { server: { id: 'killed', origin: `node ${name}` }, inbox, rules });
const [near, far] = InMemoryTransport.createLinkedPair();
await server.connect(far);
await client.connect(near);
operations = 0;
const { _meta } = await attachment.run({ kind: 'tool', name: 'act' });
say(`ended ${_meta['io.github.midcall/disposition']}`);
process.exit(0);
