/**
 * A real authorization server on loopback, for the example and the tests: authorization code with PKCE, refresh tokens
 * that rotate, revocation, introspection, OpenID Connect. People sign in by name, without a password.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AuthorizationServerOptions {
  /** Clients as dynamic registration has them (RFC 7591). */
  readonly clients: readonly Record<string, unknown>[];
  /** Besides `openid` and `offline_access`. */
  readonly scopes?: readonly string[];
  /** A name or address of this machine; `127.0.0.1` where absent. Browsers tell cookies apart by it, not by port. */
  readonly host?: string;
  /** A free one where absent. */
  readonly port?: number;
  /** False to leave refresh tokens as they are. */
  readonly rotate?: boolean;
  readonly accessTokenSeconds?: number;
  /** Issues access tokens for whatever service is asked for (RFC 8707), in this format; for no service where absent. */
  readonly tokens?: 'opaque' | 'jwt';
  /** Takes clients that describe themselves (client id metadata documents), which are read with this. */
  readonly documents?: typeof fetch;
  /** Registers clients by request (RFC 7591). */
  readonly registration?: boolean;
  /** Gives tokens to programs of their own (client credentials), and to devices without a browser (RFC 8628). */
  readonly machines?: boolean;
  /** Signs this person in without a page; a page asks where absent. */
  readonly person?: string;
}

export interface AuthorizationServer {
  readonly issuer: string;
  /** The `oidc-provider` instance: an event emitter. */
  readonly provider: {
    on(event: string, listener: (...args: never[]) => void): unknown;
    off(event: string, listener: (...args: never[]) => void): unknown;
  };
  /** What can be changed while it runs. */
  readonly state: {
    person: string | undefined;
    accessTokenSeconds: number;
    /** Scopes that are not granted, whoever asks for them. */
    refused: string[];
    /** The claim `groups` of ID tokens, by person. */
    groups: Readonly<Record<string, unknown>>;
    /** Sees every request first; true says that it answered. */
    intercept: ((req: IncomingMessage, res: ServerResponse) => boolean | Promise<boolean>) | undefined;
  };
  close(): Promise<void>;
}

/** What is used here of the library's contexts. */
interface Context {
  readonly oidc: {
    readonly provider: { readonly Grant: new (of: { clientId: string; accountId: string }) => Grant };
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly params: { readonly scope?: string; readonly resource?: string | readonly string[] };
  };
  type: string;
  body: string;
}

interface Grant {
  addOIDCScope(scope: string): void;
  rejectOIDCScope(scope: string): void;
  addResourceScope(resource: string, scope: string): void;
  save(): Promise<string>;
}

const page = (body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title>${body}`;

const read = async (req: IncomingMessage): Promise<URLSearchParams> => {
  let text = '';
  for await (const part of req) text += part;
  return new URLSearchParams(text);
};

/** The library warns of what it is given here: keys and a store that are gone when it ends. Nobody's real account is behind it. */
async function withoutWarnings<T>(make: () => Promise<T>): Promise<T> {
  const { warn } = console;
  console.warn = (...said: unknown[]): void => {
    if (!String(said[0]).includes('oidc-provider WARNING: ')) warn(...said);
  };
  try {
    return await make();
  } finally {
    console.warn = warn;
  }
}

export async function startAuthorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer> {
  const {
    clients,
    scopes = [],
    host = '127.0.0.1',
    port = 0,
    rotate = true,
    accessTokenSeconds = 3600,
    tokens,
    documents,
    registration = false,
    machines = false,
  } = options;
  const state: AuthorizationServer['state'] = {
    person: options.person,
    intercept: undefined,
    accessTokenSeconds,
    refused: [],
    groups: {},
  };
  let handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
  const server = createServer((req, res) => void handle(req, res));
  await new Promise<void>(resolve => server.listen(port, host, resolve));
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;

  const configuration = {
    clients,
    scopes: ['openid', 'offline_access', ...scopes],
    pkce: { required: () => true },
    rotateRefreshToken: rotate,
    issueRefreshToken: async () => true,
    ...(documents && { fetch: documents }),
    features: {
      ...(documents && { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } }),
      registration: { enabled: registration },
      devInteractions: { enabled: false },
      clientCredentials: { enabled: machines },
      deviceFlow: { enabled: machines },
      ...(tokens && {
        resourceIndicators: {
          enabled: true,
          // Any service may be asked for; its tokens are for it alone.
          getResourceServerInfo: async (_ctx: Context, resource: string) => ({
            audience: resource,
            scope: scopes.join(' '),
            accessTokenFormat: tokens,
            ...(tokens === 'jwt' && { jwt: { sign: { alg: 'RS256' } } }),
          }),
        },
      }),
      introspection: { enabled: true, allowedPolicy: async () => true },
      revocation: { enabled: true, allowedPolicy: async () => true },
    },
    ttl: {
      AccessToken: () => state.accessTokenSeconds,
      AuthorizationCode: 60,
      Grant: 86_400,
      IdToken: 600,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 86_400,
    },
    cookies: { keys: ['only for examples and tests'] },
    interactions: { url: (_ctx: Context, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    claims: { openid: ['sub', 'groups'] },
    // ID tokens say it, and not only the user info.
    conformIdTokenClaims: false,
    findAccount: async (_ctx: Context, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub, groups: state.groups[sub] }),
    }),
    // Whoever signs in has agreed: the scopes that were asked for are granted, but for those in `state.refused`.
    async loadExistingGrant({ oidc }: Context) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      });
      const requested = (oidc.params.scope ?? '').split(' ');
      const granted = requested.filter(scope => !state.refused.includes(scope)).join(' ');
      grant.addOIDCScope(granted);
      grant.rejectOIDCScope(state.refused.join(' '));
      for (const resource of [oidc.params.resource ?? []].flat()) grant.addResourceScope(resource, granted);
      await grant.save();
      return grant;
    },
    renderError: async (ctx: Context, out: { readonly error: string }) => {
      ctx.type = 'html';
      ctx.body = page(`<h1>Refused</h1><p id="error">${out.error}</p>`);
    },
  };
  const provider = await withoutWarnings(async () => {
    // @ts-expect-error: it comes without types.
    const { default: Provider } = await import('oidc-provider');
    return new Provider(issuer, configuration);
  });
  const serve = provider.callback();

  const interact = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const finish = async (who: string, refused: boolean): Promise<void> => {
      const result = refused ? { error: 'access_denied' } : { login: { accountId: who }, consent: {} };
      await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
    };
    if (req.method === 'POST') {
      const form = await read(req);
      const who = form.get('person') ?? '';
      if (form.has('refuse')) return finish('', true);
      if (/^[a-z]{1,20}$/u.test(who)) return finish(who, false);
    } else if (state.person !== undefined) return finish(state.person, false);
    res.setHeader('content-type', 'text/html; charset=utf-8');
    res.end(
      page(`<h1>Sign in</h1><form method="post"><label>Name <input name="person" required pattern="[a-z]+"></label>
        <button name="agree">Sign in</button> <button name="refuse" formnovalidate>Refuse</button></form>`),
    );
  };

  handle = async (req, res) => {
    try {
      if (state.intercept && (await state.intercept(req, res))) return;
      if (req.url!.startsWith('/interaction/')) await interact(req, res);
      else await serve(req, res);
    } catch {
      if (!res.headersSent) res.writeHead(400).end('This sign-in is over. Start again.');
    }
  };

  return {
    issuer,
    provider,
    state,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
