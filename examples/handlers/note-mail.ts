/** The handlers of docs/handlers.md, run in every era by test/examples/handlers.test.ts. */

import type { Midcall } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface Notes {
  find(title: string): Promise<readonly { id: string; text: string }[]>;
}

export interface Mail {
  /** Sends once per key. */
  send(to: string, text: string, key: string): Promise<{ id: string }>;
  /** Finds a message by the key it was sent with. */
  sent(key: string): Promise<{ id: string } | undefined>;
  /** Sends once per key, or throws where the other side is busy. */
  deliver(id: string, text: string, key: string, signal: AbortSignal): Promise<void>;
  /** Forgets what was not sent. */
  drop(title: string): void;
}

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

export function noteServer(mid: Midcall, notes: Notes, mail: Mail) {
  const server = new McpServer({ name: 'notes', version: '1.0.0' }, { capabilities: { logging: {} } });

  // #region linear
  mid.tool(server, 'notes_send', { inputSchema: z.object({ title: z.string() }) }, async ({ title }, call) => {
    const found = await call.step('find', () => notes.find(title));
    const note = found[0];
    if (!note) return text(`No note called '${title}'.`);
    const answer = await call.elicit({ message: `Send '${title}' to whom?`, form: { to: String } });
    if (answer.action !== 'accept') return text(`Nothing sent: ${answer.action}.`);
    const { to } = answer.content;
    const { id } = await call.step('send', ({ key }) => mail.send(to, note.text, key), { idempotent: true });
    return text(`Sent as ${id}.`);
  });
  // #endregion

  mid.tool(server, 'notes_confirm', { inputSchema: z.object({ title: z.string() }) }, async ({ title }, call) => {
    // #region parallel
    const [print, share] = await Promise.all([
      call.elicit({ message: `Print '${title}'?`, form: Boolean, key: 'print' }),
      call.elicit({ message: `Share '${title}'?`, form: Boolean, key: 'share' }),
    ]);
    // #endregion
    return text(`${print.action} ${share.action}`);
  });

  mid.tool(server, 'notes_check', { inputSchema: z.object({ title: z.string() }) }, async ({ title }, call) => {
    const answer = await call.elicit({ message: `Mail '${title}' to the team?`, form: Boolean });
    if (answer.action !== 'accept') return text(answer.action);
    // #region check
    const { id } = await call.step('send', ({ key }) => mail.send('team@example.com', title, key), {
      check: ({ key }) => mail.sent(key),
    });
    // #endregion
    return text(id);
  });

  mid.tool(server, 'notes_watch', { inputSchema: z.object({ title: z.string() }) }, async ({ title }, call) => {
    // #region defer
    const watch = setInterval(() => {}, 1_000);
    call.defer(() => clearInterval(watch));
    const answer = await call.elicit({ message: `Stop watching '${title}'?`, form: Boolean, timeoutMs: 60_000 });
    // #endregion
    if (answer.action !== 'cancel') return text(answer.action);
    // #region reason
    switch (answer.reason) {
      case 'dismissed':
        return text('You closed the question. Call again to see it once more.');
      case 'timeout':
        return text('Nobody answered within a minute.');
      case 'unavailable':
        return text('This client cannot ask; nothing was changed.');
      default:
        return text(`No answer that counts (${answer.reason}); nothing was changed.`);
    }
    // #endregion
  });

  // #region beside
  mid.tool(server, 'notes_print', { inputSchema: z.object({ title: z.string() }) }, async ({ title }, call) => {
    call.defer(end => {
      if (end === 'cancelled') mail.drop(title); // also where the person was still being asked
    });
    const { length } = await call.step('find', () => notes.find(title));
    call.log('info', { found: length }, 'printer');
    const answer = await call.elicit({ message: `Print ${length} notes?`, form: Boolean });
    if (answer.action !== 'accept' || !answer.content) return 'Nothing printed.';
    for (let page = 1; page <= length; page++) call.progress(page, { total: length });
    return `Printed for ${call.auth?.clientId ?? 'you'}.`;
  });
  // #endregion

  mid.tool(server, 'notes_deliver', { inputSchema: z.object({ title: z.string() }) }, async ({ title }, call) => {
    // #region retry
    const id = await call.uuid(); // the same in every run of this call
    await call.step('deliver', ({ key, signal }) => mail.deliver(id, title, key, signal), {
      idempotent: true,
      timeoutMs: 10_000,
      retry: { attempts: 4, delayMs: 500, when: ({ code }) => code !== 'EREFUSED' },
    });
    await call.sleep(1_000);
    // #endregion
    const answer = await call.elicit({ message: `Delivered at ${await call.now()}. Tell the team?`, form: Boolean });
    return `${answer.action} ${id.length}`;
  });
  return server;
}
