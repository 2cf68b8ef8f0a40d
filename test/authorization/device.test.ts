/** A sign-in by device code (RFC 8628) before a real authorization server: the person agrees on a page elsewhere. */
import { type Clock, memoryVault } from '@midcall/host';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { Browser } from '../connect/sign-in-flow.ts';
import { grown } from '../fixtures/grown.ts';
import { handClock } from '../host/clock.ts';
import { type AtSignIn, guarded, hostOf } from './stage.ts';

/** Sends each form of the pages that ask for the code and for consent, as a person does who agrees. */
async function agrees(address: string): Promise<string> {
  const browser = new Browser();
  let { url, response } = await browser.follow(address);
  for (let page = 0; page < 4; page += 1) {
    const markup = (await response?.text()) ?? '';
    const action = /<form[^>]*action="([^"]*)"/u.exec(markup)?.[1];
    const hidden = [...markup.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/gu)];
    if (action === undefined) return markup;
    const sent = await browser.send(new URL(action, url), {
      method: 'POST',
      headers: { origin: url.origin, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(hidden.map(([, name, value]) => [name!, value!])).toString(),
    });
    const location = sent.headers.get('location');
    if (location === null) response = sent;
    else ({ url, response } = await browser.follow(new URL(location, url)));
  }
  return '';
}

const day = 24 * 3_600_000;

/** How often it is looked for a sign-in by another process, which takes a timer too. */
const lookMs = 1_000;

/** A clock that is moved by hand, and all times that it was asked to wait for. */
function watchedClock() {
  const clock = handClock(Date.now());
  const waits: number[] = [];
  const after: Clock['after'] = (ms, fn) => {
    waits.push(ms);
    return clock.after(ms, fn);
  };
  return { clock: { now: clock.now, move: clock.move, after }, waits };
}

/** The authorization server, with other members in its answer to the first request. */
const wanting =
  (wants: object): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (!response.url.endsWith('/device/auth')) return response;
    return Response.json({ ...((await response.json()) as object), ...wants });
  };

describe.each(eras)('a sign-in by device code, on %s', era => {
  const auth = { flow: 'device-code', clientId: 'television' } as const;

  it('a sign-in by device code shows the address and the code, and ends when the person has agreed there', async () => {
    const { url, granted } = await guarded();
    const clock = handClock(Date.now());
    const person: AtSignIn = async ({ url: page, code }) => {
      expect(code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
      clock.move(5_000);
      await agrees(page.href);
      // It is asked again as often as it wants.
      while (granted.every(each => each.startsWith('refused'))) {
        if (clock.left.includes(5_000)) clock.move(5_000);
        await new Promise(resolve => setImmediate(resolve));
      }
    };
    const host = hostOf(url, { era, vault: memoryVault(), auth, person, clock });
    await host.connection.start();
    expect(await host.call('whoami')).toBe('alice');
    expect(host.asked).toHaveLength(1);
    expect(granted.at(-1)).toContain('device_code');
  });

  it.each([
    ['a long wait', { interval: 1e7, expires_in: 1e9 }, 300_000],
    ['no wait', { interval: -1, expires_in: 1e9 }, 1_000],
  ])(
    'a sign-in by device code asks from once a second to once in five minutes, for a day at most: %s',
    async (_, wants, interval) => {
      const { url, granted } = await guarded();
      const { clock, waits } = watchedClock();
      const begun = clock.now();
      const person: AtSignIn = () => clock.move(1e13);
      const host = hostOf(url, { era, vault: memoryVault(), auth, person, clock, fetch: wanting(wants) });
      expect(await host.refusal()).toContain('has expired. Try again.');
      expect(host.asked.map(({ openUntil }) => openUntil)).toEqual([begun + day]);
      expect(waits).toContain(interval);
      expect(waits.filter(ms => ms < 1_000 || ms > 300_000)).toEqual([]);
      expect(granted).toEqual([]);
    },
  );

  it('a sign-in by device code asks ever less often where that is wanted, but at least once in five minutes', async () => {
    const { url } = await guarded();
    const { clock, waits } = watchedClock();
    const wanted = wanting({ expires_in: 1e9 });
    const slowing: typeof fetch = async (input, init) =>
      String(init?.body).includes('device_code')
        ? Response.json({ error: 'slow_down' }, { status: 400 })
        : wanted(input, init);
    const polls = (): readonly number[] => waits.slice(waits.indexOf(5_000)).filter(ms => ms !== lookMs);
    const person: AtSignIn = async () => {
      for (let count = 1; count <= 62; count += 1) {
        clock.move(polls().at(-1)!);
        await grown(waits, () => polls().length > count);
      }
      clock.move(1e13);
    };
    const host = hostOf(url, { era, vault: memoryVault(), auth, person, clock, fetch: slowing });
    expect(await host.refusal()).toContain('has expired. Try again.');
    expect(polls()).toEqual(Array.from({ length: 63 }, (_, at) => Math.min(5_000 * (at + 1), 300_000)));
  });

  it('a sign-in by device code ends with the code, where nobody has agreed', async () => {
    const { url } = await guarded();
    const clock = handClock(Date.now());
    const person: AtSignIn = () => clock.move(3_600_000);
    const host = hostOf(url, { era, vault: memoryVault(), auth, person, clock });
    expect(await host.refusal()).toContain('has expired. Try again.');
    expect(host.inbox.list()).toEqual([]);
  });
});
