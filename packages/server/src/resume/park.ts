/**
 * Ending a call that waits for a page before its client gives up: with a text that says where the person has to go, and a
 * ticket with which the `resume` tool goes on. Unlike a relayed question, the ticket carries no answer: that comes from
 * the page alone.
 */

import { MidcallError } from '@midcall/core/errors';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Config } from '../config.ts';
import type { Journal } from '../engine/journal.ts';
import type { OpenAsk } from '../engine/seam.ts';
import { type CallRequest, waitingResult } from '../request.ts';
import { sealState } from '../state/request-state.ts';
import type { PageWait } from '../url/announced.ts';
import { waitOf } from '../url/wait.ts';
import { quoted } from './relay-text.ts';
import { keepTicket, RESUME } from './ticket.ts';

/** @throws MidcallError `ask/unavailable` where the request is no tool call, which alone can be gone on with */
export async function parkOnPages(
  waits: readonly OpenAsk[],
  journal: Journal,
  where: { readonly flow: string; readonly round: number; readonly arguments: unknown },
  request: CallRequest,
  config: Config,
): Promise<CallToolResult> {
  if (request.registered.method !== 'tools/call') {
    throw new MidcallError(
      'ask/unavailable',
      'The person has not finished the page in time. Ask again when they have.',
    );
  }
  const now = config.now();
  const pages = waits.map(waitOf);
  const ticket = config.id();
  const dueAt = Math.max(...pages.map(page => page.dueAt));
  const expiresAt = dueAt + config.stateTtlMs;
  const state = await sealState(
    { flow: where.flow, nonce: config.id(), round: 0, issuedAt: now, expiresAt, journal, out: [] },
    request.binding,
    config,
    Number.MAX_SAFE_INTEGER,
  );
  const ttlMs = Math.max(1, expiresAt - now);
  await keepTicket(ticket, { name: request.name, arguments: where.arguments, state, page: true }, ttlMs, config);
  return waitingResult(parkedText(pages, ticket, Math.max(1, Math.floor((dueAt - now) / 60_000))), request);
}

function parkedText(pages: readonly PageWait[], ticket: string, minutes: number): string {
  const links = pages.filter(page => page.announce === 'link');
  const told = links.flatMap(({ message, url, note }) => [
    ...quoted(message),
    `> ${url}`,
    ...(note === undefined ? [] : [`> ${note}`]),
    '',
  ]);
  return [
    'This call is waiting for the person, who answers on a web page and not through you. It is not finished.',
    ...(links.length > 0
      ? [
          'Show the person these words and the link exactly as it is, and wait. Do not open the link yourself:',
          '',
          ...told,
        ]
      : ['The page was opened for them already. Tell them that the call waits for it, and wait.']),
    `When they say that they are done, call the tool "${RESUME}" with ticket "${ticket}". It works once. The page can be ` +
      `answered for ${minutes} more ${minutes === 1 ? 'minute' : 'minutes'}.`,
  ].join('\n');
}
