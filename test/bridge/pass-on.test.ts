/** Requests that another bridge runs the servers for: which are sent on, which are sent again, and which never are. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MidcallError } from '@midcall/core/errors';
import { expect, it, onTestFinished } from 'vitest';
import { type PassOnOptions, passOn } from '../../packages/midcall/src/bridge/http/pass-on.ts';

const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const post = (headers: Record<string, string> = {}): Request =>
  new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(body) });

/** Another bridge, which answers, or cuts each connection once it has read the request; `asked` counts what it was sent. */
async function otherBridge(does: 'answers' | 'cuts') {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    if (does === 'answers') response.end('{}');
    else request.socket.destroy();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise(resolve => server.close(resolve));
  onTestFinished(() => void close());
  const address = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { address, asked: () => asked, close };
}

/** Who runs the servers, from one look to the next; each pause is over at once. */
function runBy(...owners: (URL | 'here' | 'away')[]): PassOnOptions {
  return {
    owners: {
      async ownerOf() {
        const owner = owners.length > 1 ? owners.shift()! : owners[0]!;
        if (owner === 'away') throw new MidcallError('store/unavailable', 'Redis is away.');
        return owner;
      },
    },
    clock: {
      now: () => 0,
      after(_, fn) {
        setImmediate(fn);
        return () => {};
      },
    },
    onError: () => {},
  };
}

it('pass-on-O1: a request that no bridge can have read is served by the next that runs the servers', async () => {
  const gone = await otherBridge('answers');
  await gone.close();
  expect(await passOn('ada', post(), body, runBy(gone.address, 'here'))).toBeUndefined();
});

it('pass-on-O1: a request that may have been executed is not sent again, unless its session recognizes it', async () => {
  const other = await otherBridge('cuts');
  expect((await passOn('ada', post(), body, runBy(other.address, other.address, 'here')))?.status).toBe(502);
  expect(other.asked()).toBe(1);
  const ofSession = post({ 'mcp-session-id': 'a session' });
  expect(await passOn('ada', ofSession, body, runBy(other.address, other.address, 'here'))).toBeUndefined();
  expect(other.asked()).toBe(3);
});

it('pass-on-O1: a request of a session that may have been executed is not said to have done nothing when its bridge cannot be reached any more', async () => {
  const other = await otherBridge('cuts');
  const ofSession = post({ 'mcp-session-id': 'a session' });
  const told = await passOn('ada', ofSession, body, runBy(other.address, 'away'));
  expect(told?.status).toBe(503);
  expect(await told?.text()).toContain('it is not known what took effect');
  const unread = await passOn('ada', post({ 'mcp-session-id': 'a session' }), body, runBy('away'));
  expect(await unread?.text()).toContain('This bridge has begun nothing. If the request was sent before, find out');
});

it('pass-on-O1: a request that no bridge could be given is not said to be one to repeat, since it may have been sent before', async () => {
  const gone = await otherBridge('answers');
  await gone.close();
  let now = 0;
  const parts = runBy(gone.address);
  const clock = { ...parts.clock, now: () => (now += 5_000) };
  const told = await passOn('ada', post(), body, { ...parts, clock });
  expect(await told?.text()).toContain('This bridge has begun nothing. If the request was sent before, find out');
});

it('pass-on-O2: a request that was passed on is not passed on again', async () => {
  const other = await otherBridge('answers');
  expect((await passOn('ada', post(), body, runBy(other.address)))?.status).toBe(200);
  const response = await passOn('ada', post({ 'midcall-bridge': 'passed on' }), body, runBy(other.address));
  expect([response?.status, response?.headers.get('midcall-bridge'), other.asked()]).toEqual([503, 'moved', 1]);
});
