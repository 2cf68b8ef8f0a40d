/** Pages over loopback HTTP with real authorization servers behind them; what the tests of the flows stand on. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { idleClock } from '@midcall/core/time';
import type { PageOutcome, PageService, PagesHost, Principal } from '@midcall/server';
import {
  connect,
  oauth,
  oauthPages,
  type Provider,
  provider,
  signIn,
  type Vault,
  vault,
} from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { type AuthorizationServer, startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import type { Store } from '../../packages/core/src/store/store.ts';
import { noWake } from '../../packages/server/src/base/wake.ts';
import type { PersonCheck } from '../../packages/server/src/request/pages.ts';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';
import { watched } from '../../tools/canary-tap.ts';

export const clientSecret = 'client-secret-canary-0123456789';

const client = (id: string) => ({
  client_id: id,
  client_secret: clientSecret,
  application_type: 'native',
  // A native client's loopback addresses match on any port (RFC 8252, section 7.3); their paths match exactly.
  redirect_uris: ['http://127.0.0.1/connect/callback/notes', 'http://127.0.0.1/connect/sign-in/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
});

/** Everything of one server with pages. */
export interface PagesUnderTest {
  /** Where people sign in to this server: also the issuer of MCP principals. */
  readonly login: AuthorizationServer;
  /** The third party. */
  readonly thirdParty: AuthorizationServer;
  readonly notes: Provider;
  readonly store: Store;
  readonly vault: Vault;
  readonly service: PageService;
  readonly origin: string;
  /** Everything audited and warned. */
  readonly said: unknown[];
  /** A link for somebody, as an ask makes it. */
  ask(
    who: Principal,
    options?: { scopes?: readonly string[]; check?: PersonCheck; code?: string },
  ): Promise<{ url: string; pageId: string }>;
  /** What became of a page by now. */
  outcome(pageId: string): Promise<PageOutcome | undefined>;
  principal(name: string): Principal;
  /** Keeps the next request to a path from arriving, as an attacker does who wants its address. @returns the address */
  withhold(path: string): Promise<string>;
  close(): Promise<void>;
}

/** What pages are lent by a server. */
export function lend(store: Store, key: Uint8Array, said: unknown[]): PagesHost {
  return {
    store,
    sealer: createSealer(keyRing(key)),
    wake: noWake,
    clock: idleClock,
    warn: message => {
      said.push(message);
      watched('warning', message);
    },
    audit: (_call, event) => {
      said.push(event);
      watched('audit', JSON.stringify(event));
    },
  };
}

/**
 * @param options - `forms`: people sign in on forms, as a browser test needs it; else the server's `state.person` does;
 *   `store`: this process's memory where absent
 */
export async function startPages({
  forms = false,
  store = memoryStore(),
}: {
  readonly forms?: boolean;
  readonly store?: Store;
} = {}): Promise<PagesUnderTest> {
  const person = forms ? {} : { person: 'alice' };
  const [login, thirdParty] = await Promise.all([
    startAuthorizationServer({ clients: [client('pages')], host: 'localhost', ...person }),
    startAuthorizationServer({ clients: [client('midcall')], scopes: ['notes.read', 'notes.write'], ...person }),
  ]);
  const key = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7));
  const kept = vault({ store, key });
  const notes = provider({
    id: 'notes',
    name: 'Notes Co',
    issuer: thirdParty.issuer,
    clientId: 'midcall',
    clientSecret,
    scopes: ['notes.read'],
  });
  let withheld: { readonly path: string; readonly give: (url: string) => void } | undefined;
  const server = createServer((req, res) => {
    if (withheld && req.url?.startsWith(withheld.path)) {
      withheld.give(`${origin}${req.url}`);
      withheld = undefined;
      res.writeHead(204).end();
    } else void pages.handle(req, res);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pages = connect({
    name: 'Test notes',
    baseUrl: `${origin}/connect`,
    vault: kept,
    kinds: [oauthPages(kept, [notes])],
    signIn: signIn(provider({ id: 'login', name: 'Login', issuer: login.issuer, clientId: 'pages', clientSecret }), {
      store,
      key,
    }),
  });
  const said: unknown[] = [];
  const service = pages.attach(lend(store, key, said));

  return {
    login,
    thirdParty,
    notes,
    store,
    vault: kept,
    service,
    origin,
    said,
    principal: name => ({ issuer: login.issuer, subject: name }),
    async ask(who, { scopes, check = 'sign-in', code } = {}) {
      const page = oauth(notes, scopes === undefined ? {} : { scopes });
      const pageId = service.newPageId();
      const { url } = await service.open({
        pageId,
        kind: page.kind,
        data: page.data,
        message: 'Connect your notes.',
        check,
        ...(code !== undefined && { code }),
        call: { method: 'tools/call', name: 'notes_import', principal: who } as never,
        arguments: {},
        askedAt: Date.now(),
        dueAt: Date.now() + 600_000,
      });
      return { url, pageId };
    },
    withhold: path =>
      new Promise(resolve => {
        withheld = { path, give: resolve };
      }),
    outcome: pageId => service.outcome(pageId, 0),
    async close() {
      await pages.close();
      await Promise.all([login.close(), thirdParty.close()]);
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
