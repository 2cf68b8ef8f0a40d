/** The tools that a server lists, selected and ordered for each client. */
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';

/** Selects and orders the tools listed for the requesting client. */
export type Arrangement = <T extends { readonly name: string }>(
  tools: readonly T[],
  ctx: ServerContext,
) => readonly T[];

type Handler = (
  request: unknown,
  ctx: ServerContext,
) => Promise<{ readonly tools: readonly { readonly name: string }[] }>;

/** @param server - without tools: the SDK registers its handler with the first of them */
export function arrangeTools({ server }: McpServer, arrangement: Arrangement): void {
  const register = server.setRequestHandler.bind(server) as (method: string, ...rest: unknown[]) => void;
  const arranged =
    (handler: Handler): Handler =>
    async (request, ctx) => {
      const result = await handler(request, ctx);
      return { ...result, tools: arrangement(result.tools, ctx) };
    };
  server.setRequestHandler = ((method: string, ...rest: unknown[]) => {
    if (method === 'tools/list') rest.push(arranged(rest.pop() as Handler));
    register(method, ...rest);
  }) as typeof server.setRequestHandler;
}
