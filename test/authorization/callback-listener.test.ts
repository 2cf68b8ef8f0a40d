/** What the address that a browser returns to after a sign-in answers, and to whom. */
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type Callback, CallbackListener } from '../../packages/host/src/authorization/callback-listener.ts';

/** Listens for one state, and says that the person is signed in as soon as it has come; `taken` is what came with it. */
async function listening(state: string) {
  const listener = (await CallbackListener.open())!;
  onTestFinished(() => listener.close());
  const taken: Callback[] = [];
  void listener.awaited(state).then(callback => {
    taken.push(callback);
    callback.answer();
  });
  return { address: new URL(`${listener.redirectUri}?state=${state}&code=c`), taken };
}

/**
 * The status of an answer. The connection has been closed from this side by the time it comes, so that there is an end to it
 * where none comes; then the status is undefined.
 */
const get = ({ port, host: own, pathname, search }: URL, host = own) =>
  new Promise<number | undefined>((resolve, reject) => {
    let got = '';
    const socket = connect(Number(port), '127.0.0.1');
    socket.setEncoding('utf8').on('data', chunk => {
      got += chunk;
    });
    socket.on('error', reject).on('close', () => resolve(got === '' ? undefined : Number(got.split(' ')[1])));
    socket.end(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  });

it('callback-L2: a listener for callbacks accepts a state once', async () => {
  const { address, taken } = await listening('a-state');
  expect(await get(address)).toBe(200);
  expect(await get(address)).toBe(400);
  expect(taken).toHaveLength(1);
});

it('callback-L1: a listener for callbacks answers under no other host name of this machine', async () => {
  const { address, taken } = await listening('a-state');
  for (const host of [`localhost:${address.port}`, `evil.example:${address.port}`, '127.0.0.1'])
    expect([host, await get(address, host)]).toEqual([host, 404]);
  expect(taken).toEqual([]);
  expect(await get(address)).toBe(200);
});
