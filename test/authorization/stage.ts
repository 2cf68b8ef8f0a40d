/** An MCP server that takes the tokens of a real authorization server and of nobody else, and hosts that connect to it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Audit,
  type AuditEntry,
  type Clock,
  Connection,
  type ConnectionOptions,
  type GrantVault,
  Inbox,
  type ServerAuth,
  type SignInQuestion,
  urlTarget,
  vaultFolder,
} from '@midcall/host';
import { midcall } from '@midcall/server';
import { bearer, provider } from '@midcall/server/connect';
import { serveHttp } from '@midcall/server/node';
import type { Era } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import { watched } from '../../tools/canary-tap.ts';
import { Browser } from '../connect/sign-in-flow.ts';

const clientSecret = 'client-secret-canary-9f27b1c04d';

/** What a test changes of the server and of its authorization server. */
export interface GuardedOptions {
  /** Sees each request to the MCP server first. */
  readonly intercept?: (request: Request) => Response | undefined | Promise<Response | undefined>;
  /** In place of the server's own metadata (RFC 9728), which it is given. */
  readonly metadata?: (own: Record<string, unknown>) => object;
  readonly accessTokenSeconds?: number;
  readonly registration?: boolean;
}

/** Starts both; they end with the test. */
export async function guarded(options: GuardedOptions = {}) {
  const native = { application_type: 'native', redirect_uris: ['http://127.0.0.1/callback'] };
  const logins = await startAuthorizationServer({
    clients: [
      { ...native, client_id: 'by-hand', token_endpoint_auth_method: 'none' },
      {
        ...native,
        client_id: 'chat',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://localhost/callback'],
      },
      {
        client_id: 'robot',
        client_secret: clientSecret,
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
      },
      {
        ...native,
        client_id: 'television',
        token_endpoint_auth_method: 'none',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
        response_types: [],
        redirect_uris: [],
      },
    ],
    scopes: ['notes', 'admin'],
    tokens: 'jwt',
    person: 'alice',
    registration: options.registration ?? true,
    machines: true,
    ...(options.accessTokenSeconds !== undefined && { accessTokenSeconds: options.accessTokenSeconds }),
  });
  /** Every request to the token endpoint, by its grant type. */
  const granted: string[] = [];
  for (const event of ['grant.success', 'grant.error'])
    logins.provider.on(event, (ctx: { oidc: { params?: Record<string, unknown> } }) => {
      granted.push(`${event === 'grant.error' ? 'refused ' : ''}${ctx.oidc.params?.['grant_type']}`);
    });
  type Guard = ReturnType<typeof bearer>;
  let guards: { readonly notes: Guard; readonly admin: Guard; readonly nowhere: Guard };
  const mid = midcall({ warn: () => {}, suspectBelowMs: 0, principal: ctx => guards.notes.principal(ctx) });
  /** What the server wants of a token from now on. */
  const wants: { scope: 'notes' | 'admin' | 'nowhere' } = { scope: 'notes' };
  const served = await serveHttp(
    () => {
      const server = new McpServer({ name: 'guarded', version: '1.0.0' });
      mid.tool(server, 'whoami', { inputSchema: z.object({}) }, async (_, call) => ({
        content: [{ type: 'text', text: `${call.principal?.subject ?? 'nobody'}` }],
      }));
      return server;
    },
    {
      port: 0,
      async authenticate(request) {
        const answered = await options.intercept?.(request);
        if (answered) return answered;
        return guards[wants.scope].authenticate(request);
      },
      elsewhere: async request => {
        const own = guards.notes.metadata(request);
        if (!own || !options.metadata) return own ?? new Response(null, { status: 404 });
        return Response.json(options.metadata((await own.json()) as Record<string, unknown>));
      },
    },
  );
  const login = provider({ id: 'login', issuer: logins.issuer, clientId: 'by-hand' });
  guards = {
    notes: bearer(login, { resource: served.url, scopes: ['notes'] }),
    admin: bearer(login, { resource: served.url, scopes: ['notes', 'admin'] }),
    // A scope that the authorization server has never heard of.
    nowhere: bearer(login, { resource: served.url, scopes: ['notes', 'nowhere'] }),
  };
  onTestFinished(async () => {
    await served.stop({ within: 0 });
    await mid.stop();
    await logins.close();
  });
  return { url: served.url, logins, granted, clientSecret, wants };
}

/** What a person does with a sign-in. */
export type AtSignIn = (question: SignInQuestion, inbox: Inbox) => unknown;

/** Opens the page and lets the authorization server lead back. */
export const signsIn: AtSignIn = ({ url }) => new Browser().follow(url.href).then(({ response }) => response?.text());

export interface HostOptions {
  readonly era: Era;
  readonly vault: GrantVault;
  readonly auth?: ServerAuth;
  readonly person?: AtSignIn;
  readonly clock?: Clock;
  readonly principal?: string;
  readonly fetch?: typeof fetch;
}

/** A host of the server; it ends with the test. */
export function hostOf(url: URL, { era, vault, auth, person = signsIn, clock, principal, fetch }: HostOptions) {
  const inbox = new Inbox();
  const asked: SignInQuestion[] = [];
  inbox.present({
    via: 'test',
    show(question) {
      if (question.kind !== 'sign-in') return;
      asked.push(question);
      void person(question, inbox);
    },
  });
  const record: AuditEntry[] = [];
  const audit = new Audit({
    sink: {
      read: () => ({ lines: [], unfinished: '' }),
      append(line) {
        record.push(JSON.parse(line) as AuditEntry);
        watched('audit', line);
        return true;
      },
    },
  });
  const options: ConnectionOptions = {
    client: { name: 'test-host', version: '1.0.0' },
    inbox,
    audit,
    era,
    authorization: { vault },
    ...(principal !== undefined && { principal }),
    ...(clock && { clock }),
    ...(fetch && { fetch }),
  };
  const connection = new Connection({ id: 'guarded', target: urlTarget(url.href, auth ? { auth } : {}) }, options);
  onTestFinished(() => connection.stop());
  const call = async (name: string): Promise<string> => {
    const outcome = await connection.run({ kind: 'tool', name }).outcome;
    watched('outcome', JSON.stringify(outcome));
    if ('result' in outcome) return (outcome.result['content'] as { text: string }[])[0]!.text;
    return 'message' in outcome ? `${outcome.how}: ${outcome.message}` : outcome.how;
  };
  /** Why it could not be started. */
  const refusal = async (): Promise<string> => {
    try {
      await connection.start();
      return 'started';
    } catch (error) {
      watched('error', String(error));
      return (error as Error).message;
    }
  };
  return { connection, inbox, asked, record, call, refusal };
}

/** A folder for sign-ins; each vault of it is as another process has it. */
export async function folderOfVault(): Promise<{ readonly folder: string; readonly vault: () => GrantVault }> {
  const folder = await mkdtemp(join(tmpdir(), 'midcall-vault-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, vault: () => vaultFolder(folder) };
}
