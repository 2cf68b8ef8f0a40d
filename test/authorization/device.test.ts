/** A sign-in by device code (RFC 8628) before a real authorization server: the person agrees on a page elsewhere. */
import { memoryVault } from '@midcall/host';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { Browser } from '../connect/sign-in-flow.ts';
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

describe.each(eras)('a sign-in by device code, on %s', era => {
  const auth = { flow: 'device-code', clientId: 'television' } as const;

  it('shows the address and the code, and ends when the person has agreed there', async () => {
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

  it('ends with the code, where nobody has agreed', async () => {
    const { url } = await guarded();
    const clock = handClock(Date.now());
    const person: AtSignIn = () => clock.move(3_600_000);
    const host = hostOf(url, { era, vault: memoryVault(), auth, person, clock });
    expect(await host.refusal()).toContain('has expired. Try again.');
    expect(host.inbox.list()).toEqual([]);
  });
});
