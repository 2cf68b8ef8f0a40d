/** How many requests of one owner may be open, and which of them listen. */
import { expect, it } from 'vitest';
import { OpenRequests } from '../../../packages/server/src/http/open-requests.ts';

const call = { method: 'tools/call' };
const listen = { method: 'subscriptions/listen' };
/** Undefined if it is refused. */
const taken = (requests: OpenRequests, owner: string, body: unknown) => {
  const result = requests.take(owner, body);
  return typeof result === 'function' ? result : void expect(result).toMatchObject({ status: 429, retryAfter: 1 });
};

it('an owner may listen again once a stream has ended, whatever else is open', () => {
  const requests = new OpenRequests({ listening: 1, inAll: 3 });
  taken(requests, 'alice', call);
  const release = taken(requests, 'alice', listen);
  expect(taken(requests, 'alice', listen)).toBeUndefined();
  release!();
  expect(taken(requests, 'alice', listen)).toBeDefined();
});

it('an owner has no more requests open than it may, whatever others have', () => {
  const requests = new OpenRequests({ listening: 1, inAll: 2 });
  const release = taken(requests, 'alice', call);
  taken(requests, 'alice', call);
  expect(taken(requests, 'alice', call)).toBeUndefined();
  expect(taken(requests, 'bob', call)).toBeDefined();
  release!();
  expect(taken(requests, 'alice', call)).toBeDefined();
});
