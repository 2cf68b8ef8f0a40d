/** Seeing into a server: the messages on the wire, its logs and its standard error, as they were before anybody looked. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@midcall/core/time';
import type { Connection } from '@midcall/host';
import { expect, it } from 'vitest';
import { Wire } from '../../packages/host/src/web/workspace/wire.ts';
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
  const inRounds = process.argv[2] === '2026-07-28';
  const more = inRounds && { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  const about = { capabilities: { tools: {}, logging: {} }, serverInfo: { name: 's', version: '1' } };
  if (method === 'server/discover' && inRounds) write({ id, result: { ...more, ...about, supportedVersions: ['2026-07-28'] } });
  else if (method === 'initialize') write({ id, result: { protocolVersion: '2025-11-25', ...about } });
  else if (method === 'tools/list') write({ id, result: { ...more, tools } });
  else if (method === 'tools/call') {
    const level = params._meta?.['io.modelcontextprotocol/logLevel'];
    if (!inRounds || level === 'debug') write({ method: 'notifications/message', params: { level: 'debug', logger: 'db', data: 'a small thing' } });
    if (!inRounds || level) write({ method: 'notifications/message', params: { level: 'error', logger: 'db', data: { pond: '<b>frozen</b>' } } });
    write({ id, result: { ...more, content: [{ type: 'text', text: params.arguments.what }] } });
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
/** A connection of which only the messages matter. */
function silentConnection() {
  let listener: Parameters<Connection['wire']['subscribe']>[0] = () => {};
  const subscribe = (each: typeof listener) => {
    listener = each;
    return () => {
      listener = () => {};
    };
  };
  const connection = { wire: { subscribe } } as unknown as Connection;
  return { connection, hear: (message: Record<string, unknown>) => listener({ direction: 'received', message }) };
}

const page = async (query = '') => (await visitor.get(`/servers/s/wire${query}`)).text;
const press = (what: string) => visitor.post('/servers/s/wire', { do: what });

it('whoever opens the page sees what has just crossed, but nothing from a pause, with secrets masked', async () => {
  await look('before');
  expect(await page()).toContain('&quot;what&quot;: &quot;before&quot;');
  await press('pause');
  await look('between');
  await press('clear');
  expect(await page()).toContain('Paused: nothing is being recorded.');
  await press('resume');
  await look('after');
  await page();
  await whenSo(on.desk, () => workspace.servers.connection('s').stderr[1]);
  const text = await page();
  for (const said of [/>tools\/call · \d+</, />result · \d+ · tools\/call</]) expect(text).toMatch(said);
  expect(text).toContain('&quot;what&quot;: &quot;after&quot;');
  expect(text).not.toMatch(/&quot;what&quot;: &quot;(?:before|between)&quot;|otter-pass-3391/);
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

it('open pages are told of the next message after somebody looked, and of none that nobody looks at', async () => {
  const { connection, hear } = silentConnection();
  let told = 0;
  const wire = new Wire(systemClock, () => {
    told += 1;
  });
  wire.follow('q', connection);
  for (let at = 0; at < 3; at += 1) hear({ at });
  expect(told).toBe(0);
  wire.frames('q');
  for (let at = 0; at < 3; at += 1) hear({ at });
  expect(told).toBe(1);
  wire.frames('q');
  wire.wrote('q');
  expect(told).toBe(2);
});

it('wire-P1: no message is written out before somebody looks', () => {
  const { connection, hear } = silentConnection();
  const wire = new Wire(systemClock, () => {});
  const end = wire.follow('q', connection);
  let written = 0;
  const said = {
    toJSON: () => {
      written += 1;
      return 'said';
    },
  };
  hear({ method: 'm', params: { said } });
  expect(written).toBe(0);
  expect(wire.frames('q')[0]?.text).toContain('said');
  end();
  hear({ method: 'after' });
  expect(wire.frames('q')).toEqual([]);
});

it('the log messages of each call are asked for where a server sends no others', async () => {
  await workspace.servers.add({ id: 'r', target: { ...target, args: [file, '2026-07-28'] } });
  await whenSo(on.desk, () => workspace.servers.get('r')?.tools[0]);
  expect(workspace.servers.get('r')?.era).toBe('2026-07-28');
  const id = await workspace.calls.run('r', { kind: 'tool', name: 'look', arguments: { what: 'a duck' } });
  await whenSo(on.desk, () => workspace.calls.get(id)?.outcome);
  const { text } = await visitor.get('/servers/r/wire');
  for (const said of ['a small thing</td>', '&lt;b&gt;frozen']) expect(text).toContain(said);
});

it('messages are filtered by text and level, and what a server logs is shown as text', async () => {
  const all = await page();
  expect(all).toContain('a small thing</td>');
  expect(all).toContain('&lt;b&gt;frozen');
  expect(await page('?level=error')).not.toContain('a small thing</td>');
  expect((await page('?q=nowhere')).match(/No message matches\./g)).toHaveLength(2);
  expect((await page('?q=tools/call')).match(/data-key="f-/g)).toHaveLength(1);
});

it('wire-P2: a bounded end of a long exchange is kept, and of a message that is too large what it was', () => {
  const { connection, hear } = silentConnection();
  const wire = new Wire(systemClock, () => {});
  wire.follow('q', connection);
  for (let at = 0; at < 700; at += 1) hear({ method: 'm', params: { at } });
  expect(wire.frames('q')).toHaveLength(500);
  expect(wire.frames('q').at(-1)).toMatchObject({ number: 700, message: { params: { at: 699 } } });
  hear({ jsonrpc: '2.0', id: 7, result: { text: 'y'.repeat(300_000) } });
  hear({ jsonrpc: '2.0', id: 'i'.repeat(300_000), result: Array.from({ length: 300_000 }, () => 1) });
  const [first, second] = wire.frames('q').slice(-2);
  expect(first).toMatchObject({ message: { jsonrpc: '2.0', id: 7, tooLarge: 'more than 200,000 characters' } });
  expect(second!.text.length).toBeLessThan(1_000);
  for (let at = 0; at < 12; at += 1) hear({ method: 'm', params: { text: `${at}`.repeat(150_000 / `${at}`.length) } });
  expect(wire.frames('q').reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(1_000_000);
});
