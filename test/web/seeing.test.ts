/** Seeing into a server: the messages on the wire, its logs and its standard error, while the person records. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { enter } from './client.ts';
import { stageOfFile, whenSo } from './stage.ts';

const file = join(mkdtempSync(join(tmpdir(), 'midcall-wire-')), 'server.mjs');
writeFileSync(
  file,
  `import { createInterface } from 'node:readline';
process.stderr.write('listening\\nconnected to the pond\\n');
const tools = [{ name: 'look', inputSchema: { type: 'object', properties: { what: { type: 'string' }, password: { type: 'string' } } } }];
const write = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') write({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {}, logging: {} }, serverInfo: { name: 's', version: '1' } } });
  else if (method === 'tools/list') write({ id, result: { tools } });
  else if (method === 'tools/call') {
    write({ method: 'notifications/message', params: { level: 'debug', logger: 'db', data: 'a small thing' } });
    write({ method: 'notifications/message', params: { level: 'error', logger: 'db', data: { pond: '<b>frozen</b>' } } });
    write({ id, result: { content: [{ type: 'text', text: params.arguments.what }] } });
  } else if (id !== undefined) write({ id, error: { code: -32601, message: 'no' } });
}`,
);

const on = await stageOfFile();
const visitor = await enter(on.desk);
const { workspace } = on.desk;
const target = { kind: 'command' as const, command: process.execPath, args: [file] };
await workspace.servers.add({ id: 's', target });
await whenSo(on.desk, () => workspace.servers.get('s')?.tools[0]);

async function look(what: string): Promise<void> {
  const id = await workspace.calls.run('s', {
    kind: 'tool',
    name: 'look',
    arguments: { what, password: 'otter-pass-3391' },
  });
  await whenSo(on.desk, () => workspace.calls.get(id)?.outcome);
}
const page = async (query = '') => (await visitor.get(`/servers/s/wire${query}`)).text;
const press = (what: string) => visitor.post('/servers/s/wire', { do: what });

it('shows what crosses while it is recorded, and nothing before or after, with secrets masked', async () => {
  await look('before');
  expect(await page()).toContain('Nothing is recorded.');
  await press('record');
  await look('during');
  await press('pause');
  await look('after');
  const text = await page();
  expect(text).toContain('tools/call · ');
  expect(text).toContain('&quot;what&quot;: &quot;during&quot;');
  expect(text).not.toMatch(/&quot;what&quot;: &quot;(?:before|after)&quot;|otter-pass-3391/);
  expect(text).toContain('connected to the pond');
  const lines = (await visitor.get('/servers/s/wire.jsonl')).text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  expect(lines.map(({ direction, message }) => [direction, message.method ?? 'result'])).toEqual([
    ['sent', 'tools/call'],
    ['received', 'notifications/message'],
    ['received', 'notifications/message'],
    ['received', 'result'],
  ]);
  expect(JSON.stringify(lines)).not.toContain('otter-pass-3391');
});

it('filters by text and by the level of log messages, and shows what a server logs as text', async () => {
  const all = await page();
  expect(all).toContain('a small thing</td>');
  expect(all).toContain('&lt;b&gt;frozen');
  expect(await page('?level=error')).not.toContain('a small thing</td>');
  expect(await page('?q=nowhere')).toContain('No message fits.');
  expect((await page('?q=tools/call')).match(/data-key="f-/g)).toHaveLength(1);
});

it('keeps a bounded end of a long recording', async () => {
  await press('clear');
  await press('record');
  for (let at = 0; at < 150; at += 1) await look(`n${at}`);
  expect(workspace.wire.frames('s')).toHaveLength(500);
  await look('y'.repeat(300_000));
  expect(workspace.wire.frames('s').at(-1)).toMatchObject({ message: { jsonrpc: '2.0' } });
  expect(workspace.wire.frames('s').at(-1)!.text.length).toBeLessThan(1_000);
  await press('pause');
  expect((await page()).length).toBeLessThan(400_000);
});
