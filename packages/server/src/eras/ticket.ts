/**
 * A ticket: what continues a call whose request has ended, whether its question was relayed, is on a card or waits on a page.
 *
 * - relay-L1 A ticket is random, and is used once: like any retry it is claimed together with its answer, so the same answer again
 *   gets the same result, and nothing runs twice. An answer that comes after its question was due counts as none.
 * - relay-L4 Each ticket works with the tool that the channel of its question names, and with no other.
 * - relay-L2 Its content is sealed and bound like any state: another person, client, tool, argument or version is refused. The
 *   store knows a ticket only by its digest.
 */
import { findOut, MidcallError, nothingNow } from '@midcall/core/errors';
import type { Assurance, Channel } from '@midcall/core/form';
import { digest, type Json } from '../base/index.ts';
import type { WaitingCall } from '../observe/index.ts';
import { answeredBy } from '../questions/index.ts';
import { type CallRequest, type Config, principalKey, RESUME } from '../request/index.ts';
import { type CallRef, lifeOf, openStored, type RoundState, type StoredState } from '../state/index.ts';
import { begins, entryOf, type OpenedCall, stillUnderWay } from './open-retry.ts';

/** A call to be continued. */
export type Resumed = { readonly name: string; readonly arguments: unknown; readonly state: StoredState } & Needs;

/** What continues a call. */
export type Needs =
  /** An answer that comes with the ticket. */
  | { readonly needs: 'answer'; readonly channel: Channel; readonly assurance: Assurance }
  /** An answer that its channel collects apart from the client. */
  | { readonly needs: 'apart'; readonly channel: Channel }
  /** The call of `resume` alone. */
  | { readonly needs: 'call' };

const keyOf = (ticket: string): string => `ticket:${digest(ticket)}`;

/**
 * Stores a call to be continued under a ticket.
 * @param ttlMs - how long the ticket may be used, in milliseconds; a call that asks again within its request uses it later
 * @throws MidcallError `call/too-many` if its person takes too much of the store, or `store/unavailable`
 */
export async function storeTicket(
  ticket: string,
  call: Resumed,
  ttlMs: number,
  { method, name, principal, flow }: CallRef,
  config: Config,
): Promise<void> {
  const since = config.clock.now();
  const text = JSON.stringify(call);
  const retentionMs = ttlMs + 2 * config.stateTtlMs;
  await config.shares.take(principalKey(principal), { characters: text.length, until: since + retentionMs });
  await config.contents.set(keyOf(ticket), text, { ttlMs: retentionMs });
  const waitsFor = waitedFor(call);
  const until = since + ttlMs;
  await config.waiting.add({ kind: 'ticket', ref: ticket, waitsFor, method, name, principal, flow, since, until });
}

function waitedFor(call: Needs): WaitingCall['waitsFor'] {
  if (call.needs === 'call') return RESUME;
  return call.needs === 'answer' && answeredBy(call.channel) === RESUME ? RESUME : call.channel;
}

/** @returns what a ticket's call waits for; undefined if there is none */
export async function lookAtTicket(ticket: string, config: Config): Promise<WaitingCall['waitsFor'] | undefined> {
  const text = await config.contents.get(keyOf(ticket));
  return text === undefined ? undefined : waitedFor(JSON.parse(text) as Resumed);
}

/** Invalidates a ticket. @returns false if it was invalid already */
export const dropTicket = async (ticket: string, config: Config): Promise<boolean> =>
  (await config.contents.take(keyOf(ticket))) !== undefined;

const unknownTicket = () =>
  new MidcallError(
    'state/invalid',
    `This ticket is unknown: it has expired, was used, or never existed. ${nothingNow}`,
  );

const usedTicket = () =>
  new MidcallError(
    'state/already-answered',
    `This ticket was already used, so nothing was done now. Its result was given then, or that call is still under way. ${findOut}`,
  );

/**
 * Reads the content of a ticket; a refusal does not use it up.
 * @param tool - the name of the tool that it came with
 * @throws MidcallError `state/invalid` if there is none for this tool, or its time is up
 */
export async function readTicket(ticket: string, tool: string, config: Config): Promise<Resumed> {
  const text = await config.contents.get(keyOf(ticket));
  if (text === undefined) throw unknownTicket();
  const resumed = JSON.parse(text) as Resumed;
  if (resumed.needs === 'answer' && answeredBy(resumed.channel) !== tool) throw unknownTicket();
  return resumed;
}

/** @throws MidcallError `state/invalid` if a ticket is not for this call, or its time is up; it is not used up */
export async function checkTicket(resumed: Resumed, { binding }: CallRequest, config: Config): Promise<RoundState> {
  const opened = await openStored(resumed.state, binding, config);
  if (opened.ok) return opened.state;
  if (opened.kind === 'expired') throw unknownTicket();
  throw new MidcallError('state/invalid', `This ticket was not made for this person and client. ${nothingNow}`);
}

/**
 * Uses a ticket: opens its content, claims it, and records the answer.
 * @throws MidcallError `state/invalid` if it is not for this call, `state/already-answered` if it was used with another answer
 *   or long ago, `call/interrupted` if it is being used
 */
export async function openByTicket(
  ticket: string,
  resumed: Resumed,
  answer: Json,
  request: CallRequest,
  config: Config,
): Promise<OpenedCall> {
  const { binding, ctx } = request;
  const state = await checkTicket(resumed, request, config);
  const { flow, round, journal, out, nonce } = state;
  const retentionMs = lifeOf(state, config.clock.now());
  const inputs = digest([ticket, answer]);
  const cameAt = config.clock.now();
  const claim = await config.claims.claim(nonce, inputs, retentionMs, ctx.mcpReq.signal, cameAt, binding.principal);
  if (claim.kind === 'other-inputs' || claim.kind === 'forgotten') throw usedTicket();
  if (claim.kind === 'answered') return { earlier: claim.result, ...begins(flow) };
  if (claim.kind === 'under-way') throw await stillUnderWay(state, config);
  await config.waiting.remove({ kind: 'ticket', ref: ticket });
  const entries =
    resumed.needs === 'answer'
      ? out.map(ask => {
          const { channel, assurance } = resumed;
          return entryOf(ask, cameAt, ms => ({ kind: 'answered', channel, assurance, got: answer, ms }));
        })
      : [];
  return {
    flow,
    round,
    journal: [...journal, ...entries],
    fresh: new Set(entries.map(entry => entry.id)),
    stillOut: [],
    resumed: resumed.needs === 'apart',
    attempt: claim.attempt,
    retentionMs,
  };
}
