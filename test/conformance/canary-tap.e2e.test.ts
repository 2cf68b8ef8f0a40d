/** What the tap takes for a secret, and where it hears one that gets out: in processes of their own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Heard, judgeCanaries } from '../../tools/canary-judge.ts';
import { compileTaps } from '../../tools/compile-taps.ts';
import { preloading } from '../../tools/tap.ts';

const tap = join(await compileTaps(), 'canary-tap.cjs');

/** Runs a program with the tap on, and judges what was recorded. */
async function problemsOf(program: string): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'midcall-canary-'));
  const env = { ...process.env, NODE_OPTIONS: preloading(tap), MIDCALL_CANARY_DIR: directory };
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { env, stdio: 'ignore' });
  expect(await new Promise(resolve => child.on('close', resolve))).toBe(0);
  const all = readdirSync(directory)
    .flatMap(name => readFileSync(join(directory, name), 'utf8').split('\n').filter(Boolean))
    .map(line => JSON.parse(line));
  const secrets = all.filter(each => 'secret' in each) as Heard['secrets'];
  expect(secrets.length).toBeGreaterThan(0);
  const found = judgeCanaries({ secrets, said: all.filter(each => 'sink' in each) });
  return [...new Set(found.map(({ says }) => says))].sort();
}

const at = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);
/** The beginning of a program that knows a secret. */
const planted = `
  import { createSealer } from ${at('packages/server/dist/state/seal.js')};
  import { keyRing } from ${at('packages/server/dist/state/keys.js')};
  const key = Buffer.alloc(32, 7);
  createSealer(keyRing(key)).seal({}, 'x');
  const secret = key.toString('hex');
`;

const serve = (handler: string, requests: string) => `
  import { createServer } from 'node:http';
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', part => { body += part; }).on('end', () => { ${handler} });
  }).listen(0, async () => {
    const base = 'http://127.0.0.1:' + server.address().port;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    ${requests}
    server.close();
    server.closeAllConnections();
  });
`;

it('what is entered on a page is heard in a log, on a page and in an address', async () => {
  const handler = `
    console.error('got', body);
    res.setHeader('content-type', 'text/html');
    if (req.method === 'POST') res.setHeader('location', '/next?' + body);
    res.end('<p>' + body + '</p>');
  `;
  const requests = `
    const sent = { method: 'POST', headers: form, body: 'secret=sk-canary-0123456789' };
    await (await fetch(base + '/connect/x', sent)).text();
  `;
  expect(await problemsOf(serve(handler, requests))).toEqual([
    'secret of a page in: address',
    'secret of a page in: log',
    'secret of a page in: page',
  ]);
  expect(await problemsOf(serve("res.end('ok')", requests))).toEqual([]);
});

it('a page whose headers are sent in one go is read as well', async () => {
  const handler = `res.writeHead(303, { 'Content-Type': 'text/html', Location: '/next?' + body }).end('<p>' + body + '</p>')`;
  const requests = `
    const sent = { method: 'POST', headers: form, body: 'secret=sk-canary-0123456789', redirect: 'manual' };
    await (await fetch(base + '/connect/x', sent)).text();
  `;
  expect(await problemsOf(serve(handler, requests))).toEqual([
    'secret of a page in: address',
    'secret of a page in: page',
  ]);
});

it('tokens of a token endpoint, client secrets and keys are heard, too', async () => {
  const handler = `
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ access_token: 'token-0123456789', refresh_token: 'again-0123456789' }));
  `;
  const requests = `
    const headers = { ...form, authorization: 'Basic ' + btoa('me:client-canary-1234') };
    const { access_token } = await (await fetch(base + '/token', { method: 'POST', headers, body: 'code_verifier=verifier-0123456789' })).json();
    await (await fetch(base + '/callback?token=' + access_token + '&v=verifier-0123456789&c=client-canary-1234')).text();
  `;
  expect(await problemsOf(serve(handler, requests))).toEqual([
    'access_token of a token endpoint in: address',
    'access_token of a token endpoint in: page',
    'client secret in: address',
    'code_verifier that was sent in: address',
    'refresh_token of a token endpoint in: page',
  ]);
});

it('a key that seals is known in every spelling', async () => {
  expect(await problemsOf(`${planted} console.log(secret);`)).toEqual(['key that seals in: log']);
});

it('errors of ours and of JSON-RPC are heard where they are made, though somebody catches them', async () => {
  const heard = ['key that seals in: error'];
  for (const made of [
    'new MidcallError("store/corrupt", secret)',
    'new MidcallError("store/corrupt", "x", { cause: new Error(secret) })',
    'new (class Sub extends MidcallError {})("store/corrupt", secret)',
    'new ProtocolError(-32602, secret)',
    'new ProtocolError(-32602, "x", { secret })',
  ]) {
    const program = `
      ${planted}
      import { ProtocolError } from '@modelcontextprotocol/server';
      import { MidcallError } from ${at('packages/core/bundle/errors/index.js')};
      try { throw ${made}; } catch {}
    `;
    expect(await problemsOf(program), made).toEqual(heard);
  }
});

it('spans are heard: their names, attributes, events and status, for whoever asks for a tracer', async () => {
  const heard = ['key that seals in: span'];
  for (const leak of [
    'tracer.startSpan(secret)',
    'tracer.startSpan("x", { attributes: { secret } })',
    'tracer.startSpan("x").setAttribute("secret", secret)',
    'tracer.startSpan("x").addEvent("x", { secret })',
    'tracer.startSpan("x").setStatus({ code: 2, message: secret })',
    '(span => (span.recordException(new Error(secret)), span))(tracer.startSpan("x"))',
  ]) {
    const program = `
      ${planted}
      import { trace } from '@opentelemetry/api';
      const tracer = trace.getTracer('x');
      ${leak}.end();
    `;
    expect(await problemsOf(program), leak).toEqual(heard);
  }
});

it('a server that the SDK starts is heard, though it is given a handful of variables only', async () => {
  const server = `${planted} console.error(secret); try { throw new (class MidcallError extends Error { name = 'MidcallError' })(secret); } catch {}`;
  const program = `
    import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
    const args = ['--input-type=module', '-e', ${JSON.stringify(server)}];
    const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' });
    await new Promise(resolve => { transport.onclose = resolve; void transport.start(); });
  `;
  expect(await problemsOf(program)).toEqual(['key that seals in: error', 'key that seals in: log']);
});
