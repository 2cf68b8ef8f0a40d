/**
 * A person who answers after the host has given up, in Chromium: the card says who waits and until when, that nobody does any more,
 * what to do then, and that the host has come back.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@midcall/core/time';
import { eras } from '@midcall/testing';
import type { McpServer } from '@modelcontextprotocol/server';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DeskLink, deskSocketPath, listenForBridges } from '../../packages/midcall/src/shared-desk/index.ts';
import { eventually } from '../fixtures/grown.ts';
import { few } from '../fixtures/soak.ts';
import { handClock } from '../host/clock.ts';
import { launch, leaveBrowser, violations, visitor } from '../web/browser.ts';
import { builtClient, stage as deskStage } from '../web/stage.ts';
import { stage, textOf } from './stage.ts';
import { untilAfterRoots, untilArmed } from './until.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

const requestedSchema = {
  type: 'object' as const,
  properties: { sure: { type: 'boolean' as const } },
  required: ['sure'],
};
const asks = (_: unknown, server: McpServer): void => {
  server.registerTool('ask', {}, async ctx => {
    const { action } = await ctx.mcpReq.elicitInput({ message: 'Are you sure?', requestedSchema });
    return { content: [{ type: 'text', text: `It was ${action}.` }] };
  });
};

it.each(few(eras, '2026-07-28'))(
  'a host of %s that has given up gets the late answer, and the page says every step of it',
  async era => {
    await using on = await deskStage({ client: builtClient });
    const path = deskSocketPath({ XDG_RUNTIME_DIR: mkdtempSync(join(tmpdir(), 'la-')) });
    const socket = await listenForBridges({
      path,
      desk: on.desk,
      inbox: on.inbox,
      policy: on.policy,
      clock: systemClock,
      addServers: async () => {},
      end: () => {},
    });
    await using me = await visitor(browser);
    const { page } = me;
    await page.goto(on.desk.startUrl());
    await page.locator('#inbox').waitFor();
    await eventually(() => on.desk.viewers > 0);

    // The bridge's clock stands still at the time of the browser, until it is moved.
    const clock = handClock(Date.now());
    let link: DeskLink | undefined;
    await using bridge = await stage({
      host: era,
      upstream: '2025-11-25',
      serve: asks,
      capabilities: {},
      clock,
      desk: inbox => {
        link = new DeskLink({ socket: () => path, inbox, clock, way: '', warn: () => {} });
        return link;
      },
    });
    const call = (): Promise<string> => bridge.client.callTool({ name: 'ask', arguments: {} }).then(textOf);
    const first = call();
    await untilAfterRoots(clock, () => bridge.inbox.list().length === 1);
    await page
      .getByRole('link', { name: /Are you sure/ })
      .first()
      .click();
    const card = page.getByRole('article');
    await card.getByText(/test-host waits until .*\d\d:\d\d/).waitFor();
    await card.getByText(/^0:\d\d left$/).waitFor();
    expect(await violations(page)).toEqual([]);

    await untilArmed(clock, 45_000);
    clock.move(45_000);
    expect(await first).toContain('again with the same arguments');
    await card
      .getByText('test-host has stopped waiting. Answer here; then go back to it and say “continue”.')
      .waitFor();
    expect(await card.getByText(/waits until/).count()).toBe(0);
    expect(await page.locator('#announce').textContent()).toContain('test-host has stopped waiting');
    expect(await violations(page)).toEqual([]);

    await page.getByRole('radio', { name: 'Yes' }).check();
    await page.getByRole('button', { name: 'Send answer' }).click();
    const left = page.getByText('test-host has stopped waiting: go back to it and say “continue”.');
    await left.first().waitFor();
    await page.getByText('It was accept.').first().waitFor();
    await page.locator('.chip', { hasText: 'Not picked up' }).first().waitFor();
    await page.getByText('It gets the result if it makes the call again in time.').waitFor();
    expect(await page.locator('.head .chip', { hasText: 'Done' }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);

    expect(await call()).toBe('It was accept.');
    await page.getByText('test-host came back, and has the result.').first().waitFor();
    await page.locator('.head .chip', { hasText: 'Done' }).waitFor();
    expect(await left.count()).toBe(0);
    expect(me.troubles).toEqual([]);
    await link?.close();
    await socket.close();
  },
);
