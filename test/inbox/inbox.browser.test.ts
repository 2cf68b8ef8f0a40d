/**
 * Inboxes of a real bridge: people sign in at a real OpenID Connect server, in browsers of their own, and answer what the servers of
 * their hosts ask. Each host brings a token of the same authorization server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { provider } from '@midcall/server/connect';
import { type Era, negotiation } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import { randomToken } from '../../packages/server/src/connect/oauth/flows.ts';
import { Browser as NoScreen } from '../connect/sign-in-flow.ts';
import { ownEnvironment } from '../fixtures/own-environment.ts';
import { clientSecret, registeredClient } from '../notes/registered-client.ts';
import { launch, leaveBrowser, violations, visitor } from '../web/browser.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'packages/midcall/bin/midcall.js');
const asking = join(root, 'test/fixtures/asking-server.mjs');
const hostCallback = 'http://127.0.0.1:9/callback';
/** Milliseconds: as long as a timer of Node runs. */
const endless = 2 ** 31 - 1;

let browser: Browser;
let login: AuthorizationServer;
let address: URL;
let bridge: ChildProcess;
const said: string[] = [];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

beforeAll(async () => {
  const port = await freePort();
  address = new URL(`http://127.0.0.1:${port}/`);
  login = await startAuthorizationServer({
    clients: [registeredClient('bridge', ['/inbox/signed-in']), registeredClient('host', ['/callback'])],
    // Browsers tell cookies apart by name, not by port.
    host: 'localhost',
    tokens: 'opaque',
  });
  const folder = mkdtempSync(join(tmpdir(), 'midcall-inbox-'));
  const auth = join(folder, 'auth.json');
  writeFileSync(auth, JSON.stringify({ issuer: login.issuer, clientId: 'bridge', clientSecret }), { mode: 0o600 });
  const words = ['--auth', auth, '--public-url', address.origin, '--inbox', join(folder, 'inbox.db')];
  bridge = spawn(process.execPath, [main, 'bridge', '--http', String(port), ...words, '--', process.execPath, asking], {
    env: ownEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines = createInterface({ input: bridge.stderr! });
  lines.on('line', line => said.push(line));
  await new Promise<void>((resolve, reject) => {
    lines.on('line', line => line.includes('people answer at') && resolve());
    bridge.on('close', () => reject(new Error(`The bridge has ended: ${said.join('\n')}`)));
  });
  browser = await launch();
});

afterAll(async () => {
  await leaveBrowser(browser);
  if (bridge) {
    const ended = once(bridge, 'close');
    bridge.kill('SIGTERM');
    await ended;
  }
  await login?.close();
});

/** A host of this person, which shows no questions. */
async function hostOf(who: string, era: Era) {
  login.state.person = who;
  const host = provider({
    id: 'login',
    issuer: login.issuer,
    clientId: 'host',
    clientSecret,
    scopes: ['openid'],
    resource: new URL('/mcp', address).href,
  });
  const asked = { state: randomToken(), verifier: randomToken(), scopes: host.scopes };
  const to = await host.client.authorizationUrl({ ...asked, redirectUri: hostCallback });
  const { url } = await new NoScreen().follow(to, hostCallback);
  const token = (await host.client.exchange(url, asked)).tokens.accessToken;
  login.state.person = undefined;
  const client = new Client({ name: `host of ${who}`, version: '1' }, { versionNegotiation: negotiation(era) });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', address), { authProvider: { token: async () => token } }),
  );
  return {
    /** Makes the call again, as a model does when it is told to, until it has its result. */
    async call(
      name: string,
      args: Record<string, unknown> = {},
    ): Promise<{ readonly told: string; result: () => Promise<string> }> {
      const once = async (): Promise<string> =>
        JSON.stringify(await client.callTool({ name, arguments: args }, { timeout: endless }));
      const told = await once();
      return { told, result: once };
    },
    close: () => client.close(),
  };
}

async function signIn(page: Page, who: string, at = new URL('/inbox', address).href): Promise<void> {
  await page.goto(at);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Name').fill(who);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/inbox\/s\//);
}

describe('an inbox', () => {
  it.each(['2025-11-25', '2026-07-28'] as const)(
    'gives a person of %s their own questions, and nobody else',
    async era => {
      const ada = await hostOf('ada', era);
      const bob = await hostOf('bob', era);
      const waiting = await ada.call('form');
      expect(waiting.told).toContain('They answer in their inbox, at ');
      const link = /http:\/\/127\.0\.0\.1[^\s"\\]+/.exec(waiting.told)![0];

      await using adasBrowser = await visitor(browser);
      await using bobsBrowser = await visitor(browser);
      const [adas, bobs] = [adasBrowser.page, bobsBrowser.page];
      await signIn(adas, 'ada', link);
      await adas.getByRole('radio', { name: 'green' }).check();
      await signIn(bobs, 'bob');
      expect(await bobs.locator('main').textContent()).not.toContain('Which colour?');
      const stolen = adas.url().replace(/\/s\/[^/]+/, bobs.url().match(/\/s\/[^/]+/)![0]);
      expect((await bobs.goto(stolen))!.status()).toBe(404);
      expect(await violations(adas)).toEqual([]);
      await adas.getByRole('button', { name: 'Send answer' }).click();
      expect(await waiting.result()).toContain('green');
      await ada.close();
      await bob.close();
      expect([...adasBrowser.troubles, ...bobsBrowser.troubles]).toEqual([]);
    },
  );
});
