/** A port of this machine that nothing listens on, for what has to know it before it listens. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** @param port - the one that is wanted; 0 for any */
export async function freePort(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'EADDRINUSE' ? 'is taken' : `cannot be used: ${cause.code}`;
    throw new Error(`Port ${port} ${why}. Choose another, or 0 for any free one.`, { cause });
  });
  const address = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return address.port;
}
