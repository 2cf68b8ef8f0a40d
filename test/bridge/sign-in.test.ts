/** A bridge in front of a server that wants a sign-in: what the host hears meanwhile, and that its calls go on. */
import { type Inbox, memoryVault, type SignInQuestion } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { guarded, signsIn } from '../authorization/stage.ts';
import { handClock } from '../host/clock.ts';
import { alike, stage } from './stage.ts';
import { until } from './until.ts';

const signInOf = (inbox: Inbox): SignInQuestion | undefined =>
  inbox.list().find((each): each is SignInQuestion => each.kind === 'sign-in');

const textOf = (result: object): string => (result as { content: { text: string }[] }).content[0]!.text;

/** What a request ends with. */
const ended = (work: Promise<object>): Promise<object> =>
  work.catch(({ code, message, data }) => ({ code, message, data }) as object);

const holdMs = 45_000;

describe.each(alike)('a host of %s in front of a server of %s that wants a sign-in', (host, upstream) => {
  const inFront = (url: URL, atDesk: (inbox: Inbox) => unknown, more: Partial<Parameters<typeof stage>[0]> = {}) =>
    stage({ host, upstream, url: url.href, options: { authorization: { vault: memoryVault() } }, atDesk, ...more });

  it('a host in front of a server that wants a sign-in is served when the person signs in on the desk', async () => {
    const { url } = await guarded();
    await using bridge = await inFront(url, inbox => void signsIn(signInOf(inbox)!, inbox));
    const { tools } = await bridge.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['whoami']);
    expect(textOf(await bridge.client.callTool({ name: 'whoami', arguments: {} }))).toBe('alice');
    expect(bridge.opened).toHaveLength(1);
  });

  it('a host before a server that wants a sign-in hears who has to do what meanwhile, and its requests work after it', async () => {
    const { url, logins } = await guarded();
    const clock = handClock();
    const changed: number[] = [];
    await using bridge = await inFront(url, () => {}, {
      clock,
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed.push(1) } },
    });
    for (const send of [
      () => bridge.client.listTools(),
      () => bridge.client.callTool({ name: 'whoami', arguments: {} }),
    ]) {
      const refused = ended(send());
      await until(() => clock.left.includes(holdMs));
      clock.move(holdMs);
      expect(await refused).toMatchObject({
        code: -32603,
        message: expect.stringMatching(
          `^The server 'upstream' wants the person to sign in at ${logins.issuer}\\..* send the same request again\\.$`,
        ),
        data: { reason: 'sign-in', server: 'upstream', issuer: logins.issuer },
      });
    }
    // A call that is out when the person signs in goes on by itself.
    const call = bridge.client.callTool({ name: 'whoami', arguments: {} });
    await until(() => clock.left.includes(holdMs));
    await signsIn(signInOf(bridge.inbox)!, bridge.inbox);
    expect(textOf(await call)).toBe('alice');
    expect((await bridge.client.listTools()).tools).toHaveLength(1);
    if (host === '2025-11-25') expect(changed.length).toBeGreaterThan(0);
  });

  it('a call that waited for a sign-in which had ended is found again, and nothing is done twice', async () => {
    let refuses = false;
    const calls: string[] = [];
    const { url, logins } = await guarded({
      intercept: request => {
        if (refuses) return new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
        calls.push(request.method);
        return undefined;
      },
    });
    const clock = handClock();
    await using bridge = await inFront(url, inbox => void (refuses || signsIn(signInOf(inbox)!, inbox)), { clock });
    await bridge.client.listTools();
    // Nothing of before is taken any more: neither the access token nor the refresh token.
    refuses = true;
    logins.state.intercept = (request, response) => {
      if (request.url !== '/token') return false;
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
      return true;
    };
    const refused = ended(bridge.client.callTool({ name: 'whoami', arguments: {} }));
    await until(() => signInOf(bridge.inbox) !== undefined && clock.left.includes(holdMs));
    clock.move(holdMs);
    expect(await refused).toMatchObject({
      code: -32603,
      message: expect.stringContaining('send the same request again. Within 15 minutes, it goes on where it is'),
      data: { reason: 'sign-in' },
    });
    [refuses, logins.state.intercept] = [false, undefined];
    const again = bridge.client.callTool({ name: 'whoami', arguments: {} });
    await until(() => clock.left.includes(holdMs));
    await signsIn(signInOf(bridge.inbox)!, bridge.inbox);
    expect(textOf(await again)).toBe('alice');
    expect(bridge.inbox.list()).toEqual([]);
  });

  it('a host in front of a server that wants a sign-in is told that the person declined, and asks again with its next call', async () => {
    const { url } = await guarded();
    await using bridge = await inFront(url, inbox => inbox.reply(signInOf(inbox)!.id, { action: 'decline' }, 'web'));
    const refused = await ended(bridge.client.listTools());
    expect(refused).toMatchObject({ message: expect.stringContaining('The person declined to sign in at') });
    const call = bridge.client.callTool({ name: 'whoami', arguments: {} });
    await until(() => signInOf(bridge.inbox) !== undefined);
    await signsIn(signInOf(bridge.inbox)!, bridge.inbox);
    expect(textOf(await call)).toBe('alice');
  });
});
