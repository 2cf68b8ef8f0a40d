/**
 * The one way from a call of a tool to its server, where the operator has rules: judges them, asks the person if they say so, and
 * says of each such call whether it was made.
 *
 * - consent-C1 A call that was asked about is made only after a yes, and at most once for it.
 * - consent-C2 Between the yes and the call, the rules are judged again, and the tool's definition is read again. A yes for what
 *   has changed is not used.
 * - consent-C3 The result of a call that was asked about, or refused, says in `_meta` whether it was executed. A call that was sent
 *   and got no answer is in doubt, and is never sent again.
 * - consent-C4 Only a reply to a question of the inbox is a yes: nothing in the call, and nothing that the server sends.
 */
import { isRecord, own } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import type { Clock } from '@midcall/core/time';
import type { Asking } from '../asking/index.ts';
import type { SentResult } from '../calls/index.ts';
import type { CallContext, CallQuestion, Ending, Question } from '../question/index.ts';
import type { CallVerdict, Rules } from '../rules/index.ts';
import type { ForwardedAnswer } from '../sdk-seam/index.ts';
import { Approvals, approvalMs, bindingOf } from './approvals.ts';

/** What the consent to the calls of one connection needs. */
export interface CallConsentOptions {
  readonly rules: Rules;
  /** What the rules call the server. */
  readonly server: string;
  readonly asking: Asking;
  readonly clock: Clock;
  readonly newId: () => string;
  /** An open question by its id. */
  readonly questionOf: (id: string) => Question | undefined;
  /** The principal that the server is reached for. */
  readonly principal?: string | undefined;
  /** Reads a page of the list of tools, unchanged. */
  readonly listTools: (params: Readonly<Record<string, unknown>>) => Promise<ForwardedAnswer>;
}

/** A call that is to be made. */
export interface ConsentedCall {
  readonly context: CallContext;
  /** Fires when its caller gives up. */
  readonly signal: AbortSignal;
  /** Stops the time that the server has for it; returns a function that lets it go on. */
  readonly pause?: () => () => void;
  /** Told of the question that it waits for. */
  readonly onConsentAsked?: ((question: Question) => void) | undefined;
}

/** Whether a call was made. */
type Disposition = 'executed' | 'not-executed' | 'in-doubt';

const dispositionKey = 'io.github.midcall/disposition';
/** The most pages of a list of tools that are read. */
const mostPages = 100;

type Definitions = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The verdict on a call, with what a yes to it is for. */
interface BoundVerdict extends CallVerdict {
  readonly binding: string;
}

/** One for all connections with the same rules, so that a restart of a server loses no answer. */
const byRules = new WeakMap<Rules, Approvals<SentResult>>();

/** The calls of one connection. */
export class CallConsent {
  readonly #options: CallConsentOptions;
  readonly #approvals: Approvals<SentResult>;
  /** The tools as the server listed them last; undefined before that, and when it says that they have changed. */
  #definitions: Promise<Definitions | undefined> | undefined;

  constructor(options: CallConsentOptions) {
    const { rules, clock } = options;
    this.#options = options;
    this.#approvals = byRules.get(rules) ?? new Approvals(clock);
    byRules.set(rules, this.#approvals);
  }

  /** The server says that its tools have changed. */
  toolsChanged(): void {
    this.#definitions = undefined;
  }

  /** Makes a call, if it may be made. @param send - makes it */
  async run(call: ConsentedCall, send: () => Promise<SentResult>): Promise<SentResult> {
    const { rules, asking } = this.#options;
    const { context } = call;
    const { effect, why } = await this.#verdict(context, call.signal);
    if (effect === 'allow') return send();
    if (rules.observes) {
      const did = effect === 'ask' ? 'would have asked you' : 'would have refused it';
      const says = `rules: '${visible(context.name, { max: 100 })}' was called; they ${did}, because ${why}`;
      asking.observed(says, context);
      rules.onObserved(says);
      return send();
    }
    return effect === 'refuse' ? this.#refused(context, why) : this.#asked(call, send);
  }

  #refused(context: CallContext, why: string): SentResult {
    this.#options.asking.refused('call', 'policy', `Your rules refuse it: ${why}.`, context);
    return notDone('A rule of the operator refuses this call. The person was not asked. Do not call it again.');
  }

  async #asked(call: ConsentedCall, send: () => Promise<SentResult>): Promise<SentResult> {
    const approvals = this.#approvals;
    const { context, signal } = call;
    const before = await this.#boundVerdict(context, signal);
    if (before.effect === 'allow') return send();
    if (before.effect === 'refuse') return this.#refused(context, before.why);
    const requester = this.#requester(context);
    const approval = approvals.join(before.binding, requester, over => this.#ask(context, before, over));
    if (!approval)
      return notDone(
        'Too many calls of yours wait for the person already. Wait until they have answered some of them.',
      );
    const question = this.#options.questionOf(approval.questionId);
    if (question) call.onConsentAsked?.(question);
    const goOn = call.pause?.();
    let ending: Ending;
    try {
      ending = await orAborted(approval.ended, signal);
    } finally {
      approvals.leave(approval);
      goOn?.();
    }
    if (ending.how !== 'answered') return notDone(notAnswered(ending));
    const start = (): Promise<SentResult> => sentOnce(send);
    if (approval.outcome) return approval.outcome;
    const now = await this.#boundVerdict(context, signal);
    if (now.effect === 'allow') return start();
    if (now.effect === 'refuse' || now.binding !== before.binding) {
      approvals.drop(before.binding, approval);
      return now.effect === 'refuse'
        ? this.#refused(context, now.why)
        : notDone(
            "The person said yes, but the tool's definition or the operator's rules have changed since they were asked. " +
              'Call it again with the same arguments: they are asked anew.',
          );
    }
    const used = approvals.use(before.binding, approval, start);
    return used ?? notDone('The yes of the person is too old. Call it again with the same arguments to ask them anew.');
  }

  #ask(context: CallContext, { rule, why }: CallVerdict, over: AbortSignal) {
    const { asking, clock, newId } = this.#options;
    const limit = new AbortController();
    const { within = approvalMs, labels, assurance } = rule ?? {};
    const callOff = clock.after(within, () => limit.abort({ how: 'timed-out' }));
    const askedAt = clock.now();
    const question: CallQuestion = {
      kind: 'call',
      id: newId(),
      asker: asking.asker(),
      call: context,
      askedAt,
      openUntil: askedAt + within,
      why,
      ...(labels && { labels }),
      ...(assurance === 'out-of-band' && { outOfBand: true }),
    };
    const ended = asking.askOwn(question, AbortSignal.any([over, limit.signal])).finally(callOff);
    return { questionId: question.id, ended };
  }

  #requester({ principal }: CallContext): string {
    return JSON.stringify([this.#options.principal ?? null, principal ?? null]);
  }

  /** The verdict by what is known of the tool. */
  async #verdict(context: CallContext, signal: AbortSignal): Promise<CallVerdict> {
    const { rules, server } = this.#options;
    const definition = rules.readsAnnotations(server) ? (await this.#tools(signal))?.get(context.name) : undefined;
    return this.#judge(context, definition);
  }

  /** The verdict by what the server says of the tool now, and what a yes to the call is for (consent-C2). */
  async #boundVerdict(context: CallContext, signal: AbortSignal): Promise<BoundVerdict> {
    this.#definitions = undefined;
    const definition = (await this.#tools(signal))?.get(context.name);
    const verdict = this.#judge(context, definition);
    const { asking, server } = this.#options;
    const { name: tool, arguments: args } = context;
    const requester = this.#requester(context);
    const { origin } = asking.asker();
    const bound = { origin, server, requester, tool, arguments: args, definition, rule: verdict.rule };
    return { ...verdict, binding: bindingOf(bound) };
  }

  #judge(context: CallContext, definition: Readonly<Record<string, unknown>> | undefined): CallVerdict {
    const { rules, server } = this.#options;
    const said = definition?.['annotations'];
    const annotations = definition && (isRecord(said) ? said : {});
    return rules.judge({ server, tool: context.name, arguments: context.arguments, annotations });
  }

  /** The tools as the server lists them; undefined if they cannot be read. */
  async #tools(signal: AbortSignal): Promise<Definitions | undefined> {
    this.#definitions ??= this.#read();
    const reading = this.#definitions;
    let read: Definitions | undefined;
    try {
      // Several calls may wait for one reading, so that none of them ends it for the others.
      read = await orAborted(reading, signal);
      return read;
    } finally {
      if (!read && this.#definitions === reading) this.#definitions = undefined;
    }
  }

  async #read(): Promise<Definitions | undefined> {
    const tools = new Map<string, Readonly<Record<string, unknown>>>();
    let cursor: unknown;
    for (let page = 0; page < mostPages; page += 1) {
      const answer = await this.#options.listTools(cursor === undefined ? {} : { cursor });
      const listed = 'result' in answer ? answer.result['tools'] : undefined;
      if (!Array.isArray(listed)) return undefined;
      for (const tool of listed) if (isRecord(tool) && typeof tool['name'] === 'string') tools.set(tool['name'], tool);
      cursor = own('result' in answer ? answer.result : {}, 'nextCursor');
      if (cursor === undefined) return tools;
    }
    return undefined;
  }
}

/** Makes a call, and says whether it was made (consent-C3). */
async function sentOnce(send: () => Promise<SentResult>): Promise<SentResult> {
  try {
    return marked(await send(), 'executed');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text =
      `In doubt. The person said yes and the call was sent, but it has no result: ${visible(why, { max: 500 })} It may have ` +
      'taken effect. Find out before you call it again; calling it again asks the person anew.';
    return marked({ result: { content: [{ type: 'text', text }], isError: true } }, 'in-doubt');
  }
}

function marked(sent: SentResult, disposition: Disposition): SentResult {
  const { _meta: meta, ...result } = sent.result;
  return { ...sent, result: { ...result, _meta: { ...(isRecord(meta) && meta), [dispositionKey]: disposition } } };
}

/** The result of a call that was not made. */
const notDone = (why: string): SentResult =>
  marked({ result: { content: [{ type: 'text', text: `Not done. ${why}` }], isError: true } }, 'not-executed');

function notAnswered(ending: Exclude<Ending, { readonly how: 'answered' }>): string {
  switch (ending.how) {
    case 'declined':
      return 'The person said no. Do not call it again unless they ask you to.';
    case 'dismissed':
      return 'The person closed the question without a yes or a no.';
    case 'timed-out':
      return 'The person did not answer in time. Call it again with the same arguments to ask them again.';
    case 'unshown':
      return 'The person could not be asked: there is nothing that shows them the question. They have not refused.';
    case 'refused-by-policy':
      return 'The person refuses everything about this server at the moment.';
    default:
      return 'The question ended before the person answered, since the server or its host stopped.';
  }
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
