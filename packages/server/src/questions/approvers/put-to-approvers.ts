/** Puts a question into the inbox and waits for its outcome, and withdraws questions there; see ./approvers.ts. */
import { isMidcallError, MidcallError, messageOf } from '@midcall/core/errors';
import { defined } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import { pause } from '@midcall/core/time';
import { digest, type Json } from '../../base/index.ts';
import type { Journal } from '../../engine/index.ts';
import { type ApprovalAsk, type Config, detailsDigest } from '../../request/index.ts';
import type { ChannelCall, FormQuestion, Put } from '../channel.ts';
import { formDigest } from '../form-digest.ts';
import { judge } from '../judge.ts';
import type { ApartAsk } from '../outgoing.ts';
import { historyKeyOf, putUntilItFits } from '../put-form.ts';
import { type Recording, readRecording } from '../recording.ts';
import { recordedCheck, withProblems } from '../validated.ts';
import type { ApprovalCall } from './approval-call.ts';
import { asRecording } from './as-recording.ts';
import { standingText, waitingWords } from './waiting-words.ts';

/** A question in the inbox. */
interface InboxQuestion extends Pick<ApprovalAsk, 'id' | 'from' | 'askedAt' | 'dueAt'> {
  /** Where people answer. */
  readonly url: string;
}

/** The record of a question before its answer. */
type Asked =
  | { readonly kind: 'in-inbox'; readonly at: InboxQuestion }
  /** It could not be asked. */
  | { readonly kind: 'refused'; readonly why: string }
  /** An earlier refusal of the same question stands. */
  | { readonly kind: 'standing-decline' };

const name = 'approvers';

/** Milliseconds after which the inbox is read again, since its own signal may be lost. */
const LOOK_MS = 10_000;

export const putToApprovers = <T>(question: FormQuestion<T>, call: ChannelCall): Promise<Put<T>> =>
  putUntilItFits(question, call, async (message, before) => {
    const { ask, form } = question;
    const { run, history, config } = call;
    const approvals = call.approvals!;
    const schema = before ? withProblems(form.schema, before) : form.schema;
    const details = ask.details && detailsDigest(ask.details);
    const draw = {
      kind: 'elicit',
      identity: [name, message, formDigest(schema), ask.from ?? null, details ?? null, ask.key],
      label: message,
    } as const;
    const asked = historyKeyOf(ask, form);
    if (!run.foresees(draw)) {
      const exhausted = history.exhausted(asked, ask.message);
      if (exhausted) return run.fail(exhausted);
    }
    let cause: unknown;
    const drawn = await run.find(
      draw,
      history.declined(asked)
        ? { kind: 'standing-decline' }
        : id =>
            open(id, { ...question, ask: { ...ask, message } }, schema as unknown as Json, approvals, config).catch(
              (error: unknown) => {
                cause = error;
                return { kind: 'refused', why: whyRefused(error) };
              },
            ),
    );
    const record = drawn.value as unknown as Asked;
    if (record.kind === 'refused') throw new MidcallError('ask/unavailable', record.why, defined({ cause }));
    const judging = (recording: Recording, id: string) =>
      judge(recording, form, {
        from: { channel: name, assurance: 'verified' },
        byHost: false,
        demanded: ask.assurance,
        suspectBelowMs: config.suspectBelowMs,
        judging: recordedCheck(run, ask.message, id),
      });
    const { id } = drawn;
    if (record.kind === 'standing-decline') {
      return { judged: await judging(record, id), got: undefined, identity: id, untold: { id, fresh: drawn.fresh } };
    }
    if (drawn.fresh) call.audit({ kind: 'asked', ask: id, channel: name, ...defined({ assurance: ask.assurance }) });
    const detail = waiting(record.at, message, drawn.fresh, approvals, config);
    const answered = await run.ask({ kind: 'elicit', identity: [name, record.at.id], label: message, detail });
    const recording = readRecording(answered.value);
    const judged = await judging(recording, answered.id);
    const got = recording.kind === 'answered' ? recording.got : undefined;
    if ('answer' in judged && judged.answer.action === 'accept') {
      const { content = null } = got as { readonly content?: Json };
      config.observe?.({ kind: 'approved', message: ask.message, content });
    }
    const leftOut = 'answer' in judged && judged.leftOut && { leftOut: judged.leftOut };
    return {
      judged,
      got,
      identity: answered.id,
      untold: { id, fresh: answered.fresh, ...leftOut },
    };
  });

/** Withdraws every question of a journal. */
export async function withdrawFrom(journal: Journal, { inbox, waiting, warn }: Config): Promise<void> {
  if (!inbox) return;
  for (const { value } of journal) {
    const record = value as unknown as Asked | null | undefined;
    if (record?.kind === 'in-inbox') await withdraw(record.at.id, { inbox, waiting, warn });
  }
}

/**
 * Stores a question in the inbox.
 * @param askId - of the ask in its run
 * @throws MidcallError `ask/unavailable` if these people can never give this answer; what the inbox throws
 */
async function open(
  askId: string,
  { ask }: FormQuestion,
  schema: Json,
  { inbox, call, server, arguments: args }: ApprovalCall,
  config: Config,
): Promise<Json> {
  const id = digest([name, call.flow, askId]);
  const from = ask.from ?? 'requester';
  const assurance = ask.assurance === 'present' ? 'present' : 'verified';
  const requester = call.principal;
  // A run that died may have asked it: whoever may answer now, it waits for them.
  const wasAsked = (await inbox.look(id)) !== undefined;
  const whyNot = wasAsked ? undefined : await inbox.whyNot({ from, requester, assurance });
  if (whyNot !== undefined) throw new MidcallError('ask/unavailable', whyNot);
  const askedAt = config.clock.now();
  const dueAt = askedAt + (ask.timeoutMs ?? config.askTimeoutMs);
  const { method, name: called, principal, flow } = call;
  const of = { waitsFor: name, method, name: called, principal, flow, since: askedAt, until: dueAt } as const;
  // Before anybody is asked: once they are, nothing else that fails may end the question.
  await config.waiting.add({ kind: name, ref: id, ...of }).catch((error: unknown) => {
    // It was listed when it was asked.
    if (!wasAsked) throw error;
  });
  try {
    const { url } = await inbox.ask({
      ...{ id, from, requester, server, assurance, askedAt, dueAt, schema, message: ask.message },
      call: { method, name: called, arguments: args },
      ...defined({ details: ask.details }),
    });
    return { kind: 'in-inbox', at: { id, from, askedAt, dueAt, url } } satisfies Asked as unknown as Json;
  } catch (error) {
    // It may have been stored all the same, and nobody would wait for its answer. What was asked before may have votes.
    if (!wasAsked) await withdraw(id, { inbox, waiting: config.waiting, warn: () => {} });
    throw error;
  }
}

/**
 * What a handler is told. After any other failure it is not known whether somebody was asked, and its words may contain what no
 * client should know, or say to try again.
 */
const whyRefused = (error: unknown): string =>
  isMidcallError(error, 'ask/unavailable')
    ? `Nobody was asked: ${error.message}`
    : 'This could not be asked: the inbox or the store could not be used.';

/** The wait for a question in the inbox. @param isNew - true if this run asked it */
function waiting(
  at: InboxQuestion,
  message: string,
  isNew: boolean,
  { inbox }: ApprovalCall,
  config: Config,
): ApartAsk {
  const { clock } = config;
  let votes: Parameters<typeof standingText>[1] = [];
  const sign = (): string => standingText(at, votes);

  /** @returns undefined while it waits */
  const outcome = async (): Promise<Recording | undefined> => {
    let standing = await inbox.look(at.id);
    const isLate = clock.now() >= at.dueAt;
    if (!standing?.outcome && isLate) {
      // The clock of the inbox may be behind: from now on, no answer counts there either.
      await inbox.withdraw(at.id);
      standing = await inbox.look(at.id);
    }
    votes = standing?.votes ?? votes;
    return asRecording(standing, at, isLate ? clock.now() : undefined);
  };

  return {
    to: 'apart',
    channel: name,
    timeoutMs: at.dueAt - at.askedAt,
    askedAt: at.askedAt,
    dueAt: at.dueAt,
    isHeld: false,
    inInbox: isNew ? 'asked' : 'asked-before',
    sign,
    words: () => waitingWords(at, message, sign()),
    audited: 'already',
    async collect(ms, signal, changed) {
      const until = clock.now() + ms;
      // Made before the inbox is read, so that no change is missed.
      let next = new AbortController();
      const stop = ms > 0 ? inbox.listen(at.id, () => next.abort()) : () => {};
      try {
        for (;;) {
          const before = sign();
          const recording = await outcome().catch(unreadable);
          if (recording) return recording;
          config.observe?.({ kind: 'inbox' });
          if (sign() !== before) changed?.();
          const left = until - clock.now();
          if (left <= 0 || signal?.aborted) return undefined;
          const toDue = at.dueAt - clock.now();
          const change = signal ? AbortSignal.any([next.signal, signal]) : next.signal;
          await pause(Math.min(left, LOOK_MS, toDue > 0 ? toDue : LOOK_MS), clock, change);
          next = new AbortController();
        }
      } finally {
        stop();
      }
    },
    withdraw: () => withdraw(at.id, { inbox, waiting: config.waiting, warn: config.warn }),
  };
}

/** Never rejects. @returns false, since an answer in an inbox does nothing by itself */
async function withdraw(
  id: string,
  { inbox, waiting, warn }: Pick<Config, 'waiting' | 'warn'> & Pick<ApprovalCall, 'inbox'>,
): Promise<boolean> {
  await waiting.remove({ kind: name, ref: id });
  await inbox.withdraw(id).catch((error: unknown) => {
    warn(
      `midcall: a question that nobody waits for any more stays in the inbox until that can be written, or its time is up: ${visible(messageOf(error))}`,
    );
  });
  return false;
}

/** An inbox throws what it likes; whatever it is, the call goes on waiting (approvers-P2). */
function unreadable(cause: unknown): never {
  throw new MidcallError('store/unavailable', 'The inbox cannot be read.', { cause });
}
