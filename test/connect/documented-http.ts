/** The server over HTTP that docs/connect.md shows. */

import { type KeySource, type Midcall, midcall } from '@midcall/server';
import { bearer, connect, type Provider, signIn } from '@midcall/server/connect';
import { serveHttp } from '@midcall/server/node';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { Store } from '../../packages/core/src/store/store.ts';

export async function documentedHttp(
  login: Provider,
  { store, key }: { store: Store; key: KeySource },
  factoryOf: (mid: Midcall) => McpServerFactory,
) {
  // #region http
  const endpoint = new URL('https://weather.example.com/mcp');
  const guard = bearer(login, { resource: endpoint });
  const pages = connect({
    name: 'Weather',
    baseUrl: new URL('/connect', endpoint),
    signIn: signIn(login, { store, key }),
  });
  const mid = midcall({ pages, store, key, principal: guard.principal });
  const serving = await serveHttp(factoryOf(mid), {
    allowedHosts: [endpoint.hostname],
    authenticate: guard.authenticate,
    elsewhere: request => guard.metadata(request) ?? pages.fetch(request),
  });
  // #endregion
  return { serving, pages };
}
