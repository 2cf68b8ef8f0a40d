/**
 * A payment that needs two others, on this machine: an authorization server, a server, and the inboxes of its people.
 *
 *   npm run --silent example -- approvals [--data DIR] [--port PORT]
 *
 * It prints what to do next, and runs until it is stopped.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openInbox } from '@midcall/inbox';
import { midcall } from '@midcall/server';
import { bearer, provider } from '@midcall/server/connect';
import { serveHttp } from '@midcall/server/node';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { startAuthorizationServer } from '../import/authorization-server.ts';
import { approvalsServer } from './server.ts';

/** @param folder - where the calls that wait, and the inboxes, are stored */
export async function startApprovals(folder: string, port: number): Promise<void> {
  const publicUrl = new URL(`http://localhost:${port}`);
  const clientSecret = randomBytes(24).toString('base64url');
  // In a company, this is the one that people sign in at anyway.
  const login = await startAuthorizationServer({
    clients: [
      {
        client_id: 'payments',
        client_secret: clientSecret,
        redirect_uris: [new URL('/inbox/signed-in', publicUrl).href],
        grant_types: ['authorization_code', 'refresh_token'],
        application_type: 'native',
      },
    ],
    scopes: ['pay'],
    host: 'localhost',
    tokens: 'opaque',
    registration: true,
  });
  const { issuer } = login;

  // #region inbox
  const company = provider({ id: 'company', issuer, clientId: 'payments', clientSecret, scopes: ['openid'] });
  const inbox = await openInbox({
    where: join(folder, 'inbox.db'),
    issuer: company,
    publicUrl, // http://localhost:4100
    groups: { names: { finance: ['ada', 'ben', 'cleo'] } },
  });
  const guard = bearer(company, { resource: new URL('/mcp', publicUrl), scopes: ['pay'] });
  const mid = midcall({
    inbox,
    principal: guard.principal,
    key: { file: join(folder, 'key'), create: true },
    store: await sqliteStore(join(folder, 'calls.db')),
  });
  const serving = await serveHttp(() => approvalsServer(mid, paid), {
    port,
    authenticate: guard.authenticate,
    elsewhere: async request =>
      guard.metadata(request) ?? (await inbox.pages(request)) ?? new Response('Not found.', { status: 404 }),
  });
  // #endregion
  console.log(`A payment needs two of ada, ben and cleo, other than whoever asks for it.
You can be all three: to sign in here takes a name, and no password.

1. In another terminal, ask for one. Let it open the page where you sign in, and do so as ada:
   npx midcall call --url ${new URL('/mcp', publicUrl)} pay amount=4000 to=Acme
2. Agree as ben, in one browser, and as cleo, in another one or a private window:
   ${inbox.url}
3. For an amount of 10000 or more, both need a passkey. They add one first, under Passkeys.

What was paid is printed here. The data is in ${folder}. Ctrl+C ends it.
`);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, async () => {
      await serving.stop();
      await inbox.stop();
      await login.close();
      process.exit();
    });
  }
}

const paid = ({ amount, to, agreed }: Parameters<Parameters<typeof approvalsServer>[1]>[0]): void =>
  console.log(`Paid ${amount.toFixed(2)} EUR to ${to}: ${agreed.join(' and ')} agreed.`);
