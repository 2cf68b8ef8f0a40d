/** Calls of earlier sessions: kept, found, run again, and forgotten. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Audit, Connection, Inbox, machineDisk, OfferedRoots, Policy } from '@midcall/host';
import { callFile, deskFile, type RunningDesk, startDesk } from '@midcall/host/web';
import { expect, it, onTestFinished } from 'vitest';
import { maskedArguments } from '../../packages/host/src/question/secrets.ts';
import { lineDiff } from '../../packages/host/src/web/pages/compare-page.ts';
import { eventually } from '../fixtures/grown.ts';
import { enter } from './client.ts';
import { noClient } from './stage.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'midcall-calls-'));
const box = { seal: (text: string) => text, open: (text: string) => text };

const server = join(folder(), 'server.mjs');
writeFileSync(
  server,
  `import { createInterface } from 'node:readline';
const property = { type: 'string' };
const tools = ['look', 'wipe'].map(name => ({ name, inputSchema: { type: 'object', properties: { what: property, password: property } } }));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const reply = result => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize') reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  else if (method === 'tools/list') reply({ tools });
  else if (method === 'tools/call' && params.arguments.what === 'never') continue;
  else if (method === 'tools/call') reply({ content: [{ type: 'text', text: 'Looked at ' + params.arguments.what }], isError: params.name === 'wipe' });
  else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
}`,
);

async function session(place: string) {
  const parts = {
    inbox: new Inbox(),
    policy: new Policy(),
    audit: new Audit(),
    roots: new OfferedRoots({ disk: machineDisk }),
  };
  const desk: RunningDesk = await startDesk({
    ...parts,
    client: noClient(),
    connect: entry => new Connection(entry, { client: { name: 'midcall-test', version: '0' }, ...parts }),
    memory: deskFile(join(place, 'desk.json'), box),
    calls: callFile(join(place, 'calls.jsonl')),
  });
  onTestFinished(() => desk.stop({ within: 0 }));
  const visitor = await enter(desk);
  await desk.addServer({ id: 's', target: { kind: 'command', command: process.execPath, args: [server] } });
  const run = async (tool: string, fields: Record<string, string>) => {
    while ((await visitor.get(`/servers/s/tools/${tool}`)).status !== 200);
    const path = String((await visitor.post(`/servers/s/tools/${tool}`, fields)).headers['location']);
    while (!/Looked at/.test((await visitor.get(path)).text));
    return path;
  };
  return { desk, visitor, run };
}

const rows = (text: string): string[] =>
  [...text.slice(0, text.indexOf('>Questions<')).matchAll(/class="mono" href="(\/calls\/[^"]+)"/g)].map(
    ([, path]) => path!,
  );

it('calls are there in the next session, with their results, to be run again', async () => {
  const place = folder();
  const one = await session(place);
  const path = await one.run('look', { f0: 'the pond', f1: 'heron-pass-7714' });
  await one.desk.stop({ within: 0 });
  const kept = readFileSync(join(place, 'calls.jsonl'), 'utf8');
  expect(kept).toContain('Looked at the pond');
  expect(kept).not.toContain('heron-pass-7714');
  expect(statSync(join(place, 'calls.jsonl')).mode & 0o077).toBe(0);

  const { visitor } = await session(place);
  expect(rows((await visitor.get('/history')).text)).toEqual([path]);
  expect((await visitor.get(path)).text).toContain('This call is from an earlier session');
  let again = await visitor.get(`/servers/s/tools/look?from=${path.replace('/calls/', '')}`);
  while (again.status !== 200) again = await visitor.get(`/servers/s/tools/look?from=${path.replace('/calls/', '')}`);
  expect(again.text).toContain('value="the pond"');
  expect(again.text).not.toMatch(/value="•+"/);
});

it('calls are searched by tool and argument, and filtered by server and outcome', async () => {
  const { visitor, run } = await session(folder());
  const [a, b] = [await run('look', { f0: 'ducks' }), await run('wipe', { f0: 'geese' })];
  const found = async (query: string) => rows((await visitor.get(`/history?${query}`)).text);
  expect(await found('')).toEqual([b, a]);
  expect(await found('q=duck')).toEqual([a]);
  expect(await found('q=wipe+geese')).toEqual([b]);
  expect(await found('outcome=tool-error')).toEqual([b]);
  expect(await found('server=s&outcome=completed')).toEqual([a]);
  expect((await visitor.get('/history?server=other')).text).toContain('No call matches.');
});

it('calls are not kept where the person wants none, and go where they are cleared', async () => {
  const place = folder();
  const { visitor, run } = await session(place);
  await run('look', { f0: 'one' });
  await visitor.post('/preferences/history', { keep: 'off' });
  await run('look', { f0: 'two' });
  let kept = await callFile(join(place, 'calls.jsonl')).read();
  while (kept.length === 0) kept = await callFile(join(place, 'calls.jsonl')).read();
  expect(kept.map(call => call.context.arguments)).toEqual([{ what: 'one' }]);
  await visitor.post('/history/clear', {});
  expect(rows((await visitor.get('/history')).text)).toEqual([]);
  expect(await callFile(join(place, 'calls.jsonl')).read()).toEqual([]);
});

it('call-file-C4: calls are there from their beginning, and in doubt if their desk was killed before they ended', async () => {
  const place = folder();
  const path = join(place, 'calls.jsonl');
  const { visitor } = await session(place);
  while ((await visitor.get('/servers/s/tools/look')).status !== 200);
  const at = String(
    (await visitor.post('/servers/s/tools/look', { f0: 'never', f1: 'heron-pass-7715' })).headers['location'],
  );
  const stored = () => readFileSync(path, 'utf8').split('\n').filter(Boolean);
  await eventually(() => existsSync(path) && stored().length === 1);
  expect(stored()[0]).not.toContain('heron-pass-7715');
  // It is still running.
  expect(await callFile(path).read()).toEqual([]);
  const killed = spawn(process.execPath, ['-e', '']);
  await once(killed, 'exit');
  const { by, ...begun } = JSON.parse(stored()[0]!);
  expect(by).toMatchObject({ pid: process.pid });
  const later = folder();
  const copy = join(later, 'calls.jsonl');
  writeFileSync(copy, `${JSON.stringify({ ...begun, by: { ...by, pid: killed.pid } })}\n`);
  expect(await callFile(copy).read()).toMatchObject([
    { context: { name: 'look', arguments: { what: 'never' } }, outcome: { how: 'abandoned', inDoubt: true } },
  ]);
  const next = await session(later);
  expect(rows((await next.visitor.get('/history')).text)).toEqual([at]);
  expect((await next.visitor.get(at)).text).toContain('how it ended is not known. It may have taken effect.');
  // Once it has ended, that is what is stored of it.
  await callFile(copy).add({ ...begun, endedAt: 1, outcome: { how: 'cancelled' } });
  expect(await callFile(copy).read()).toMatchObject([{ outcome: { how: 'cancelled' } }]);
});

const call = (at: number, text = '') => ({
  context: { id: `c-${at}`, kind: 'tool' as const, name: 't', arguments: {} },
  serverId: 's',
  startedAt: at,
  endedAt: at,
  outcome: { how: 'completed' as const, result: { content: [{ type: 'text', text }] } },
});

it('calls are bounded in number and size, and lines that a crash cut off are left out', async () => {
  const path = join(folder(), 'calls.jsonl');
  writeFileSync(path, Array.from({ length: 1_500 }, (_, at) => JSON.stringify(call(at))).join('\n'));
  const file = callFile(path);
  appendFileSync(path, '\n{"context":{"id":"cut');
  await file.add(call(2_000, 'x'.repeat(100_000)));
  await file.add(call(2_001, 'small'));
  const all = await file.read();
  expect(all.length).toBeLessThanOrEqual(1_000);
  expect(all.at(-2)).toMatchObject({ startedAt: 2_000, outcome: { result: { tooLarge: true } } });
  expect(all.at(-1)).toEqual(call(2_001, 'small'));
  expect(readFileSync(path, 'utf8').length).toBeLessThan(300_000);
});

it('a thousand calls are shown in pages', async () => {
  const place = folder();
  writeFileSync(
    join(place, 'calls.jsonl'),
    Array.from({ length: 1_000 }, (_, at) => `${JSON.stringify(call(at))}\n`).join(''),
  );
  const { visitor } = await session(place);
  const first = (await visitor.get('/history')).text;
  expect(rows(first)).toHaveLength(100);
  expect(first).toContain('1 to 100 of 1000');
  expect(rows((await visitor.get('/history?from=900')).text)).toHaveLength(100);
});

it('call-file-C2: all below a name that stands for a secret is masked', () => {
  const given = {
    credentials: { password: { value: 'sesame-4713', tries: [4714] } },
    api_key: [{ of: 'sesame-4715' }],
  };
  const masked = maskedArguments({ ...given, note: { text: 'open' } });
  expect(JSON.stringify(masked)).not.toMatch(/471[345]/);
  expect(masked['note']).toEqual({ text: 'open' });
});

it('two of one tool are compared: their arguments and what came of them', async () => {
  const { visitor, run, desk } = await session(folder());
  const first = await run('look', { f0: 'the pond', f1: 'heron-pass-7715' });
  expect((await visitor.get(first)).text).not.toContain('/compare');
  const second = await run('look', { f0: 'the lake', f1: 'heron-pass-7715' });
  expect((await visitor.get(second)).text).toContain(`href="${second}/compare"`);
  const lines = (text: string, how: string) =>
    [...text.matchAll(new RegExp(`<span class="diff-${how}">.*?</span>.*?</span>([^<]*)</span>`, 'g'))].map(
      ([, line]) => line,
    );
  const { text } = await visitor.get(`${second}/compare`);
  expect(lines(text, 'went')).toEqual(['  &quot;what&quot;: &quot;the pond&quot;,', 'Looked at the pond']);
  expect(lines(text, 'came')).toEqual(['  &quot;what&quot;: &quot;the lake&quot;,', 'Looked at the lake']);
  expect(text).not.toContain('heron-pass-7715');
  const third = await run('look', { f0: 'the lake', f1: '' });
  const named = await visitor.get(`${third}/compare?with=${first.replace('/calls/', '')}`);
  expect(lines(named.text, 'went')).toContain('Looked at the pond');
  expect((await visitor.get(`${third}/compare`)).text).toContain('No difference.');
  expect((await visitor.get(`${third}/compare?with=nothing`)).status).toBe(404);
  await desk.stop({ within: 0 });
});

it('what has too little in common is shown as the one and then the other, and what is equal is folded', () => {
  const many = (word: string) => Array.from({ length: 5_000 }, (_, at) => `${word} ${at}`).join('\n');
  const { text } = lineDiff(many('one'), many('other'), 'Result');
  expect(text.indexOf('diff-went')).toBeLessThan(text.indexOf('diff-came') < 0 ? Infinity : text.indexOf('diff-came'));
  expect(text).toMatch(/\d more/);
  expect(lineDiff(many('same'), `${many('same')}\nlast`, 'Result').text).toContain('4997 unchanged lines');
  // Nothing has no line, not an empty one.
  expect(lineDiff('gone', '', 'Result').text).not.toContain('diff-came');
});
