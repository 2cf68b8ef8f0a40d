/** The pages in a real browser: every kind, in light and dark, without client script, and inside somebody else's frame. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Call } from '@midcall/server';
import { confirm, formPage, html, type PageKind, pageOf, secret } from '@midcall/server/connect';
import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { launch, leaveBrowser, violations, visitor } from '../web/browser.ts';
import { fixture, told } from './fixture.ts';
import { codeIn } from './visitor.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

const trip = formPage({
  title: 'Plan the trip',
  items: {
    kind: { kind: 'select', label: 'Kind of trip', choices: ['private', 'business'], default: 'private' },
    cost: { kind: 'text', label: 'Cost centre', when: { field: 'kind', is: 'business' } },
    hotel: {
      kind: 'group',
      label: 'Hotel',
      items: {
        nights: { kind: 'number', label: 'Nights', integer: true, minimum: 1 },
        breakfast: { kind: 'boolean', label: 'Breakfast' },
      },
    },
    people: {
      kind: 'list',
      label: 'Traveller',
      min: 1,
      items: { name: { kind: 'text', label: 'Name', help: 'As in the passport' } },
    },
    extras: { kind: 'multi-select', label: 'Extras', choices: ['Train', 'Car'], required: false },
    notes: { kind: 'text', label: 'Notes', long: true, required: false },
  },
});

const notice: PageKind = {
  name: 'notice',
  show: ({ data }) => ({
    title: 'Notice',
    send: 'Sign',
    body: html`<p>${String(data)}</p><label for="name">Your name</label><input id="name" name="name">`,
  }),
  submit: () => ({ finish: () => null }),
};

const asks: Record<string, (call: Call) => Promise<string>> = {
  confirm: async call => told(await call.elicitUrl({ message: 'This empties a whole folder.', page: confirm() })),
  secret: async call => {
    const page = secret({ name: 'weather', label: 'API key', help: 'From weather.example, under Account.' });
    return told(await call.elicitUrl({ message: 'The forecast needs your key.', page }));
  },
  form: async call => told(await call.elicitUrl({ message: 'A few things about the trip.', page: trip })),
  question: async call =>
    told(
      await call.elicit({
        message: 'Delete “Q3 plan”?\nTwo notes match.',
        form: { note: ['work', 'home'], sure: Boolean },
        assurance: 'out-of-band',
      }),
    ),
};

async function open(kind: string) {
  const made = await fixture({
    era: '2025-11-25',
    capabilities: { elicitation: { form: {}, url: {} } },
    handler: asks[kind]!,
  });
  const result = made.call({ folder: 'work/2024', permanently: true, why: 'line one\nline two \u202egnp.exe' });
  const ended = result.then(text => Promise.reject(new Error(`The call ended: ${text}`)));
  const { params } = await Promise.race([made.whenAsked(1), ended]);
  ended.catch(() => {});
  return { ...made, result, url: params['url'] as string, code: codeIn(params['message'] as string) };
}

async function enterCode(tab: Tab, url: string, code: string): Promise<void> {
  await tab.goto(url);
  await tab.getByRole('textbox', { name: 'Code' }).fill(code);
  await tab.getByRole('button', { name: 'Continue' }).click();
  await tab.getByRole('button', { name: 'Decline' }).waitFor();
}

/** Where pictures of every page go (`npm run screenshots -- all`). */
const pictures = process.env['MIDCALL_PICTURES'];
async function picture(tab: Tab, name: string): Promise<void> {
  if (pictures === undefined) return;
  const before = tab.viewportSize()!;
  for (const width of [1440, 1024, 400]) {
    await tab.setViewportSize({ width, height: 860 });
    await tab.screenshot({ path: join(pictures, `connect-${name}-${width}.png`), fullPage: true });
  }
  await tab.setViewportSize(before);
}

describe.each(['light', 'dark'] as const)('in %s', colorScheme => {
  it.each(few(Object.keys(asks), ...(colorScheme === 'dark' ? ['form'] : ['confirm', 'secret'])))(
    'axe finds nothing on the pages of %s, from the code to the end',
    async kind => {
      const { url, code, result } = await open(kind);
      await using me = await visitor(browser, { colorScheme, viewport: { width: 900, height: 760 } });
      await me.page.goto(url);
      expect(await violations(me.page)).toEqual([]);
      await picture(me.page, `code-${colorScheme}`);
      await enterCode(me.page, url, code);
      expect(await violations(me.page)).toEqual([]);
      await picture(me.page, `${kind}-${colorScheme}`);
      if (kind === 'confirm') expect(await me.page.locator('main').textContent()).toContain('⟦U+202E⟧');
      await me.page.getByRole('button', { name: 'Decline' }).click();
      await me.page.getByRole('heading', { name: 'You declined' }).waitFor();
      expect(await violations(me.page)).toEqual([]);
      await picture(me.page, `declined-${colorScheme}`);
      expect(await result).toContain('decline');
      expect(me.troubles).toEqual([]);
    },
  );
});

describe('without client script, on a narrow screen', () => {
  const plain = { javaScriptEnabled: false, viewport: { width: 390, height: 800 } } as const;

  it('a call is confirmed without client script', async () => {
    const { url, code, result } = await open('confirm');
    await using me = await visitor(browser, plain);
    await enterCode(me.page, url, code);
    await me.page.getByRole('button', { name: 'Allow' }).click();
    await me.page.getByRole('heading', { name: 'This is done' }).waitFor();
    expect(await result).toBe('accept {"approved":true} page out-of-band');
  });

  it('no text is so long that it widens the page', async () => {
    const word = 'x'.repeat(300);
    const made = await fixture({
      era: '2025-11-25',
      connect: { name: 'n'.repeat(120), kinds: [notice] },
      handler: async (call, { kind }) => {
        const page = kind === 'notice' ? pageOf(notice, word) : confirm({ title: word, allow: 'y'.repeat(80) });
        return told(await call.elicitUrl({ message: word, page }));
      },
    });
    for (const [index, kind] of ['notice', 'confirm'].entries()) {
      const result = made.call({ kind, [word]: word });
      const { params } = await made.whenAsked(index + 1);
      await using me = await visitor(browser, { viewport: { width: 390, height: 800 } });
      const width = () => me.page.evaluate(() => document.documentElement.scrollWidth);
      await me.page.goto(params['url'] as string);
      expect(await width(), kind).toBeLessThanOrEqual(390);
      await enterCode(me.page, params['url'] as string, codeIn(params['message'] as string));
      expect(await width(), kind).toBeLessThanOrEqual(390);
      await me.page.getByRole('button', { name: 'Decline' }).click();
      expect(await result).toContain('decline');
    }
  });

  it('a secret is entered without client script', async () => {
    const { url, code, result, vault } = await open('secret');
    await using me = await visitor(browser, plain);
    await enterCode(me.page, url, code);
    await me.page.locator('input[type=password]').fill('sk-canary-typed');
    await me.page.getByRole('button', { name: 'Save' }).click();
    expect(await result).toBe('accept {"secret":"weather"} page out-of-band');
    expect([...vault.values()]).toEqual(['sk-canary-typed']);
  });

  it('a form grows with its answers without client script', async () => {
    const { url, code, result } = await open('form');
    await using me = await visitor(browser, plain);
    const tab = me.page;
    await enterCode(tab, url, code);
    await tab.getByLabel('business').check();
    await tab.getByLabel('Nights').fill('2');
    await tab.getByRole('group', { name: 'Breakfast' }).getByLabel('Yes').check();
    await tab.getByRole('textbox', { name: 'Name' }).fill('Ada');
    await tab.getByRole('button', { name: 'Add Traveller' }).click();
    await tab.getByLabel('Cost centre').fill('4711');
    await tab.getByRole('textbox', { name: 'Name' }).nth(1).fill('Bob');
    await tab.getByLabel('Train').check();
    await picture(tab, 'form-narrow');
    await tab.getByRole('textbox', { name: 'Name' }).nth(1).press('Enter');
    expect(await result).toBe(
      'accept {"kind":"business","cost":"4711","hotel":{"nights":2,"breakfast":true},' +
        '"people":[{"name":"Ada"},{"name":"Bob"}],"extras":["Train"]} page out-of-band',
    );
  });

  it('a question is answered without client script', async () => {
    const { url, code, result } = await open('question');
    await using me = await visitor(browser, plain);
    await enterCode(me.page, url, code);
    // Names are made readable, as in a host's own form, and choices stand in one line with their text.
    const groups = me.page.getByRole('group');
    expect(await groups.locator('legend').allTextContents()).toEqual(['Note', 'Sure']);
    const [mark, words] = await me.page
      .locator('.option')
      .first()
      .evaluate(option => [...option.children].map(each => each.getBoundingClientRect()));
    expect(Math.abs(mark!.top + mark!.height / 2 - (words!.top + words!.height / 2))).toBeLessThan(1.5);
    await me.page.getByLabel('home').check();
    await me.page.getByLabel('Yes').check();
    await me.page.getByRole('button', { name: 'Send answer' }).click();
    expect(await result).toBe('accept {"note":"home","sure":true} page out-of-band');
  });
});

describe('a form that was not taken', () => {
  async function filledIn() {
    const opened = await open('form');
    const me = await visitor(browser);
    await enterCode(me.page, opened.url, opened.code);
    await me.page.getByLabel('Nights').fill('2');
    await me.page.getByRole('group', { name: 'Breakfast' }).getByLabel('Yes').check();
    await me.page.getByRole('textbox', { name: 'Name' }).fill('Ada');
    return { ...opened, me };
  }

  it('what is too long to be sent is there to be shortened when the person goes back', async () => {
    const { result, me } = await filledIn();
    await using _ = me;
    await me.page.getByLabel('Notes').fill('字'.repeat(120_000));
    await me.page.getByRole('button', { name: 'Send' }).click();
    await me.page.getByRole('heading', { name: 'This is too large' }).waitFor();
    expect(await me.page.locator('main').textContent()).toContain(
      'Nothing was done with it, and the link still works.',
    );
    await me.page.goBack();
    expect(await me.page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Ada');
    await me.page.getByLabel('Notes').fill('short');
    await me.page.getByRole('button', { name: 'Send' }).click();
    await me.page.getByRole('heading', { name: 'This is done' }).waitFor();
    await result;
  });

  it('visit-V2: what was entered in a tab whose cookie another tab replaced is sent once the person has gone back to it', async () => {
    const { url, code, result, me } = await filledIn();
    await using _ = me;
    await me.context.clearCookies();
    await enterCode(await me.context.newPage(), url, code);
    await me.page.getByRole('button', { name: 'Send' }).click();
    await me.page.getByRole('heading', { name: 'This form was not accepted' }).waitFor();
    await me.page.goBack();
    expect(await me.page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Ada');
    await me.page.getByRole('button', { name: 'Send' }).click();
    await me.page.getByRole('heading', { name: 'This is done' }).waitFor();
    await result;
  });
});

describe('another server on this machine', () => {
  it('visit-V5: another server on this machine is sent our cookie, and whatever it sets beside it keeps nobody from answering', async () => {
    const { url, code, result } = await open('confirm');
    await using me = await visitor(browser);
    await enterCode(me.page, url, code);
    const { pathname, origin } = new URL(url);
    const seen: string[] = [];
    const neighbour = createServer((req, res) => {
      seen.push(req.headers.cookie ?? '');
      const [name] = (req.headers.cookie ?? '').split('=');
      // Under a longer path the browser sends this one first.
      const cookies = [`${name}=planted; Path=${pathname}`, `big=${'x'.repeat(3_900)}; Path=/`, 'other=1; Path=/'];
      res.writeHead(200, { 'content-type': 'text/html', 'set-cookie': cookies }).end('<h1>neighbour</h1>');
    });
    await new Promise<void>(resolve => neighbour.listen(0, '127.0.0.1', resolve));
    try {
      const tab = await me.context.newPage();
      await tab.goto(`http://127.0.0.1:${(neighbour.address() as AddressInfo).port}/connect/`);
    } finally {
      neighbour.close();
    }
    // Cookies know no port: what it was sent is ours, and neither the link nor the call can be read off it.
    expect(seen[0]).toMatch(/^midcall-/);
    expect(seen[0]).not.toContain(pathname.split('/').at(-1));
    const again = await fetch(`${origin}/connect/`, { headers: { cookie: seen[0]! } });
    expect(again.status).toBe(404);
    await me.page.getByRole('button', { name: 'Allow' }).click();
    await me.page.getByRole('heading', { name: 'This is done' }).waitFor();
    expect(await result).toBe('accept {"approved":true} page out-of-band');
  });
});

describe('somebody else’s page', () => {
  it('somebody else’s page cannot frame ours, nor send its form, and the link still works', async () => {
    const { url, code, result, audit } = await open('confirm');
    await using me = await visitor(browser);
    await enterCode(me.page, url, code);
    const evil = createServer((_, res) =>
      res
        .writeHead(200, { 'content-type': 'text/html' })
        .end(
          `<iframe src="${url}" width="800" height="600"></iframe>` +
            `<form method="post" action="${url}"><input name="do" value="send"><button>Win a prize</button></form>`,
        ),
    );
    await new Promise<void>(resolve => evil.listen(0, '127.0.0.1', resolve));
    try {
      const tab = await me.context.newPage();
      await tab.goto(`http://localhost:${(evil.address() as AddressInfo).port}/`);
      const frame = tab.frames()[1]!;
      await frame.waitForLoadState();
      expect(frame.url()).not.toBe(url);
      expect(await frame.getByRole('button', { name: 'Allow' }).count()).toBe(0);
      await tab.getByRole('button', { name: 'Win a prize' }).click();
      await tab.getByRole('heading', { name: 'This form was not accepted' }).waitFor();
      expect(audit.filter(event => event.kind === 'page-finished')).toEqual([]);
    } finally {
      evil.close();
    }
    await me.page.getByRole('button', { name: 'Allow' }).click();
    expect(await result).toContain('accept');
  });
});
