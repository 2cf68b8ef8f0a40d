/**
 * Inboxes of real bridges: people sign in at a real OpenID Connect server, and hosts of theirs bring tokens of it. A person's browser is
 * one without a screen, or Chromium.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { provider } from '@midcall/server/connect';
import { type Era, negotiation } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Page } from 'playwright-core';
import { type AuthorizationServer, startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import { randomToken } from '../../packages/server/src/connect/oauth/flows.ts';
import { Browser as NoScreen } from '../connect/sign-in-flow.ts';
import { freePort } from '../fixtures/free-port.ts';
import { ownEnvironment } from '../fixtures/own-environment.ts';
import { clientSecret, registeredClient } from '../notes/registered-client.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'packages/midcall/bin/midcall.js');
const asker = join(root, 'test/inbox/asker.mjs');
const hostCallback = 'http://127.0.0.1:9/callback';
/** Milliseconds: as long as a timer of Node runs. */
const endless = 2 ** 31 - 1;

/** A bridge that runs. */
export interface RunningBridge {
  /** Its public address, with the path `/`. */
  readonly address: URL;
  readonly child: ChildProcess;
  /** What it wrote to standard error. */
  readonly said: readonly string[];
  /** Ends it. @param signal - SIGTERM if absent */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** How a bridge is started. */
interface BridgeStart {
  /** Where its inboxes are stored; a file of the stage if absent. */
  readonly inbox?: string;
  /** Where it is reached; a free port if absent. */
  readonly at?: URL;
  /** More options of the command. */
  readonly words?: readonly string[];
  /** The server and its arguments; one that asks what it is told to ask, and that writes down what it gets, if absent. */
  readonly server?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** One who has a host. */
export interface HostOf extends AsyncDisposable {
  readonly client: Client;
  /** The bearer token of its requests. */
  readonly token: string;
  /** Makes a call. @returns the texts that the model gets, as JSON */
  call(name: string, args?: Record<string, unknown>, options?: { readonly signal?: AbortSignal }): Promise<string>;
  /** Asks by the tool `ask` of the stage's own server. @returns the id of the question, which waits in the inbox */
  ask(args: Record<string, unknown>): Promise<string>;
}

/** A browser without a screen in which somebody has signed in. */
export interface Session {
  readonly browser: NoScreen;
  /** The address of its pages, without a slash at the end. */
  readonly base: string;
  /** The part of their path that is secret. */
  readonly at: string;
  readonly cookie: string;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  text(path: string): Promise<string>;
  /** The token of its forms. */
  csrf(): Promise<string>;
  /** Posts a form, as the page does, unless `headers` or `fields` say otherwise. */
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  /** Answers a question of the stage's server. */
  answer(question: string, colour: string): Promise<Response>;
}

/** An authorization server, and the bridges that it signs people in at. */
export interface InboxStage extends AsyncDisposable {
  readonly login: AuthorizationServer;
  readonly folder: string;
  /** Where inboxes are stored, unless a bridge is told otherwise. */
  readonly file: string;
  bridge(start?: BridgeStart): Promise<RunningBridge>;
  /** What the stage's server wrote down, of all its processes. */
  noted(): readonly Record<string, unknown>[];
  /** A host that shows no questions. @param name - as it calls itself */
  host(bridge: Pick<RunningBridge, 'address'>, who: string, era: Era, name?: string): Promise<HostOf>;
  /** @param in_ - a browser that has signed in before; a new one if absent */
  signIn(bridge: Pick<RunningBridge, 'address'>, who: string, in_?: NoScreen): Promise<Session>;
  /** The principal of a person, as the bridge calls it. */
  principal(who: string): string;
  /** Runs a command of `midcall`, with the environment of the bridges. */
  midcall(
    words: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

/** @param environment - of every process, besides its own folders */
export async function inboxStage(environment: Readonly<Record<string, string>> = {}): Promise<InboxStage> {
  const login = await startAuthorizationServer({
    clients: [registeredClient('bridge', ['/inbox/signed-in']), registeredClient('host', ['/callback'])],
    // Browsers tell cookies apart by name, not by port.
    host: 'localhost',
    tokens: 'opaque',
  });
  const folder = mkdtempSync(join(tmpdir(), 'midcall-inbox-'));
  const auth = join(folder, 'auth.json');
  const file = join(folder, 'inbox.db');
  const log = join(folder, 'log');
  const groups = { names: { finance: ['ada', 'ben', 'cleo', 'dan'] } };
  writeFileSync(auth, JSON.stringify({ issuer: login.issuer, clientId: 'bridge', clientSecret, groups }), {
    mode: 0o600,
  });
  const env = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    ...ownEnvironment(),
    ...environment,
    ...more,
  });
  const running = new Set<RunningBridge>();

  /** One after the other, since the authorization server is told who signs in next. */
  let signingIn: Promise<unknown> = Promise.resolve();
  const as = <T>(who: string, sign: () => Promise<T>): Promise<T> => {
    const signed = signingIn.then(async () => {
      login.state.person = who;
      try {
        return await sign();
      } finally {
        login.state.person = undefined;
      }
    });
    signingIn = signed.catch(() => {});
    return signed;
  };

  const tokenOf = (who: string, resource: string): Promise<string> =>
    as(who, async () => {
      const { client, scopes } = provider({
        id: 'login',
        ...{ issuer: login.issuer, clientId: 'host', clientSecret, scopes: ['openid'], resource },
      });
      const asked = { state: randomToken(), verifier: randomToken(), scopes };
      const to = await client.authorizationUrl({ ...asked, redirectUri: hostCallback });
      const { url } = await new NoScreen().follow(to, hostCallback);
      return (await client.exchange(url, asked)).tokens.accessToken;
    });

  const bridgeAt = async (
    address: URL,
    { inbox = file, words = [], server = [process.execPath, asker, log], env: more }: BridgeStart,
  ): Promise<RunningBridge> => {
    const reached = ['--http', address.port, '--auth', auth, '--public-url', address.origin, '--inbox', inbox];
    const child = spawn(process.execPath, [main, 'bridge', ...reached, ...words, '--', ...server], {
      env: env(more),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const said: string[] = [];
    const lines = createInterface({ input: child.stderr! });
    const closed = once(child, 'close');
    const bridge: RunningBridge = {
      ...{ address, child, said },
      async end(signal = 'SIGTERM') {
        running.delete(bridge);
        child.kill(signal);
        await closed;
      },
    };
    running.add(bridge);
    await new Promise<void>((resolve, reject) => {
      lines.on('line', line => {
        said.push(line);
        if (line.includes('people answer at')) resolve();
      });
      child.on('close', () => reject(new Error(`The bridge has ended: ${said.join('\n')}`)));
    });
    return bridge;
  };

  return {
    login,
    folder,
    file,
    principal: who => `${who} (${login.issuer})`,

    async bridge({ at, ...start } = {}) {
      return bridgeAt(at ?? new URL(`http://127.0.0.1:${await freePort()}/`), start);
    },

    noted: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .slice(0, -1)
            .map(line => JSON.parse(line) as Record<string, unknown>)
        : [],

    async host({ address }, who, era, name = `host of ${who}`) {
      const at = new URL('/mcp', address);
      const token = await tokenOf(who, at.href);
      const client = new Client({ name, version: '1' }, { versionNegotiation: negotiation(era) });
      await client.connect(new StreamableHTTPClientTransport(at, { authProvider: { token: async () => token } }));
      const call: HostOf['call'] = async (tool, args = {}, options) =>
        JSON.stringify(await client.callTool({ name: tool, arguments: args }, { timeout: endless, ...options }));
      return {
        ...{ client, token, call },
        async ask(args) {
          const told = await call('ask', args);
          const id = /\/inbox\?question=([\w%.~-]+)/.exec(told)?.[1];
          if (id === undefined) throw new Error(`The model was not told of an inbox: ${told.slice(0, 1_000)}`);
          return decodeURIComponent(id);
        },
        [Symbol.asyncDispose]: () => client.close(),
      };
    },

    signIn: ({ address }, who, browser = new NoScreen()) =>
      as(who, async () => {
        const { response } = await browser.follow(new URL('/inbox/sign-in', address));
        const text = (await response?.text()) ?? '';
        const path = /url=(\/inbox\/s\/([\w-]+)\/)/.exec(text);
        if (!path) throw new Error(`Nobody was signed in: ${response?.status} ${text.slice(0, 2_000)}`);
        const base = new URL(path[1]!.slice(0, -1), address).href;
        const get: Session['get'] = (to, headers = {}) => browser.send(`${base}${to}`, { headers });
        const text_ = async (to: string): Promise<string> => (await get(to)).text();
        const csrf = async (): Promise<string> => /name="csrf" value="([^"]+)"/.exec(await text_('/sign-out'))![1]!;
        const post: Session['post'] = async (to, fields = {}, headers = {}) =>
          browser.send(`${base}${to}`, {
            method: 'POST',
            headers: { origin: address.origin, 'content-type': 'application/x-www-form-urlencoded', ...headers },
            body: new URLSearchParams({ csrf: fields['csrf'] ?? (await csrf()), ...fields }).toString(),
          });
        return {
          ...{ browser, base, at: path[2]!, cookie: browser.cookies(address.hostname).get('midcall-inbox')! },
          ...{ get, text: text_, csrf, post },
          answer: (question, colour) => post(`/questions/${question}`, { action: 'accept', f0: colour }),
        };
      }),

    async midcall(words, more) {
      const child = spawn(process.execPath, [main, ...words], { env: env(more), stdio: ['ignore', 'pipe', 'pipe'] });
      const [out, err]: [string[], string[]] = [[], []];
      child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text));
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, out: out.join(''), err: err.join('') };
    },

    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map(bridge => bridge.end()));
      await login.close();
    },
  };
}

/** Signs somebody in, in Chromium. */
export async function signInWith(page: Page, who: string, at: string): Promise<void> {
  await page.goto(at);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Name').fill(who);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/inbox\/s\//);
}
