/** From a server's target to the transport that reaches it; nothing is started before the transport is. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ServerTarget } from './server-entry.ts';

/** What a transport needs besides its target. */
export interface TransportOptions {
  /** Each line a started server writes to its standard error; untrusted. Dropped where absent. */
  readonly onStderr?: (line: string) => void;
  /** For HTTP. */
  readonly fetch?: typeof fetch;
}

/** The transport to a server: Streamable HTTP for a URL, stdio for a command. */
export function openTransport(target: ServerTarget, { onStderr, fetch }: TransportOptions = {}): Transport {
  if (target.kind === 'url') {
    return new StreamableHTTPClientTransport(new URL(target.url), {
      ...(target.headers && { requestInit: { headers: { ...target.headers } } }),
      ...(fetch && { fetch }),
    });
  }
  const { command, args, env, cwd } = target;
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    stderr: 'pipe',
    ...(env && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
  });
  if (transport.stderr) {
    const lines = createInterface({ input: transport.stderr as Readable });
    lines.on('line', line => onStderr?.(line));
  }
  return transport;
}
