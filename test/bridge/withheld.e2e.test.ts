/** What hosts are told of a server that dies: its command line and its last words may hold secrets, and are for the log alone. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandTarget } from '@midcall/host';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { httpStage } from './http-stage.ts';

/** Serves one call, which it dies of, and does not start again. */
const dying = `
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const mark = process.argv[2];
const die = () => process.stderr.write('cannot reach postgres://admin:DBPASS@10.0.0.7\\n', () => process.exit(1));
if (existsSync(mark)) die();
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method } = JSON.parse(line);
  const reply = result => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  const about = { protocolVersion: '2025-11-25', serverInfo: { name: 'dying', version: '1' } };
  if (method === 'initialize') reply({ ...about, capabilities: { tools: {}, resources: {} } });
  if (method !== 'tools/call') return;
  writeFileSync(mark, '');
  die();
});`;

const told = (answer: Promise<unknown>): Promise<string> =>
  answer.then(JSON.stringify, (error: Error) => error.message) as Promise<string>;

it('hosts are told that a server has stopped, and the log is told why', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'withheld-'));
  const file = join(folder, 'dying.mjs');
  writeFileSync(file, dying);
  const target = commandTarget([process.execPath, file, join(folder, 'mark'), '--api-key=KEY123']);
  await using on = await httpStage({ upstream: '2025-11-25', target });
  const client = new Client({ name: 'host', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(on.url));
  const call = () => told(client.callTool({ name: 'go' }));
  const [died, again] = [await call(), await call()];
  const list = await told(client.listResources());
  await client.close();
  expect(died).toContain("The server 'upstream' has stopped. Whoever runs this bridge finds the reason in its log.");
  // It may have acted before it died; the others were never sent.
  expect(died).toContain('What this call did is in doubt: find out what took effect before calling again.');
  expect([again, list].join()).not.toContain('in doubt');
  for (const text of [again, list])
    expect(text).toContain("The server 'upstream' could not be started again. Whoever runs this bridge");
  expect([died, again, list].join()).not.toMatch(/dying|KEY123|DBPASS/u);
  expect(on.warned).toEqual([
    expect.stringMatching(/^'upstream': The server has stopped\. It last said: .*DBPASS/u),
    expect.stringMatching(/KEY123.*DBPASS/u),
    expect.stringMatching(/KEY123.*DBPASS/u),
  ]);
});
