/** Hosts over HTTP before a server that wants a sign-in: each principal has its own, and is told of it while it is missing. */
import { Audit, type Inbox, memoryVault, type ServerEntry, type SignInQuestion, urlTarget } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { tokenGuard } from '../../packages/midcall/src/bridge/http/callers.ts';
import { guarded, signsIn } from '../authorization/stage.ts';
import { handClock } from '../host/clock.ts';
import { connectHost, hosts, httpStage } from './http-stage.ts';
import { textOf } from './stage.ts';
import { ring, ringing, until } from './until.ts';

const ada = 'Qm3-token-of-ada-who-has-to-sign-in-Lf60';
const alan = 'Hs9-token-of-alan-who-has-to-sign-in-Bd17';
const guard = tokenGuard([
  { token: ada, principal: 'ada', desk: true },
  { token: alan, principal: 'alan', desk: true },
]);
const entries = (entry: ServerEntry) => [{ path: '/mcp', entry, guard }];

const signInsOf = (inbox: Inbox): readonly SignInQuestion[] =>
  inbox.list().filter((each): each is SignInQuestion => each.kind === 'sign-in');

const holdMs = 45_000;

describe.each(hosts)('hosts of %s in front of a server that wants a sign-in', kind => {
  it('hosts in front of a server that wants a sign-in use the sign-in of their own principal, and the record says whose call each was', async () => {
    const { url } = await guarded();
    const signedIn: Inbox[] = [];
    const audit = new Audit();
    await using on = await httpStage({
      upstream: '2025-11-25',
      target: urlTarget(url.href),
      entries,
      atDesk: inbox => {
        signedIn.push(inbox);
        void signsIn(signInsOf(inbox)[0]!, inbox);
      },
      options: { authorization: { vault: memoryVault() }, audit },
    });
    for (const token of [ada, ada, alan]) {
      const host = await connectHost(kind, on.url, { token });
      expect(await host.listTools()).toEqual(['whoami']);
      expect(textOf(await host.call('whoami'))).toBe('alice');
      await host.close();
    }
    expect(signedIn).toHaveLength(2);
    expect(new Set(signedIn).size).toBe(2);
    const [hers, his] = ['ada (midcall-bridge)', 'alan (midcall-bridge)'];
    const recorded = audit.entries().map(({ principal, event }) => [principal, event.type]);
    expect(recorded.filter(([, type]) => type === 'asked')).toEqual([
      [hers, 'asked'],
      [his, 'asked'],
    ]);
    expect(recorded.filter(([, type]) => type === 'call')).toEqual([
      ...Array.from({ length: 4 }, () => [hers, 'call']),
      ...Array.from({ length: 2 }, () => [his, 'call']),
    ]);
  });

  it('hosts before a server that wants a sign-in hear who has to do what meanwhile, and their requests work after it', async () => {
    const { url, logins } = await guarded();
    const clock = handClock();
    const shown: Inbox[] = [];
    await using on = await httpStage({
      upstream: '2025-11-25',
      target: urlTarget(url.href),
      atDesk: inbox => {
        shown.push(inbox);
        ring();
      },
      options: { authorization: { vault: memoryVault() }, clock: ringing(clock), holdMs },
    });
    const host = await connectHost(kind, on.url);
    for (const send of [() => host.listTools(), () => host.call('whoami')]) {
      const refused = send().then(
        () => undefined,
        ({ code, data }) => ({ code, data }),
      );
      await until(() => clock.left.includes(holdMs));
      clock.move(holdMs);
      expect(await refused).toEqual({
        code: -32603,
        data: { reason: 'sign-in', server: 'upstream', issuer: logins.issuer },
      });
    }
    const call = host.call('whoami');
    await until(() => clock.left.includes(holdMs));
    const [inbox] = shown;
    expect(signInsOf(inbox!)).toHaveLength(1);
    await signsIn(signInsOf(inbox!)[0]!, inbox!);
    expect(textOf(await call)).toBe('alice');
    expect(await host.listTools()).toEqual(['whoami']);
    await host.close();
  });
});

it('a host for which another process of the server is started is told of its sign-in, too', async () => {
  const { url } = await guarded();
  const clock = handClock();
  await using on = await httpStage({
    upstream: '2025-11-25',
    target: urlTarget(url.href),
    atDesk: ring,
    options: { authorization: { vault: memoryVault() }, clock: ringing(clock), holdMs },
  });
  const plain = await connectHost('SDK 2, 2025-11-25', on.url);
  // What it declares beside the usual keeps its server apart.
  const other = await connectHost('SDK 2, 2025-11-25', on.url, { capabilities: { experimental: { 'x/other': {} } } });
  for (const host of [plain, other]) {
    const refused = host.listTools().then(
      () => undefined,
      ({ data }) => data as object,
    );
    await until(() => clock.left.includes(holdMs));
    clock.move(holdMs);
    expect(await refused).toMatchObject({ reason: 'sign-in' });
    await host.close();
  }
});
