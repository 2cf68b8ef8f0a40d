/** A desk with ten servers of a hundred tools each: found, folded, and small enough to be sent. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toolList } from '../../packages/host/src/web/pages/server-parts.ts';
import type { OfferView } from '../../packages/host/src/web/workspace/views.ts';
import { enter } from './client.ts';
import { pickOne, stageOfFile, whenSo } from './stage.ts';

const file = join(mkdtempSync(join(tmpdir(), 'midcall-many-')), 'server.mjs');
writeFileSync(
  file,
  `import { createInterface } from 'node:readline';
const tools = Array.from({ length: 100 }, (_, at) => ({ name: process.argv[2] + '_tool_' + at, description: 'Sharpens item ' + at, inputSchema: { type: 'object' } }));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  const reply = result => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize') reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: process.argv[2], version: '1' } });
  else if (method === 'tools/list') reply({ tools });
  else if (method === 'tools/call') reply({ content: [] });
  else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
}`,
);

const on = await stageOfFile();
const visitor = await enter(on.desk);
const names = Array.from({ length: 10 }, (_, at) => `server${at}`);
await Promise.all(
  names.map(async id => {
    const target = { kind: 'command' as const, command: process.execPath, args: [file, id] };
    await on.desk.workspace.servers.add({ id, target });
    await whenSo(on.desk, () => on.desk.workspace.servers.get(id)?.tools[0]);
  }),
);

const linksIn = (text: string): string[] =>
  [...text.matchAll(/class="found" href="([^"]+)"/g)].map(([, path]) => path!);
const find = async (query: string): Promise<string[]> =>
  linksIn((await visitor.get(`/find?q=${encodeURIComponent(query)}`)).text);

it('the first page has one row for each server, and no tool on it', async () => {
  const { text } = await visitor.get('/');
  expect(text.match(/class="server-row"/g)).toHaveLength(10);
  expect(text).not.toContain('_tool_');
  expect(text).toContain('100 tools');
  expect(text.length).toBeLessThan(40_000);
});

it('the first tools of the server that a page is about are listed, and those of a server that is unfolded', async () => {
  const tools = async () =>
    new Set(
      (await visitor.get('/servers/server3')).text.match(/(?<=class="tool"><span class="mono">)server\d+_tool_\d+/g),
    ).size;
  expect(await tools()).toBe(30);
  await visitor.post('/preferences/fold', { server: 'server5', folded: 'false' });
  expect(await tools()).toBe(60);
  await visitor.post('/preferences/fold', { server: 'server3', folded: 'true' });
  expect(await tools()).toBe(30);
});

it('no fold is remembered of a server that is not there', async () => {
  await visitor.post('/preferences/fold', { server: 'nobody', folded: 'true' });
  expect(on.desk.workspace.preferences.isFolded('nobody')).toBeUndefined();
});

it('tools are found by parts of their names, the best match first, with how many more there are', async () => {
  expect((await find('server7_tool_42'))[0]).toBe('/servers/server7/tools/server7_tool_42');
  expect(await find('tool_42 server7')).toEqual(['/servers/server7/tools/server7_tool_42']);
  expect(await find('tool')).toHaveLength(50);
  expect((await visitor.get('/find?q=tool')).text).toContain('and 950 more');
  expect((await visitor.get('/find?q=nowhere')).text).toContain('Nothing matches.');
});

it('servers, pages and open questions are found, and tools by what they do', async () => {
  expect((await find('server4'))[0]).toBe('/servers/server4');
  expect((await find('audit'))[0]).toBe('/audit');
  expect(await find('sharpens 42')).toHaveLength(10);
  const question = pickOne(undefined);
  void on.inbox.ask(question);
  expect(await find('TPS')).toEqual([`/questions/${question.id}#q-${question.id}`]);
  expect((await find(''))[0]).toBe(`/questions/${question.id}#q-${question.id}`);
  on.inbox.end(question.id, { how: 'withdrawn' });
});

it('what was used is found before what was not', async () => {
  await on.desk.workspace.calls.run('server9', { kind: 'tool', name: 'server9_tool_77', arguments: {} });
  expect((await find('77'))[0]).toBe('/servers/server9/tools/server9_tool_77');
  expect((await find(''))[0]).toBe('/servers/server9/tools/server9_tool_77');
});

it('what a server writes as a name is shown as text', async () => {
  expect((await visitor.get('/find?q=%3Cscript%3E')).text).not.toContain('<script>alert');
  expect((await visitor.get('/find?q=%22%3E%3Cb%3E')).text).toContain('value="&quot;&gt;&lt;b&gt;"');
});

it('the desk has the colours that the person chose, and those of the system again', async () => {
  await visitor.post('/preferences/theme', { theme: 'dark' });
  expect((await visitor.get('/')).text).toContain('<html lang="en" data-theme="dark">');
  await visitor.post('/preferences/theme', { theme: 'system' });
  expect((await visitor.get('/settings')).text).toContain('<html lang="en">');
});

it('a server’s page says once that its tools do not say what they change, and the page of each that it is unknown', async () => {
  const { text } = await visitor.get('/servers/server3');
  expect(text.split('The server does not say what these tools change.')).toHaveLength(2);
  expect(text).not.toMatch(/class="chip hint|may destroy/);
  expect((await visitor.get('/servers/server3/tools/server3_tool_7')).text).toMatch(/hint-unknown[^>]*>unknown</);
});

it('a tool is said to be able to destroy something only where its server says so', () => {
  const tool = (name: string, annotations: NonNullable<OfferView['annotations']>) => ({
    name,
    annotations,
    inputSchema: {},
  });
  const tools = [
    tool('wipe', { destructiveHint: true }),
    tool('paint', { readOnlyHint: false }),
    tool('look', { readOnlyHint: true }),
  ];
  const server = { ...on.desk.workspace.servers.get('server3')!, tools };
  const { text } = toolList(server, { csrf: '', link: path => path });
  expect(
    text
      .match(/(?<=class="name"><span class="mono">)\w+<.*?(?=<\/a>)/g)!
      .map(each => [/^\w+/.exec(each)![0], each.match(/(?<=hint">)[^<]+/g)]),
  ).toEqual([
    ['wipe', ['may destroy data']],
    ['paint', null],
    ['look', ['read-only']],
  ]);
  expect(text).toContain('The server does not say what 1 of these 3 tools changes.');
});
