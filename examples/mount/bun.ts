/** docs/mount.md: in Bun. */
interface BunRuntime {
  serve(options: {
    readonly hostname: string;
    readonly port: number;
    readonly idleTimeout: number;
    readonly fetch: (request: Request) => Promise<Response>;
  }): { readonly url: URL };
}
declare const Bun: BunRuntime;

// #region mount
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { paintServer } from './paint-server.ts';

const mid = midcall();
const endpoint = mcpEndpoint(() => paintServer(mid));

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT'] ?? 3000),
  idleTimeout: 0, // by default, Bun closes a response after 10 s without data, and people take longer
  fetch: request => endpoint.fetch(request),
});
console.log(server.url.href);
// #endregion
