/** Our own card on the desk, as the App of any server; and what an App may call there. */
import { urlTarget } from '@midcall/host';
import { midcall } from '@midcall/server';
import { serveHttp } from '@midcall/server/node';
import { eras } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { paintServer } from '../../examples/docs/cards.ts';
import { eventually } from '../fixtures/grown.ts';
import { few } from '../fixtures/soak.ts';
import { frameOf, launch, leaveBrowser, nextPage, type Visitor, violations, visitor } from './browser.ts';
import { builtClient, stage, whenSo } from './stage.ts';

let browser: Browser;
/** Whoever needs no browser of their own. */
let anybody: Visitor;
beforeAll(async () => {
  browser = await launch();
  anybody = await visitor(browser);
});
afterAll(() => leaveBrowser(browser));

type Era = (typeof eras)[number];

/** Two tools that ask: one only on a card, one on any channel. */
function painter(ran: string[]) {
  const mid = midcall({ channels: ['native', 'card'], suspectBelowMs: 0, warn: () => {} });
  return () => {
    const server = new McpServer({ name: 'painter', version: '1.0.0' });
    for (const [name, only] of [['card_paint', true] as const, ['any_paint', false] as const])
      mid.tool(server, name, { inputSchema: z.object({}) }, async (_, call) => {
        const ask = { message: 'Which colour?', form: ['red', 'green'] } as const;
        const answer = await call.elicit(only ? { ...ask, channels: ['card'] } : ask);
        if (answer.action !== 'accept') return `not painted: ${answer.action}`;
        await call.step('paint', () => void ran.push(answer.content));
        return `painted ${answer.content}, ${answer.by.channel}`;
      });
    return server;
  };
}

/** The person is on the page of a call, which waits for them or has its result. */
async function open(era: Era, tool: string, factory: Parameters<typeof serveHttp>[0], args: object = {}) {
  const serving = await serveHttp(factory, { port: 0 });
  onTestFinished(() => serving.stop({ within: 0 }));
  const on = await stage({ client: builtClient, era, showsApps: true });
  onTestFinished(() => on[Symbol.asyncDispose]());
  const person = await nextPage(anybody);
  onTestFinished(() => person[Symbol.asyncDispose]());
  await on.desk.addServer({ id: 'painter', target: urlTarget(serving.url.href) });
  const call = { kind: 'tool', name: tool, arguments: args as Record<string, unknown> } as const;
  const id = await on.desk.workspace.calls.run('painter', call);
  await whenSo(on.desk, () => on.inbox.list()[0] ?? on.desk.workspace.calls.get(id)?.outcome);
  const { page, troubles } = person;
  await page.goto(on.desk.startUrl());
  await page.goto(new URL(`calls/${id}`, on.desk.url).href);
  return { on, page, troubles, id };
}

describe.each(few(eras, '2026-07-28'))('%s', era => {
  it('the desk shows the card beside the result, and the handler goes on with what the person sends there', async () => {
    const ran: string[] = [];
    const { page, troubles } = await open(era, 'card_paint', painter(ran));
    const app = await frameOf(page);
    await app.getByText('Which colour?').waitFor();
    expect(await page.locator('.entry-result').textContent()).toContain('It is not finished');
    expect(await violations(page)).toEqual([]);
    await app.getByText('green', { exact: true }).click();
    await app.getByText('Send answer').click();
    await app.getByText('painted green, card').waitFor();
    expect(ran).toEqual(['green']);
    expect(troubles).toEqual([]);
  });

  it('the desk asks by its own form where the server lets it, and the card says that there is nothing to ask', async () => {
    const ran: string[] = [];
    const { page, on } = await open(era, 'any_paint', painter(ran));
    await on.inbox.reply(on.inbox.list()[0]!.id, { action: 'accept', content: { value: 'red' } }, 'web');
    const app = await frameOf(page);
    await app.getByText('Midcall has nothing to ask you here.').waitFor();
    expect(ran).toEqual(['red']);
  });

  it('apps-A4: an App calls the tools that are for Apps alone, and no others, nor anything without the ticket', async () => {
    const ran: string[] = [];
    const { page } = await open(era, 'card_paint', painter(ran));
    const app = await frameOf(page);
    await app.getByText('Which colour?').waitFor();
    const answers = (params: object) =>
      app.evaluate<unknown>(`new Promise(resolve => {
        const id = 'x' + Math.random();
        addEventListener('message', ({ data }) => data.id === id && resolve(data));
        parent.postMessage({ jsonrpc: '2.0', id, method: 'tools/call', params: ${JSON.stringify(params)} }, '*');
      })`);
    expect(await answers({ name: 'any_paint', arguments: {} })).toMatchObject({ error: { code: -32602 } });
    expect(await answers({ name: 'nothing' })).toMatchObject({ error: { code: -32602 } });
    expect(await answers({ arguments: {} })).toMatchObject({ error: { code: -32602 } });
    const forged = { ticket: 'x'.repeat(22), action: 'accept', content: { value: 'red' } };
    expect(await answers({ name: 'midcall_answer', arguments: forged })).toMatchObject({ result: { isError: true } });
    expect(ran).toEqual([]);
  });
});

it('the desk asks for the server of the documents, which has cards by one word', async () => {
  const { on, id } = await open('2026-07-28', 'wall_paint', paintServer({ suspectBelowMs: 0, warn: () => {} }), {
    wall: 'north',
  });
  await on.inbox.reply(on.inbox.list()[0]!.id, { action: 'accept', content: { value: 'red' } }, 'web');
  await eventually(() => on.desk.workspace.calls.get(id)?.outcome !== undefined);
  expect(JSON.stringify(on.desk.workspace.calls.get(id)?.outcome)).toContain('The north wall is red (native).');
});
