/** `midcall bridge --http` as it is started: real processes, real hosts, real mistakes. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { provider } from '@midcall/server/connect';
import { eras, negotiation } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, it } from 'vitest';
import { startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import { randomToken } from '../../packages/server/src/connect/oauth/flows.ts';
import { Browser } from '../connect/sign-in-flow.ts';
import { eventually } from '../fixtures/grown.ts';
import { few } from '../fixtures/soak.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'packages/midcall/bin/midcall.js');
const folder = mkdtempSync(join(tmpdir(), 'bridge-http-'));
const endless = 2 ** 31 - 1;
const native = { application_type: 'native', redirect_uris: ['http://127.0.0.1/callback'] };

let files = 0;
function file(content: string, name = 'file.json'): string {
  files += 1;
  const path = join(folder, `${files}-${name}`);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

const documented = file(readFileSync(join(root, 'examples/docs/bridge-auth.json'), 'utf8'));

/** A server that says in which process it runs. */
const whoAmI = file(
  `import { createInterface } from 'node:readline';
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method } = JSON.parse(line);
  const reply = result => send({ id, result });
  if (method === 'initialize') reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'who', version: '1' } });
  else if (method === 'tools/list') reply({ tools: [{ name: 'pid', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') reply({ content: [{ type: 'text', text: String(process.pid) }] });
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'unknown' } });
});
`,
  'who.mjs',
);

const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

/** Starts a bridge. @returns the addresses it serves at, in order */
async function bridge(words: readonly string[], servers = 1) {
  const child = spawn(process.execPath, [main, 'bridge', '--http', '0', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const said: string[] = [];
  const urls: string[] = [];
  for await (const line of createInterface({ input: child.stderr! })) {
    said.push(line);
    const url = /^midcall bridge: serving .* at (\S+)$/u.exec(line)?.[1];
    if (url !== undefined) urls.push(url);
    if (urls.length === servers) break;
  }
  if (urls.length < servers) throw new Error(said.join('\n'));
  child.stderr!.resume();
  const end = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    return ended;
  };
  return { child, urls, end };
}

const run = (...words: readonly string[]) =>
  new Promise<{ readonly code: unknown; readonly err: string; readonly out: string }>(resolve => {
    execFile(process.execPath, [main, 'bridge', ...words], { cwd: root }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, err, out }),
    );
  });

async function host(url: string, era: (typeof eras)[number], token?: string) {
  const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: negotiation(era) });
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), {
    timeout: endless,
  });
  return client;
}

async function pidOf(client: Client): Promise<string> {
  const { content } = await client.callTool({ name: 'pid' }, { timeout: endless });
  return (content as { text: string }[])[0]!.text;
}

const isAlive = (pid: string): boolean => {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};

describe.each(few(eras, '2026-07-28'))('hosts of %s', era => {
  it('hosts reach each server of an mcp.json, in a process for each principal, which end with the bridge', async () => {
    const [ada, alan] = ['Zq7-token-of-ada-in-the-http-bridge-Kx41', 'Wm3-token-of-alan-in-the-http-bridge-Vt92'];
    const auth = file(
      JSON.stringify({
        tokens: [
          { token: ada, principal: 'ada' },
          { token: alan, principal: 'alan' },
        ],
      }),
    );
    const entry = { command: process.execPath, args: [whoAmI] };
    const config = file(JSON.stringify({ mcpServers: { own: entry, common: { ...entry, shared: true } } }));
    const { urls, end } = await bridge(['--config', config, '--auth', auth], 2);
    const [own, common] = urls as [string, string];
    expect([own, common].map(url => new URL(url).pathname)).toEqual(['/mcp/own', '/mcp/common']);
    const pids = await Promise.all(
      [
        [own, ada],
        [own, ada],
        [own, alan],
        [common, ada],
        [common, alan],
      ].map(async ([url, token]) => pidOf(await host(url!, era, token))),
    );
    expect(pids[0]).toBe(pids[1]);
    expect(pids[3]).toBe(pids[4]);
    expect(new Set(pids).size).toBe(3);
    expect(await end()).toEqual([0, null]);
    await eventually(() => !pids.some(isAlive));
  });

  it('hosts show tokens of an issuer, and have a process for each of its people', async () => {
    const clients = [{ client_id: 'bridge', token_endpoint_auth_method: 'none', ...native }];
    const login = await startAuthorizationServer({ clients, scopes: ['notes'], person: 'alice', tokens: 'jwt' });
    try {
      const auth = file(JSON.stringify({ issuer: login.issuer, clientId: 'bridge' }));
      const words = ['--auth', auth, '--public-url', 'https://bridge.example', '--', process.execPath, whoAmI];
      const { urls, end } = await bridge(words);
      const token = async (resource: string): Promise<string> => {
        const { client } = provider({ id: 'login', issuer: login.issuer, clientId: 'bridge', resource });
        const asked = { state: randomToken(), verifier: randomToken(), scopes: ['notes'] };
        const redirectUri = 'http://127.0.0.1:9/callback';
        const { url } = await new Browser().follow(
          await client.authorizationUrl({ ...asked, redirectUri }),
          redirectUri,
        );
        return (await client.exchange(url, asked)).tokens.accessToken;
      };
      await expect(host(urls[0]!, era)).rejects.toThrow();
      await expect(host(urls[0]!, era, await token('https://other.example/mcp'))).rejects.toThrow();
      const client = await host(urls[0]!, era, await token('https://bridge.example/mcp'));
      const pid = await pidOf(client);
      expect(await end()).toEqual([0, null]);
      await eventually(() => !isAlive(pid));
    } finally {
      await login.close();
    }
  });
});

it('the bridge serves the list that the documents have', async () => {
  const { urls, end } = await bridge(['--config', join(root, 'examples/docs/bridge-http.mcp.json')], 2);
  expect(urls.map(url => new URL(url).pathname)).toEqual(['/mcp/notes', '/mcp/everything']);
  expect(await end()).toEqual([0, null]);
});

describe('a bridge that cannot be started says so', () => {
  it.each([
    [
      'of an unknown server',
      ['--config', join(root, 'examples/docs/bridge.mcp.json'), '--server', 'nope'],
      'It has: notes.',
    ],
    ['of a bad file of tokens', ['--auth', file('{}')], "'tokens' is wrong"],
    ['of the file of the documents, which has no tokens', ['--auth', documented], "'tokens.0.token' is wrong"],
    ['of an address that is open to others', ['--host', '0.0.0.0'], 'Name who may call with --auth'],
    ['of a name for others', ['--allow-host', 'bridge.example'], 'Name who may call with --auth'],
    [
      'of an issuer without an address',
      ['--auth', file('{"issuer":"https://login.example","clientId":"b"}')],
      'needs --public-url',
    ],
    [
      'of a server whose name no address can end with',
      ['--config', file('{"mcpServers":{"..":{"command":"true"}}}')],
      'is named "..", which cannot be a part of an address',
    ],
  ])('a bridge that cannot be started because %s says so', async (_, words, said) => {
    const server = words.includes('--config') ? [] : ['--', process.execPath, whoAmI];
    const { code, err, out } = await run('--http', '0', ...words, ...server);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(said);
  });

  it('a bridge says that a flag needs --http', async () => {
    expect((await run('--auth', 'x', '--', 'y')).err).toContain('need --http');
  });

  it('a bridge says that its port is taken', async () => {
    const taken = createServer();
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const { code, err } = await run('--http', String(port), '--', process.execPath, whoAmI);
    expect(code).toBe(3);
    expect(err).toContain(`Port ${port} on 127.0.0.1 is taken. Choose another, or 0 for any free one.`);
    taken.close();
  });
});
