/**
 * What the official suite's `auth/*` scenarios ask of a client: our connection to a server that wants a sign-in, and a person whose
 * browser follows where the authorization server leads.
 */
import { Connection, Inbox, memoryVault, type Presenter, urlTarget } from '@midcall/host';
import { discoverOAuthProtectedResourceMetadata } from '@modelcontextprotocol/client';

/** What the suite tells a client beforehand. */
export interface SuiteContext {
  readonly client_id?: string;
  readonly client_secret?: string;
}

/** The document that the suite takes for ours, without looking at it. */
const documentUrl = 'https://conformance-test.local/client-metadata.json';

const browsing: Presenter = {
  via: 'conformance',
  show(question, { reply }) {
    if (question.kind === 'sign-in') void follow(question.url.href);
    else void reply({ action: 'decline' });
  },
};

/** As a browser: one redirect after the other, to the listener of ours. */
async function follow(address: string): Promise<void> {
  const response = await fetch(address);
  await response.text();
}

/** Connects, signs in, lists the tools and calls one. A scenario that wants a refusal ends there. */
export async function signedIn(
  url: string,
  scenario: string,
  version: string | undefined,
  { client_id: clientId, client_secret: clientSecret }: SuiteContext,
): Promise<void> {
  const inbox = new Inbox();
  inbox.present(browsing);
  const target = urlTarget(url, {
    auth: {
      ...(scenario === 'auth/basic-cimd' && { clientMetadataUrl: documentUrl }),
      ...(clientId !== undefined && { clientId }),
      // What whoever was given the secret knows with it: where it is for.
      ...(clientSecret !== undefined && { clientSecret, issuer: await issuerOf(url) }),
    },
  });
  const connection = new Connection(
    { id: 'conformance', target },
    {
      client: { name: 'midcall-conformance', version: '1.0.0' },
      inbox,
      era: version === '2025-11-25' ? version : 'auto',
      authorization: { vault: memoryVault() },
    },
  );
  await connection.start();
  await connection.catalogue();
  for (const name of ['test-tool', 'test-tool']) {
    const outcome = await connection.run({ kind: 'tool', name, arguments: {} }).outcome;
    console.log(JSON.stringify(outcome));
  }
  await connection.stop();
}

async function issuerOf(url: string): Promise<string> {
  const { authorization_servers: [issuer] = [] } = await discoverOAuthProtectedResourceMetadata(url);
  return issuer ?? new URL(url).origin;
}
