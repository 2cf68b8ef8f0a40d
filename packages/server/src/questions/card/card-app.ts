/**
 * Our App (MCP Apps 2026-01-26), and what it is given: the question of a call that waits, which it answers with a tool that only
 * Apps are offered. Its source is in tools/card.
 *
 * - card-C1 The ticket is in `_meta` alone, which is not for the model: no text of a result has it.
 */
import { isMidcallError } from '@midcall/core/errors';
import type { Field } from '@midcall/core/form';
import { defined } from '@midcall/core/json';
import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/server';
import { APP_TYPE, type CallRequest } from '../../request/index.ts';
import { nameOf } from '../../sdk-seam/index.ts';
import type { WaitingWords } from '../outgoing.ts';

/** The address of the App. */
export const CARD_URI = 'ui://midcall/card';

/** The name of the tool by which the App answers. */
export const CARD_TOOL = 'midcall_answer';

/** The `_meta` of that tool: no model is offered it. */
export const forApps = { ui: { visibility: ['app'] } } as const;

/** The `_meta` of a tool whose results the App shows. @param meta - the tool's own */
export function withCard(meta: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { ...meta, ui: { ...(meta['ui'] as object | undefined), resourceUri: CARD_URI } };
}

/**
 * The App as a resource, loaded when a host reads it. Nothing is declared of domains or permissions, so a host lets it load and send
 * nothing.
 */
export async function cardResource(): Promise<ReadResourceResult> {
  const { cardDocument: text } = await import('./card-document.ts');
  return { contents: [{ uri: CARD_URI, mimeType: APP_TYPE, text, _meta: { ui: { prefersBorder: false } } }] };
}

/** The member of `_meta` that the App reads. */
const KEY = 'io.github.midcall/card';

/** What the App shows. */
type CardContent =
  | { readonly question: { readonly message: string; readonly fields: readonly Field[]; readonly wayBack?: string } }
  | { readonly page: NonNullable<WaitingWords['passOn']>['page'] };

/** The `_meta` of the result of a call that waits. @param dueAt - in milliseconds since the epoch */
export const cardMeta = (
  content: CardContent,
  { ticket, dueAt }: { readonly ticket: string; readonly dueAt: number },
  { server, name }: Pick<CallRequest, 'server' | 'name'>,
): NonNullable<CallToolResult['_meta']> => ({
  [KEY]: {
    ...content,
    ...defined({ server: nameOf(server) || undefined }),
    tool: name,
    deadline: new Date(dueAt).toISOString(),
    ticket,
  },
});

/** What the App is told when it has reported that it shows a question. The time is the server’s: that of a device may be wrong. */
export const reported = (told: { readonly isAnswered: boolean; readonly now: number }): CallToolResult => ({
  content: [{ type: 'text', text: 'Noted.' }],
  _meta: { [KEY]: told },
});

/** Why the App gets no outcome of its answer, by the code of the error. */
const noOutcome: Readonly<Record<string, object>> = {
  'state/invalid': { isRefused: true },
  'state/already-answered': { isRefused: true, isAnswered: true },
  // The same answer again gets the outcome.
  'call/interrupted': { isUnderWay: true },
};

/** What the App is told of its answer; undefined for an error that is the outcome of the call. */
export const notTaken = (error: unknown): CallToolResult | undefined =>
  isMidcallError(error) && error.code in noOutcome
    ? { content: [{ type: 'text', text: error.message }], isError: true, _meta: { [KEY]: noOutcome[error.code] } }
    : undefined;
