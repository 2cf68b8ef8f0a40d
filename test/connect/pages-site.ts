/** A server with every kind of page, as web-standard requests and responses only, so that it runs in Node and in workerd. */
import { midcall, whyNot } from '@midcall/server';
import { connect, oauth, oauthPages, provider, secret, signIn, vault } from '@midcall/server/connect';
import { mcpEndpoint } from '@midcall/server/http';
import { memoryStore } from '@midcall/server/stores/memory';
import { McpServer } from '@modelcontextprotocol/server';
import { addTrips } from '../../examples/docs/wizard.ts';

/** The address of its pages. */
export const base = 'http://127.0.0.1:8787/connect';
/** The redirect addresses of its clients at both issuers. */
export const redirects = [`${base}/callback/notes`, `${base}/sign-in/callback`];

/** Where people sign in, where they have an account, and the secret this server has at both. */
export type SiteSettings = Readonly<Record<'LOGIN' | 'ACCOUNTS' | 'CLIENT_SECRET' | 'MIDCALL_KEY', string>>;

export function pagesSite({ LOGIN, ACCOUNTS, CLIENT_SECRET, MIDCALL_KEY: key }: SiteSettings) {
  const store = memoryStore();
  const credentials = vault({ store, key });
  const registered = { clientId: 'site', clientSecret: CLIENT_SECRET };
  const notes = provider({ id: 'notes', name: 'Notes Co', issuer: ACCOUNTS, scopes: ['notes.read'], ...registered });
  const login = provider({ id: 'login', name: 'Login', issuer: LOGIN, ...registered });
  const pages = connect({
    name: 'Site',
    baseUrl: base,
    vault: credentials,
    kinds: [oauthPages(credentials, [notes])],
    signIn: signIn(login, { store, key }),
  });
  const mid = midcall({
    key,
    store,
    pages,
    holdMs: 15,
    suspectBelowMs: 0,
    principal: ctx => ({ issuer: LOGIN, subject: ctx.http?.authInfo?.token ?? '' }),
  });
  const factory = () => {
    const server = new McpServer({ name: 'site', version: '1.0.0' });
    mid.tool(server, 'forecast', {}, async (_, call) => {
      const page = secret({ name: 'weather', label: 'API key' });
      const answer = await call.elicitUrl({ message: 'Your key of the weather.', page, assurance: 'verified' });
      if (answer.action !== 'accept') return `No forecast: ${whyNot(answer)}`;
      const stored = await credentials.get(call.principal, 'weather');
      return `A forecast, with a key of ${stored?.length} characters (${answer.by.assurance}).`;
    });
    mid.tool(server, 'notes_import', {}, async (_, call) => {
      const answer = await call.elicitUrl({ message: 'Connect your notes.', page: oauth(notes) });
      if (answer.action !== 'accept') return `No notes: ${whyNot(answer)}`;
      const token = await credentials.token(call.principal, notes);
      return `Imported with ${token?.scopes.join()} (${answer.by.assurance}).`;
    });
    addTrips(server, mid, () => true);
    return server;
  };
  return mcpEndpoint(factory, {
    sessions: false,
    authenticate: async request => {
      const token = request.headers.get('authorization')?.replace('Bearer ', '');
      return token === undefined ? undefined : { token, clientId: 'host', scopes: [] };
    },
    elsewhere: pages.fetch,
  });
}
