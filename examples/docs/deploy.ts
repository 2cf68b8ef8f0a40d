/** The code of docs/deploy.md: a server on many machines, and its endpoint. */

// #region replica
import { type AuditSink, type Midcall, midcall } from '@midcall/server';
import { serveHttp } from '@midcall/server/node';
import { redisStore } from '@midcall/server/stores/redis';
import { type AuthInfo, McpServer, requireBearerAuth } from '@modelcontextprotocol/server';
// #endregion

export interface Cluster {
  /** One Redis connection. */
  readonly redis: { call(command: string, ...args: string[]): Promise<unknown> };
  readonly key: string;
  readonly verify: (token: string) => Promise<AuthInfo>;
  readonly publicHost: string;
  readonly audit: AuditSink;
}

export async function startReplica({ redis, key, verify, publicHost, audit }: Cluster) {
  // #region replica
  const mid = midcall({
    key, // the same on every machine; MIDCALL_KEY where absent
    store: redisStore({ send: ([command = '', ...args]) => redis.call(command, ...args) }),
    principal: ({ http }) => {
      const { iss, sub } = http?.authInfo?.extra ?? {};
      return typeof iss === 'string' && typeof sub === 'string' ? { issuer: iss, subject: sub } : undefined;
    },
    audit,
  });
  const serving = await serveHttp(() => parcelServer(mid), {
    host: '127.0.0.1', // behind the load balancer
    allowedHosts: [publicHost],
    authenticate: requireBearerAuth({ verifier: { verifyAccessToken: verify } }),
  });
  // #endregion

  // #region stop
  const stop = () => serving.stop({ within: 10_000 });
  process.once('SIGTERM', () => stop().finally(() => process.exit()));
  // #endregion
  return { url: serving.url, stop };
}

function parcelServer(mid: Midcall) {
  const server = new McpServer({ name: 'parcels', version: '1.0.0' });
  mid.tool(server, 'parcel_send', { annotations: { destructiveHint: true } }, async (_args, call) => {
    const label = await call.step('label', () => `P-${labels++}`, { effect: true });
    const answer = await call.elicit({ message: `Send ${label}?`, form: Boolean });
    const sent = answer.action === 'accept' && answer.content;
    return { content: [{ type: 'text', text: `${label} ${sent ? 'sent' : 'kept'} for ${call.principal?.subject}` }] };
  });
  return server;
}

let labels = 1;
