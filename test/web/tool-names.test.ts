/** Tools whose names contain words that the desk has in its own addresses. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { enter } from './client.ts';
import { stageOfFile, whenSo } from './stage.ts';

const words = [
  'mute',
  'complete',
  'template',
  'restart',
  'stop',
  'remove',
  'duplicate',
  'up',
  'down',
  'keep',
  'wire',
  'edit',
  'sign-out',
  'tools',
];
const names = words.flatMap(word => [word, `file_${word}`, `${word}_file`]);

const file = join(mkdtempSync(join(tmpdir(), 'midcall-names-')), 'server.mjs');
writeFileSync(
  file,
  `import { createInterface } from 'node:readline';
const tools = ${JSON.stringify(names)}.map(name => ({ name, inputSchema: { type: 'object' } }));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const reply = result => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize') reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  else if (method === 'tools/list') reply({ tools });
  else if (method === 'tools/call') reply({ content: [{ type: 'text', text: 'Ran ' + params.name }] });
  else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
}`,
);

const on = await stageOfFile();
const visitor = await enter(on.desk);

it('tools named like parts of the desk’s addresses run as any other, and do nothing to their server', async () => {
  const target = { kind: 'command' as const, command: process.execPath, args: [file] };
  await on.desk.addServer({ id: 's', target });
  await whenSo(on.desk, () => on.desk.workspace.servers.get('s')?.tools[0]);
  for (const name of names) {
    const { headers } = await visitor.post(`/servers/s/tools/${name}`, {});
    const path = String(headers['location']);
    expect(path, name).toMatch(/^\/calls\//);
    const call = path.replace('/calls/', '');
    const outcome = await whenSo(on.desk, () => on.desk.workspace.calls.get(call)?.outcome);
    expect(outcome).toMatchObject({ how: 'completed', result: { content: [{ text: `Ran ${name}` }] } });
  }
  expect(on.desk.workspace.servers.list().map(({ id, state }) => [id, state])).toEqual([['s', 'ready']]);
  expect((await visitor.post('/servers/s/setup', {})).status).toBe(404);
});
