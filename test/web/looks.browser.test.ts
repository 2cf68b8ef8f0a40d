/** Rules of how the desk looks that axe does not know: one meaning has one colour, and each state is seen. */
import { fileURLToPath } from 'node:url';
import type { Ending } from '@midcall/host';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { launch, leaveBrowser, type Visitor, violations, visitor } from './browser.ts';
import { builtClient, openPage, pickOne, shareRoots, stageOfFile, useReply, whenSo } from './stage.ts';

const on = await stageOfFile({ client: builtClient });
let browser: Browser;
const calls = new Map<string, string>();

const endings: readonly Ending[] = [
  { how: 'declined', via: 'web' },
  { how: 'timed-out' },
  { how: 'completed' },
  { how: 'server-gone' },
  { how: 'refused-by-policy', decision: 'You muted this server.' },
  { how: 'answered', via: 'web', content: { note_id: 'note-2024', confirm: true } },
];

beforeAll(async () => {
  browser = await launch();
  const ask = (question: Parameters<typeof on.inbox.ask>[0]): void => void on.inbox.ask(question);
  ask(pickOne('s-pick'));
  ask(shareRoots());
  ask(useReply('s-reply'));
  ask(openPage(`https://example.com/${'a/'.repeat(900)}`));
  for (const ending of endings) {
    const question = pickOne('s-ended');
    ask(question);
    on.inbox.end(question.id, ending);
  }
  const { workspace } = on.desk;
  const rich = fileURLToPath(new URL('rich-server.mjs', import.meta.url));
  await workspace.servers.add({ id: 'rich', target: { kind: 'command', command: process.execPath, args: [rich] } });
  await whenSo(on.desk, () => workspace.servers.get('rich')?.tools[0]);
  for (const name of ['report', 'table', 'media']) {
    const id = await workspace.calls.run('rich', { kind: 'tool', name, arguments: {} });
    await whenSo(on.desk, () => workspace.calls.get(id)?.outcome);
    calls.set(name, id);
  }
});
afterAll(() => leaveBrowser(browser));

async function enter(options: BrowserContextOptions = {}): Promise<Visitor> {
  const me = await visitor(browser, { reducedMotion: 'reduce', ...options });
  await me.page.goto(on.desk.startUrl());
  return me;
}

const at = (path: string): string => new URL(path.replace(/^\//, ''), on.desk.url).href;

/** Two colours of one element by the names of their properties, as the ratio of their luminances (WCAG 1.4.11). */
const contrast = (each: Locator, of: 'border' | 'outline'): Promise<number> =>
  each.evaluate((element, property) => {
    const rgba = (text: string): readonly number[] => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
      return [red, green, blue, alpha];
    };
    const behind = (at: Element | null): readonly number[] => {
      const own = rgba(at ? getComputedStyle(at).backgroundColor : 'rgb(255,255,255)');
      return own[3] === 1 ? own : behind(at!.parentElement);
    };
    const luminance = ([red = 0, green = 0, blue = 0]: readonly number[]): number => {
      const [r, g, b] = [red, green, blue].map(part =>
        part <= 10.314 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
    };
    const style = getComputedStyle(element);
    const line = luminance(rgba(property === 'border' ? style.borderTopColor : style.outlineColor));
    const ground = luminance(behind(element.parentElement));
    return (Math.max(line, ground) + 0.05) / (Math.min(line, ground) + 0.05);
  }, of);

describe('a box', () => {
  it.each(few(['light', 'dark'], 'dark'))('a box is seen where it is not ticked, in %s', async colorScheme => {
    await using me = await enter({ colorScheme });
    await me.page.goto(at('/calls/s-pick'));
    const boxes = await me.page.locator('main input:is([type=radio],[type=checkbox]):not(:checked)').all();
    expect(boxes.length).toBeGreaterThan(5);
    for (const box of boxes) expect(await contrast(box, 'border')).toBeGreaterThanOrEqual(3);
  });

  it.each(few(['none', 'active'], 'active'))(
    'a box has another look with the focus than chosen, with forced colours %s',
    async forcedColors => {
      await using me = await enter({ forcedColors });
      await me.page.goto(at('/calls/s-pick'));
      const looks = (of: Locator) =>
        of.evaluate(each => {
          const {
            outlineStyle,
            outlineWidth,
            outlineColor,
            borderTopColor,
            borderTopWidth,
            backgroundColor,
            boxShadow,
          } = getComputedStyle(each);
          const ring = outlineStyle === 'none' ? 'none' : [outlineStyle, outlineWidth, outlineColor].join(' ');
          return { ring, box: [borderTopColor, borderTopWidth, backgroundColor, boxShadow].join(' ') };
        });
      const [first, second, third] = await me.page.locator('.question .option').all();
      await first!.locator('input').focus();
      await me.page.keyboard.press('Space');
      await me.page.locator('.option:has(:checked)').first().waitFor();
      await me.page.keyboard.press('Shift+Tab');
      const [chosen, plain] = [await looks(first!), await looks(third!)];
      expect(chosen.ring).toBe('none');
      expect(chosen.box).not.toBe(plain.box);
      // In a group where nothing is chosen, the focus is on a choice that is not.
      const yes = me.page.locator('.question .option', { hasText: 'Yes' }).first();
      const before = await looks(yes);
      await yes.locator('input').focus();
      const focused = await looks(yes);
      expect(focused.box).toBe(before.box);
      expect(focused.ring).not.toBe('none');
      if (forcedColors === 'active') expect(focused.ring).toContain('dashed');
      else {
        expect(focused.ring).not.toContain(chosen.box.slice(0, chosen.box.indexOf(')') + 1));
        expect(await contrast(yes, 'outline')).toBeGreaterThanOrEqual(3);
      }
      expect((await looks(second!)).box).toBe(plain.box);
    },
  );
});

it('an outcome has one colour: that of its icon and of its words, in light and dark', async () => {
  await using me = await enter();
  await me.page.goto(at('/calls/s-ended'));
  for (const colorScheme of ['light', 'dark'] as const) {
    await me.page.emulateMedia({ colorScheme });
    const pairs = await me.page.locator('.entry-ending').evaluateAll(all =>
      all.map(each => {
        const colour = (part: string): string => getComputedStyle(each.querySelector(part)!).color;
        return { what: each.querySelector('.chip')!.textContent, same: colour('.node') === colour('.chip') };
      }),
    );
    expect(pairs).toEqual(pairs.map(({ what }) => ({ what, same: true })));
    expect(pairs).toHaveLength(endings.length);
    const red = await me.page.locator('.chip-server-gone').evaluate(each => getComputedStyle(each).color);
    expect(await me.page.locator('.chip-timed-out').evaluate(each => getComputedStyle(each).color)).toBe(red);
  }
});

/** What is cut off at the edge of its box, and what is missing for people to notice and to reach it. */
const unseenScrolls = (page: Page): Promise<readonly string[]> =>
  page.locator('main *').evaluateAll(all =>
    all.flatMap(each => {
      const { overflowX, overflowY, backgroundImage } = getComputedStyle(each);
      const scrolls = (overflow: string): boolean => overflow === 'auto' || overflow === 'scroll';
      const across = scrolls(overflowX) && each.scrollWidth > each.clientWidth + 1;
      const along = scrolls(overflowY) && each.scrollHeight > each.clientHeight + 1;
      if ((!across && !along) || each.localName === 'textarea') return [];
      const hint = backgroundImage !== 'none' || getComputedStyle(each, '::after').position === 'sticky';
      const label = each.getAttribute('aria-label') ?? '';
      const region = each.getAttribute('role') === 'region' || each.localName === 'section';
      const reached = each.tabIndex >= 0 && (each.localName === 'pre' || (region && label !== ''));
      const wrong = [...(hint ? [] : ['no hint']), ...(reached ? [] : ['no labelled region'])];
      return wrong.length === 0 ? [] : [`${each.className}: ${wrong.join(', ')}`];
    }),
  );

it('what is wider or higher than its box shows that it goes on, and is a labelled region that the keyboard reaches', async () => {
  await using me = await enter({ viewport: { width: 400, height: 860 } });
  const { page } = me;
  let scrolling = 0;
  for (const path of [
    `/calls/${calls.get('report')}`,
    `/calls/${calls.get('table')}`,
    '/calls/s-reply',
    '/calls/s-pick',
    '/servers/rich/wire',
  ]) {
    await page.goto(at(path));
    expect([path, await unseenScrolls(page)]).toEqual([path, []]);
    expect(await violations(page, ['.top', '#side', '#inbox'])).toEqual([]);
    scrolling += await page
      .locator('.md-table,.prompt-sent,.bounded,.address-text')
      .evaluateAll(
        all =>
          all.filter(each => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1)
            .length,
      );
  }
  expect(scrolling).toBeGreaterThan(2);
});

it('a picture of one pixel has a frame that is seen, and says its size', async () => {
  await using me = await enter();
  await me.page.goto(at(`/calls/${calls.get('media')}`));
  const frame = me.page.locator('.result-picture a');
  const { width, height } = (await frame.boundingBox())!;
  expect([width >= 48, height >= 48]).toEqual([true, true]);
  expect(await contrast(frame, 'border')).toBeGreaterThanOrEqual(3);
  expect(await me.page.locator('.result-picture figcaption').textContent()).toBe('PNG, 1 × 1 pixels, 70 bytes');
});

it('a question of no named call has its card in the only call it can be for, otherwise on a page of its own, with a line in each', async () => {
  await using me = await enter();
  const { page } = me;
  await page.goto(at('/calls/s-pick'));
  // When the folders were asked for, no other call ran; when the page was, two did.
  const cards = page.locator('.question');
  const maybe = await cards.evaluateAll(all => all.map(each => each.querySelector('.frame .perhaps') !== null));
  const lines = page.locator('.entry-open:not(:has(.question))').locator('a');
  expect([maybe, await lines.count()]).toEqual([[false, true], 1]);
  await lines.click();
  await page.waitForURL(/\/questions\//);
  expect(await cards.count()).toBe(1);
});
