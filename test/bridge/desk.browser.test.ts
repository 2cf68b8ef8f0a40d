/** A host that can show nothing, before a server that asks: the person answers on the desk, in a real browser. */
import { cpSync, existsSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { eras, negotiation } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownEnvironment } from '../fixtures/own-environment.ts';
import { few } from '../fixtures/soak.ts';
import { launch, leaveBrowser, violations, visitor } from '../web/browser.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'packages/midcall/bin/midcall.js');

/** Milliseconds: as long as a timer of Node runs. */
const endless = 2 ** 31 - 1;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

describe.each(few(eras, '2025-11-25'))('a host of %s without forms', era => {
  it('a host without forms gets the result, once the person has answered on the desk', async () => {
    const notes = realpathSync(mkdtempSync(join(tmpdir(), 'bridge-')));
    cpSync(join(root, 'packages/midcall/samples/notes'), notes, { recursive: true });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [main, 'bridge', '--link', '--root', notes, '--', process.execPath, main, 'notes'],
      env: ownEnvironment(),
      stderr: 'pipe',
    });
    const link = new Promise<string>(resolve => {
      createInterface({ input: transport.stderr as Readable }).on('line', line => {
        const found = /a question waits at (\S+)/.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    const versionNegotiation = { ...negotiation(era), probe: { timeoutMs: endless } };
    const client = new Client({ name: 'poor-host', version: '1.0.0' }, { versionNegotiation });
    await client.connect(transport, { timeout: endless });
    /** A person who takes longer than the bridge keeps its client waiting is not to be hurried: the client comes back. */
    const deleted = async (): Promise<object> => {
      const asked = { name: 'notes_delete', arguments: { title: 'TPS report' } };
      const result = await client.callTool(asked, { timeout: endless });
      return JSON.stringify(result).includes('again with the same arguments') ? deleted() : result;
    };
    const call = deleted();

    await using me = await visitor(browser);
    const { page, troubles } = me;
    await page.goto(await link);
    await page.getByRole('radio', { name: /work\/2024/ }).check();
    await page.getByRole('radio', { name: 'Yes' }).check();
    expect(await page.locator('body').textContent()).toContain('Your host ran notes_delete');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send answer' }).click();

    const result = await call;
    expect(JSON.stringify(result)).toContain('Deleted TPS report · work/2024');
    expect(existsSync(join(notes, 'work/2024/tps-report.md'))).toBe(false);
    await page.getByText('Deleted TPS report').first().waitFor();
    expect(troubles).toEqual([]);
    await client.close();
  });
});
