/** A server whose output schemas freeze others: real processes on both sides of `call`, bridge and desk. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { attach, type CallOutcome, Connection, commandTarget, type Era, Inbox } from '@midcall/host';
import { negotiation } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownEnvironment } from '../../fixtures/own-environment.ts';
import { few } from '../../fixtures/soak.ts';

const main = fileURLToPath(new URL('../../../packages/midcall/bin/midcall.js', import.meta.url));
const hostile = fileURLToPath(new URL('../../fixtures/schema-server.mjs', import.meta.url));

/** Tools of the server, and what is to become of their results. */
const tools: readonly (readonly [tool: string, verdict: 'fits' | 'differs' | 'unchecked'])[] = [
  ['pattern', 'differs'],
  ['bomb', 'unchecked'],
  ['unique', 'fits'],
];
const expected = (verdict: string, tool: string) => ({
  how: 'completed',
  result: expect.objectContaining({ content: [{ type: 'text', text: `given by ${tool}` }] }),
  ...(verdict === 'differs' && { misfit: expect.stringContaining('must match the pattern') }),
  ...(verdict === 'unchecked' && { unchecked: expect.any(String) }),
});

describe.each<Era>(few(['2025-11-25', '2026-07-28'], '2026-07-28'))('an output schema of a stranger, %s', era => {
  it.each(tools)('`midcall call` judges the output schema of the tool %s at once: %s', async (tool, verdict) => {
    const words = ['call', tool, '--json', '--era', era, '--', process.execPath, hostile];
    const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', chunk => (out += chunk));
    const [code] = await once(child, 'close');
    const outcome = JSON.parse(out) as CallOutcome;
    expect(outcome).toMatchObject(expected(verdict, tool));
    if (verdict === 'fits') expect(Object.keys(outcome)).toEqual(['how', 'result']);
    expect(code).toBe(0);
  });

  it('a stranger’s output schema leaves a bridge free to answer, and to end', async () => {
    const words = [process.execPath, main, 'bridge', '--era', era, '--', process.execPath, hostile];
    const target = { ...commandTarget(words), env: ownEnvironment() };
    const options = { client: { name: 'host', version: '1.0.0' }, inbox: new Inbox(), era };
    const connection = new Connection({ id: 'bridge', target }, options);
    await connection.start();
    await connection.catalogue();
    const run = (name: string) => connection.run({ kind: 'tool', name }).outcome;
    const [bomb, plain] = await Promise.all([run('bomb'), run('plain')]);
    expect([bomb, plain]).toMatchObject([{ how: 'completed' }, { how: 'completed' }]);
    expect(await run('pattern')).toMatchObject(expected('differs', 'pattern'));
    await connection.stop();
  });

  it('a host’s own client that a person is attached to judges a stranger’s output schema the same way', async () => {
    const client = new Client({ name: 'own', version: '1.0.0' }, { versionNegotiation: negotiation(era) });
    const attachment = attach(client, { server: { id: 'own', origin: 'own' }, inbox: new Inbox() });
    const outcomes: CallOutcome[] = [];
    attachment.subscribe(event => event.type === 'call-ended' && outcomes.push(event.outcome));
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [hostile], stderr: 'ignore' }));
    await client.listTools();
    await expect(client.callTool({ name: 'pattern' })).rejects.toThrow('must match the pattern');
    await expect(client.callTool({ name: 'lookahead' })).resolves.toMatchObject({ structuredContent: { a: 'b' } });
    await client.callTool({ name: 'plain' });
    expect(outcomes).toMatchObject([
      { how: 'abandoned', inDoubt: true },
      { how: 'completed', unchecked: 'the schema has a pattern that is not checked here' },
      { how: 'completed' },
    ]);
    expect(outcomes[2]).not.toHaveProperty('unchecked');
    await client.close();
  });
});

describe('a desk with a hostile server on it', () => {
  let child: ChildProcess;
  let url: string;
  let cookie: string;
  const get = async (path: string) => (await fetch(new URL(path, url), { headers: { cookie } })).text();
  const csrf = async (path: string) => /name="csrf" value="([^"]+)"/.exec(await get(path))![1]!;

  /** Runs a tool and reads its page until the call has ended. */
  async function run(server: string, tool: string): Promise<string> {
    const path = `servers/${server}/tools/${tool}`;
    const events = await fetch(new URL('events?since=0', url), { headers: { cookie } });
    const reader = events.body!.getReader();
    const started = await fetch(new URL(path, url), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: new URL(url).origin, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ csrf: await csrf(path) }),
    });
    expect(started.status).toBe(303);
    const page = async () =>
      (await fetch(new URL(started.headers.get('location')!, url), { headers: { cookie } })).text();
    let text = await page();
    while (!/chip-(?:completed|abandoned)/.test(text)) {
      await reader.read();
      text = await page();
    }
    await reader.cancel();
    return text;
  }

  beforeAll(async () => {
    const config = join(mkdtempSync(join(tmpdir(), 'midcall-schemas-')), 'mcp.json');
    const [hostileServer, notes] = [[hostile], [main, 'notes']].map(args => ({ command: process.execPath, args }));
    writeFileSync(config, JSON.stringify({ mcpServers: { hostile: hostileServer, notes } }));
    child = spawn(process.execPath, [main, 'desk', '--no-keep', '--config', config], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    url = await new Promise<string>(resolve => {
      createInterface({ input: child.stdout! }).once('line', line => resolve(/^Midcall desk: (\S+)$/.exec(line)![1]!));
    });
    const entered = await fetch(url, { redirect: 'manual' });
    cookie = entered.headers.get('set-cookie')!.split(';')[0]!;
    url = new URL(entered.headers.get('location')!, url).href;
    const events = await fetch(new URL('events?since=0', url), { headers: { cookie } });
    const reader = events.body!.getReader();
    while (((await get('')).match(/"state state-ready"><\/span><a class="server-row/g)?.length ?? 0) < 2)
      await reader.read();
    await reader.cancel();
  });
  afterAll(() => void child.kill('SIGKILL'));

  it('the desk shows what could not be checked as unchecked, serves the other server, and ends when told to', async () => {
    expect(await run('hostile', 'bomb')).toContain('Not checked against the tool’s output schema');
    expect(await run('hostile', 'pattern')).toContain('must match the pattern');
    const plain = await run('hostile', 'plain');
    expect(plain).toContain('given by plain');
    expect(plain).not.toContain('Not checked');
    expect(await get('servers/notes')).toContain('notes_list');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect((await ended)[1] ?? (await ended)[0]).toBe(0);
  });
});
