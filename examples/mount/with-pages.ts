/** docs/mount.md: the pages of `connect` beside the endpoint, at one address. */
// #region pages
import { midcall } from '@midcall/server';
import { type ConnectOptions, connect } from '@midcall/server/connect';
import { mcpEndpoint } from '@midcall/server/http';
// #endregion
import { paintServer } from './paint-server.ts';

export function paintWithPages(baseUrl: URL, signIn: NonNullable<ConnectOptions['signIn']>) {
  // #region pages
  const pages = connect({ name: 'Paint', baseUrl, signIn }); // baseUrl: https://paint.example.com/pages
  const mid = midcall({ pages });
  const endpoint = mcpEndpoint(() => paintServer(mid), {
    allowedHosts: [baseUrl.hostname],
    elsewhere: request => pages.fetch(request),
  });
  // #endregion
  return endpoint;
}
