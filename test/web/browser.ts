/** Chromium for the tests of a file: one process, one context per test, and nothing that goes wrong on a page unnoticed. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Starts Chromium as the tests want it. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    timeout: 0,
    executablePath: process.env['MIDCALL_CHROMIUM'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export interface Visitor extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What went wrong on its pages: script errors, console errors (violations of the content policy among them), failed loads. */
  readonly troubles: string[];
}

/** Somebody with a browser of their own. */
export async function visitor(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options });
  const troubles: string[] = [];
  context.on('page', page => {
    page.on('pageerror', error => troubles.push(`script: ${error.message}`));
    page.on('console', message => {
      const expected = /status of (?:404|409|422)/.test(message.text());
      if (message.type() === 'error' && !expected) troubles.push(`console: ${message.text()}`);
    });
  });
  // What a test waits for comes, however busy the machine is; one that hangs is ended by the runner.
  context.setDefaultTimeout(0);
  const page = await context.newPage();
  return { context, page, troubles, [Symbol.asyncDispose]: () => context.close() };
}

interface AxeRun {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** What axe finds wrong with a page as it is now. Runs beside the page's own world, whose policy would refuse it. */
export async function violations(page: Page): Promise<readonly string[]> {
  const client = await page.context().newCDPSession(page);
  const { frameTree } = await client.send('Page.getFrameTree');
  const { executionContextId } = await client.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const evaluate = async (expression: string) => {
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
  const run = (await evaluate(
    "axe.run(document, { preload: false, resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })",
  )) as AxeRun;
  await client.detach();
  return run.violations.map(
    each =>
      `${each.id}: ${each.nodes.map(node => `${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`).join(' | ')}`,
  );
}
