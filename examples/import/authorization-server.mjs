/**
 * A real authorization server on loopback, for the example and the tests: authorization code with PKCE, refresh tokens
 * that rotate, revocation, introspection, OpenID Connect. People sign in by name, without a password.
 */
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const page = body => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title>${body}`;

const read = async req => {
  let text = '';
  for await (const part of req) text += part;
  return new URLSearchParams(text);
};

/** Starts it; see authorization-server.d.mts. */
export async function startAuthorizationServer(options) {
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
  const state = { person: options.person, intercept: undefined, accessTokenSeconds, refused: [] };
  let handle;
  const server = createServer((req, res) => void handle(req, res));
  await new Promise(resolve => server.listen(port, host, resolve));
  const issuer = `http://${host}:${server.address().port}`;

  const provider = new Provider(issuer, {
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
          getResourceServerInfo: async (_ctx, resource) => ({
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
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: async (_ctx, sub) => ({ accountId: sub, claims: async () => ({ sub }) }),
    // Whoever signs in has agreed: the scopes that were asked for are granted, but for those in `state.refused`.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      });
      const asked = (oidc.params.scope ?? '').split(' ');
      const granted = asked.filter(scope => !state.refused.includes(scope)).join(' ');
      grant.addOIDCScope(granted);
      grant.rejectOIDCScope(state.refused.join(' '));
      for (const resource of [oidc.params.resource ?? []].flat()) grant.addResourceScope(resource, granted);
      await grant.save();
      return grant;
    },
    renderError: async (ctx, out) => {
      ctx.type = 'html';
      ctx.body = page(`<h1>Refused</h1><p id="error">${out.error}</p>`);
    },
  });
  const serve = provider.callback();

  const interact = async (req, res) => {
    const finish = async (who, refused) => {
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
      if (req.url.startsWith('/interaction/')) await interact(req, res);
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
