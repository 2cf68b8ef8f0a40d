/** Chromium for the tests: one browser for all files that share a process, contexts of their own, and nothing that goes wrong on a page unnoticed. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Frame,
  type Page,
  type Route,
} from 'playwright-core';
import { browserPath } from '../../tools/places.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let running: Promise<Browser> | undefined;

/** Chromium as the tests want it. It ends with this process; a file leaves it with `leaveBrowser`. */
export function launch(): Promise<Browser> {
  running ??= chromium.launch({
    timeout: 0,
    executablePath: browserPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Pages of one site share a process, which takes half as long to open as one with a process of its own.
      '--renderer-process-limit=1',
      // Scripts, axe above all, begin anew on each page, and none runs for long enough to be worth optimizing.
      '--js-flags=--no-opt,--no-maglev',
    ],
  });
  return running;
}

/** Closes whatever a file has opened. */
export async function leaveBrowser(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map(each => each.close()));
}

export interface Visitor extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What went wrong on its pages: script errors, console errors (violations of the content policy among them), failed loads. */
  readonly troubles: string[];
}

/** Somebody with a browser of their own. */
export async function visitor(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    // What moves on a page keeps a processor busy for as long as the page is open.
    reducedMotion: 'reduce',
    ...options,
  });
  const troubles: string[] = [];
  context.on('page', page => {
    page.on('pageerror', error => troubles.push(`script: ${error.message}`));
    page.on('console', message => {
      const expected = /status of (?:404|409|422)/.test(message.text());
      if (message.type() === 'error' && !expected) troubles.push(`console: ${message.text()}`);
    });
  });
  // On a machine with fifteen times the load that it can carry, what takes a second takes a quarter of a minute. What has not come
  // after two minutes does not come, and the test says what it waited for before the runner ends it.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  return { context, page, troubles, [Symbol.asyncDispose]: () => context.close() };
}

/** Somebody with a browser of their own, who opens an address. */
export async function enter(url: string, options: BrowserContextOptions = {}): Promise<Visitor> {
  const me = await visitor(await launch(), options);
  await me.page.goto(url);
  return me;
}

/**
 * The same somebody with another page, for the next test; its pages are closed after it. A browser context costs as much as
 * several pages do.
 */
export async function nextPage({ context, page: first, troubles }: Visitor): Promise<Visitor> {
  troubles.length = 0;
  const closeAll = async (): Promise<void> => {
    for (const each of context.pages()) if (each !== first) await each.close();
  };
  return { context, page: await context.newPage(), troubles, [Symbol.asyncDispose]: closeAll };
}

/** The frame of the App on a page. */
export async function frameOf(page: Page): Promise<Frame> {
  const handle = await page.locator('.app iframe[src]').elementHandle();
  return (await handle!.contentFrame())!;
}

/** For a page from its start: its browser refuses to store anything, and lets pages share nothing. */
export function storesNothing(): void {
  const refuse = (): never => {
    throw new DOMException('The person has blocked this.', 'SecurityError');
  };
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
    Object.defineProperty(window, name, { get: refuse });
  Object.defineProperty(window, 'BroadcastChannel', { value: refuse });
  LockManager.prototype.request = async () => refuse();
}

/** Resolves when the worker controls the page. */
export const controlled = (page: Page): Promise<unknown> =>
  page.evaluate(
    () =>
      new Promise<void>(resolve => {
        if (navigator.serviceWorker.controller) resolve();
        else navigator.serviceWorker.addEventListener('controllerchange', () => resolve());
      }),
  );

/** Resolves when the desk knows the browser by its key, which its page makes and tells after it is shown. */
export const known = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    // Opening a database that the page has not made yet would make an empty one in its place.
    while (!(await indexedDB.databases()).some(({ name }) => name === 'midcall-desk'));
    const opened = indexedDB.open('midcall-desk');
    await new Promise(resolve => opened.addEventListener('success', resolve));
    let stored: IDBRequest<number>;
    do {
      stored = opened.result.transaction('keys').objectStore('keys').count();
      await new Promise(resolve => stored.addEventListener('success', resolve));
    } while (stored.result === 0);
    opened.result.close();
  });

/**
 * Answers requests of a page that is open already, as `page.route` does. The page learns of it later than the test, and what a busy
 * page sends until then goes to the desk, unseen: this waits until a request of the page has been taken.
 */
export async function intercept(page: Page, what: string | RegExp, answer: (route: Route) => unknown): Promise<void> {
  await page.route(what, answer);
  const probe = new URL('/assets/taken', page.url()).href;
  await page.route(probe, route => route.fulfill({ body: 'taken' }));
  while ((await page.evaluate(async url => (await fetch(url)).text(), probe)) !== 'taken');
  await page.unroute(probe);
}

interface AxeRun {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** A width and a colour scheme. */
export interface Look {
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: { readonly width: number; readonly height: number };
}

type Evaluate = (expression: string) => Promise<unknown>;

/** A world of its own on a page, with axe in it; the page's policy would refuse it beside the page's script. */
async function withAxe<T>(page: Page, use: (evaluate: Evaluate) => Promise<T>): Promise<T> {
  const client = await page.context().newCDPSession(page);
  const { frameTree } = await client.send('Page.getFrameTree');
  const { executionContextId } = await client.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const evaluate: Evaluate = async expression => {
    const { result, exceptionDetails } = await client.send('Runtime.evaluate', {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as unknown;
  };
  await evaluate(axe);
  const got = await use(evaluate);
  await client.detach();
  return got;
}

async function judge(evaluate: Evaluate, context: string, options: object): Promise<readonly string[]> {
  const all = { preload: false, resultTypes: ['violations'], ...options };
  const run = (await evaluate(`axe.run(${context}, ${JSON.stringify(all)})`)) as AxeRun;
  return run.violations.map(
    each =>
      `${each.id}: ${each.nodes.map(node => `${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`).join(' | ')}`,
  );
}

/**
 * What axe finds wrong with a page as it is now.
 * @param without - selectors of parts that were judged on another page
 */
export function violations(page: Page, without: readonly string[] = []): Promise<readonly string[]> {
  return withAxe(page, evaluate => judge(evaluate, JSON.stringify({ exclude: without }), { runOnly: tags }));
}

/** Texts whose colour stands out too little from what is behind them, by WCAG 1.4.3. Runs on the page, in milliseconds. */
function faintTexts(): readonly string[] {
  const rgba = (text: string): readonly number[] => {
    const numbers = (text.match(/[\d.]+/g) ?? []).map(Number);
    const [red = 0, green = 0, blue = 0, alpha = 1] = text.startsWith('color(')
      ? numbers.map((n, at) => (at < 3 ? n * 255 : n))
      : numbers;
    return [red, green, blue, alpha];
  };
  const over = (top: readonly number[], below: readonly number[]): readonly number[] =>
    below.map((each, at) => (at === 3 ? 1 : top[at]! * top[3]! + each * (1 - top[3]!)));
  const behind = (each: Element | null): readonly number[] => {
    if (!each) return [255, 255, 255, 1];
    const own = rgba(getComputedStyle(each).backgroundColor);
    return own[3] === 1 ? own : over(own, behind(each.parentElement));
  };
  const luminance = (colour: readonly number[]): number => {
    const [red, green, blue] = colour.map(each =>
      each <= 10.314 ? each / 3294.6 : ((each / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  };
  return [...document.querySelectorAll('body *')].flatMap(each => {
    const text = [...each.childNodes]
      .map(node => (node.nodeType === 3 ? node.textContent : ''))
      .join('')
      .trim();
    const control = each as HTMLInputElement;
    if ((text === '' && !control.value) || !each.checkVisibility({ visibilityProperty: true }) || control.disabled)
      return [];
    const { color, fontSize, fontWeight } = getComputedStyle(each);
    const back = behind(each);
    const [light, dark] = [luminance(over(rgba(color), back)), luminance(back)].sort((a, b) => b - a);
    const ratio = (light! + 0.05) / (dark! + 0.05);
    const large = Number.parseFloat(fontSize) >= (Number(fontWeight) >= 700 ? 18.66 : 24);
    return ratio >= (large ? 3 : 4.5) ? [] : [`${each.outerHTML.slice(0, 160)} has a contrast of ${ratio.toFixed(2)}`];
  });
}

/** What keeps people out of a page in a look that it was not opened in: faint texts, targets that lie where no finger hits them. */
export async function wrongInLook(page: Page, { colorScheme, viewport }: Look): Promise<readonly string[]> {
  // Colours that are on their way from one scheme to the other would be judged as they pass.
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize(viewport);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  const faint = await page.evaluate(faintTexts);
  return [...(wide > 0 ? [`${wide} pixels too wide`] : []), ...faint].map(
    each => `${colorScheme}, ${viewport.width}: ${each}`,
  );
}
