/** The test's hold on calls in other processes: they say that they have begun, and work on when they are let. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export async function control() {
  const held: ServerResponse[] = [];
  let begun = 0;
  let isOpen = false;
  let look = (): void => {};
  const server = createServer((_, res) => {
    begun += 1;
    if (isOpen) res.end('released');
    else held.push(res);
    look();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** Resolves when so many calls have begun. */
    begun: (count: number): Promise<void> =>
      new Promise(resolve => {
        look = () => begun >= count && resolve();
        look();
      }),
    /** Lets all calls end their work. */
    release(): void {
      isOpen = true;
      for (const res of held) res.end('released');
    },
  };
}
