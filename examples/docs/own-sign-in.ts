/** Pages whose visitors are known by the cookie of the author's own web site, for docs/connect.md. */
import { midcall } from '@midcall/server';
import { confirm, connect, type SignIn } from '@midcall/server/connect';
import { McpServer } from '@modelcontextprotocol/server';

/** The sessions of the web site. @returns who a cookie belongs to */
export interface Sessions {
  personOf(cookie: string | null): Promise<string | undefined>;
}

export function shopPages(sessions: Sessions, personOfToken: () => string) {
  // #region sign-in
  const issuer = 'https://shop.example.com'; // names your own accounts, in pages and in calls
  const signIn: SignIn = {
    issuer,
    async principal(request) {
      const subject = await sessions.personOf(request.headers.get('cookie'));
      return subject === undefined ? undefined : { issuer, subject };
    },
    begin: async (_request, back) => Response.redirect(new URL(`/login?next=${back.pathname}`, issuer), 303),
  };
  const pages = connect({ name: 'Shop', baseUrl: new URL('/connect', issuer), signIn });
  const mid = midcall({ pages, principal: () => ({ issuer, subject: personOfToken() }) });
  // #endregion
  const factory = () => {
    const server = new McpServer({ name: 'shop', version: '1.0.0' });
    mid.tool(server, 'refund', {}, async (_args, call) => {
      const page = confirm({ allow: 'Refund' });
      const answer = await call.elicitUrl({ message: 'Refund 90 EUR?', page, assurance: 'verified' });
      return answer.action === 'accept' ? `Refunded: ${answer.by.assurance}.` : `Not refunded: ${answer.action}.`;
    });
    return server;
  };
  return { factory, pages };
}
