/** docs/mount.md: in Deno. */
interface DenoRuntime {
  serve(
    options: { readonly hostname: string; readonly port: number; readonly onListen: (address: Address) => void },
    handler: (request: Request) => Promise<Response>,
  ): unknown;
}
interface Address {
  readonly port: number;
}
declare const Deno: DenoRuntime;

// #region mount
import process from 'node:process';
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { paintServer } from './paint-server.ts';

const mid = midcall();
const endpoint = mcpEndpoint(() => paintServer(mid));

const onListen = ({ port }: { readonly port: number }) => console.log(`http://127.0.0.1:${port}/`);
Deno.serve({ hostname: '127.0.0.1', port: Number(process.env['PORT'] ?? 3000), onListen }, request =>
  endpoint.fetch(request),
);
// #endregion
