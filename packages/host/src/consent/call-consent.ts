/**
 * The one way from a call of a tool to its server, where the operator has rules: judges them, asks the person if they say so, and
 * says of each such call whether it was made.
 *
 * - consent-C1 A call that was asked about is made only after a yes, and at most once for it.
 * - consent-C2 Between the yes and the call, the rules are judged again, and the tool's definition is read again. A yes for what
 *   has changed is not used.
 * - consent-C3 The result of a call that was asked about, or refused, says in `_meta` whether it was executed. A call that was sent
 *   and got no answer is in doubt, and is never sent again, also if this process dies meanwhile and the rules have a storage.
 * - consent-C4 Only a reply to a question of the inbox is a yes, or gives a grant: nothing in the call, and nothing that the server
 *   sends. What a host says of the time after its yes gives a grant only where the rule says that `in-band` is enough, for exactly
 *   the arguments that were asked about.
 * - consent-C5 A grant lets a call pass only where the rules ask about it. What it is bound to is compared for each call, with a
 *   definition of the tool that was read within the last minute.
 */
import { messageOf } from '@midcall/core/errors';
import { isRecord, own } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import { type Clock, steadyNow, untilAborted } from '@midcall/core/time';
import type { Asking } from '../asking/index.ts';
import type { SentResult } from '../calls/index.ts';
import type {
  CallApproval,
  CallContext,
  CallQuestion,
  Ending,
  GrantChoice,
  HostPersist,
  Question,
} from '../question/index.ts';
import { type CallVerdict, isForInbox, type Rule, type Rules } from '../rules/index.ts';
import { type ForwardedAnswer, isNeverSent } from '../sdk-seam/index.ts';
import { type Approval, Approvals, approvalMs, bindingOf, type EndedCall, toolBindingOf } from './approvals.ts';
import { type GrantedCalls, Grants } from './grants.ts';

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

/** What the reply to a question about a call says of later ones. */
interface Chosen {
  readonly grant?: GrantChoice;
  readonly persist?: HostPersist;
}

/** Whether a call was made. */
type Disposition = 'executed' | 'not-executed' | 'in-doubt';

const dispositionKey = 'io.github.midcall/disposition';
/** The most pages of a list of tools that are read. */
const mostPages = 100;
/** How old a definition may be by which a call passes, in milliseconds. */
const freshMs = 60_000;

type Definitions = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The verdict on a call, with what a yes to it is for. */
interface BoundVerdict extends CallVerdict {
  /** Equal for calls of the same tool by the same requester under the same rule. */
  readonly toolBinding: string;
  /** What a grant for such calls is for; undefined if the tool's definition is unknown. */
  readonly calls: GrantedCalls | undefined;
}

/** What is shared by all connections with the same rules, so that a restart of a server loses no answer. */
interface Shared {
  readonly approvals: Approvals<SentResult>;
  readonly grants: Grants;
}

const byRules = new WeakMap<Rules, Shared>();

/** The calls of one connection. */
export class CallConsent {
  readonly #options: CallConsentOptions;
  readonly #approvals: Approvals<SentResult>;
  readonly #grants: Grants;
  /** The tools as the server listed them last; undefined before that, and when it says that they have changed. */
  #definitions: Promise<Definitions | undefined> | undefined;
  /** When they were asked for, in steady time. */
  #readAt = 0;

  constructor(options: CallConsentOptions) {
    const { rules, clock } = options;
    this.#options = options;
    const shared = byRules.get(rules) ?? {
      approvals: new Approvals(clock, rules.consent),
      grants: new Grants(clock, rules.consent),
    };
    byRules.set(rules, shared);
    this.#approvals = shared.approvals;
    this.#grants = shared.grants;
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
    if (effect === 'ask' && (await this.#passes(context, call.signal)))
      return (await sentOnce(send, 'A grant of the person lets such calls pass')).outcome;
    if (rules.observes) {
      const did = effect === 'ask' ? 'would have asked you' : 'would have refused it';
      const says = `rules: '${visible(context.name, { max: 100 })}' was called; they ${did}, because ${why}`;
      asking.noted(says, context);
      rules.onObserved(says);
      return send();
    }
    return effect === 'refuse' ? this.#refused(context, why) : this.#asked(call, send);
  }

  /** True if a grant lets a call pass about which the rules ask. */
  async #passes(context: CallContext, signal: AbortSignal): Promise<boolean> {
    const { server, asking, clock } = this.#options;
    try {
      if (!this.#grants.concerns(server, context.name)) return false;
      if (steadyNow(clock) - this.#readAt >= freshMs) this.#definitions = undefined;
      const definition = (await this.#tools(signal))?.get(context.name);
      const { effect, calls } = this.#bound(context, this.#judge(context, definition), definition);
      const grant = effect === 'ask' && calls ? this.#grants.find(calls.binding, context.arguments) : undefined;
      if (!grant) return false;
      asking.allowed('call', grant.id, context);
      return true;
    } catch (error) {
      if (signal.aborted) throw error;
      // A grant that cannot be read lets nothing pass; the person is asked, or the call is refused.
      return false;
    }
  }

  #refused(context: CallContext, why: string): SentResult {
    this.#options.asking.refused('call', 'policy', `Your rules refuse it: ${why}.`, context);
    return notDone('A rule of the operator refuses this call. The person was not asked. Do not call it again.');
  }

  async #asked(call: ConsentedCall, send: () => Promise<SentResult>): Promise<SentResult> {
    const { context, signal } = call;
    const before = await this.#boundVerdict(context, signal);
    if (before.effect === 'allow') return send();
    if (before.effect === 'refuse') return this.#refused(context, before.why);
    const binding = bindingOf(before.toolBinding, context.arguments);
    let approval: Approval<SentResult> | undefined;
    try {
      if (await this.#approvals.takeInDoubt(binding)) return inDoubt(lostCall);
      approval = this.#approvals.join(binding, this.#requester(context), over =>
        this.#ask(context, before, this.#approvals.earlier(binding), over),
      );
    } catch (error) {
      return notDone(`What is stored of the person's consent cannot be used: ${reasonOf(error)}`);
    }
    if (!approval)
      return notDone('Too many calls of yours wait for an answer already. Wait until some of them have one.');
    const ending = await this.#ending(call, approval);
    if (ending.how !== 'answered') return notDone((before.rule?.from === undefined ? notAnswered : notAgreed)(ending));
    return this.#afterYes(call, before.toolBinding, approval, send);
  }

  async #ending(call: ConsentedCall, approval: Approval<SentResult>): Promise<Ending> {
    const { questionId, ended } = approval;
    const question = questionId === undefined ? undefined : this.#options.questionOf(questionId);
    if (question) call.onConsentAsked?.(question);
    const goOn = call.pause?.();
    try {
      return await untilAborted(ended, call.signal);
    } finally {
      this.#approvals.leave(approval);
      goOn?.();
    }
  }

  async #afterYes(
    { context, signal }: ConsentedCall,
    toolBinding: string,
    approval: Approval<SentResult>,
    send: () => Promise<SentResult>,
  ): Promise<SentResult> {
    const approvals = this.#approvals;
    const binding = bindingOf(toolBinding, context.arguments);
    try {
      if (!approval.outcome) {
        const now = await this.#boundVerdict(context, signal);
        const isChanged = now.toolBinding !== toolBinding;
        if (now.effect !== 'ask' || isChanged) await approvals.drop(binding, approval);
        if (now.effect === 'allow') return (await sentOnce(send, yes)).outcome;
        if (now.effect === 'refuse') return this.#refused(context, now.why);
        if (isChanged)
          return notDone(
            "Whoever was asked said yes, but the tool's definition or the operator's rules have changed since they were asked. " +
              'Call it again with the same arguments: they are asked anew.',
          );
      }
      const used = await approvals.use(binding, approval, () => sentOnce(send, yes));
      return (
        used ??
        (approvals.mayHaveRun(binding)
          ? inDoubt('The yes of the person cannot be used any more, and the same call was sent, perhaps with this yes.')
          : notDone('The yes of the person cannot be used any more. Call it again to ask them anew.'))
      );
    } catch (error) {
      if (signal.aborted) throw error;
      return notDone(`The start of the call could not be stored: ${reasonOf(error)}`);
    }
  }

  #ask(
    context: CallContext,
    { rule, why, toolBinding, calls }: BoundVerdict,
    earlier: ReturnType<Approvals<SentResult>['earlier']>,
    over: AbortSignal,
  ) {
    const { asking, clock, newId } = this.#options;
    const limit = new AbortController();
    const { within = approvalMs, labels, assurance } = rule ?? {};
    const approval = rule && isForInbox(rule) ? approvalBy(rule) : undefined;
    const callOff = clock.after(within, () => limit.abort({ how: 'timed-out' }));
    const askedAt = clock.now();
    const grants = approval ? undefined : calls && this.#grants.offer(calls);
    const hostPersists = assurance === 'in-band' && grants?.scopes.includes('exact') === true;
    const question: CallQuestion = {
      kind: 'call',
      id: newId(),
      asker: asking.asker(),
      call: context,
      askedAt,
      openUntil: askedAt + within,
      why: earlier ? `${why}; ${earlierWords[earlier.how]}` : why,
      ...(labels && { labels }),
      ...((assurance === 'out-of-band' || approval) && { outOfBand: true }),
      ...(approval && { approval }),
      ...(hostPersists && { hostPersists }),
      alike: toolBinding,
      ...(grants && { grants }),
    };
    const ended = asking.askOwn(question, AbortSignal.any([over, limit.signal])).finally(callOff);
    const granting = ended.then(async ending => {
      // The inbox has checked it against the offer.
      const { grant, persist }: Chosen = (ending.how === 'answered' && ending.content) || {};
      if (persist !== undefined && !hostPersists)
        asking.noted(`the host said "${persist}"; by the rule, its yes counts for this call alone`, context);
      const end = persist === 'session' ? persist : grants?.ends.at(-1);
      const choice = persist !== undefined && hostPersists && end ? { scope: 'exact' as const, end } : grant;
      if (calls && choice) await this.#give(choice, calls, context);
      return ending;
    });
    return { questionId: question.id, ended: granting };
  }

  async #give(choice: GrantChoice, calls: GrantedCalls, context: CallContext): Promise<void> {
    const { asking } = this.#options;
    try {
      const { id, scope, until } = await this.#grants.give(choice, calls);
      asking.noted(`grant ${id} (${scope}) until ${new Date(until).toISOString()}`, context);
    } catch (error) {
      asking.noted(`a grant could not be stored: ${reasonOf(error)}`, context);
    }
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
    return this.#bound(context, this.#judge(context, definition), definition);
  }

  #bound(
    context: CallContext,
    verdict: CallVerdict,
    definition: Readonly<Record<string, unknown>> | undefined,
  ): BoundVerdict {
    const { asking, server } = this.#options;
    const { name: tool, arguments: args } = context;
    const { rule } = verdict;
    const { origin } = asking.asker();
    const requester = this.#requester(context);
    const toolBinding = toolBindingOf({ origin, server, requester, tool, definition, rule });
    const principal = context.principal ?? this.#options.principal;
    return {
      ...verdict,
      toolBinding,
      calls: definition && { server, tool, principal, binding: toolBinding, arguments: args, rule },
    };
  }

  #judge(context: CallContext, definition: Readonly<Record<string, unknown>> | undefined): CallVerdict {
    const { rules, server } = this.#options;
    const said = definition?.['annotations'];
    const annotations = definition && (isRecord(said) ? said : {});
    return rules.judge({ server, tool: context.name, arguments: context.arguments, annotations });
  }

  /** The tools as the server lists them; undefined if they cannot be read. */
  async #tools(signal: AbortSignal): Promise<Definitions | undefined> {
    if (!this.#definitions) this.#readAt = steadyNow(this.#options.clock);
    this.#definitions ??= this.#read();
    const reading = this.#definitions;
    let read: Definitions | undefined;
    try {
      // Several calls may wait for one reading, so that none of them ends it for the others.
      read = await untilAborted(reading, signal);
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

const yes = 'The person said yes';

/** Makes a call, and says whether it was made (consent-C3). */
async function sentOnce(send: () => Promise<SentResult>, because: string): Promise<EndedCall<SentResult>> {
  try {
    return { how: 'executed', outcome: marked(await send(), 'executed') };
  } catch (error) {
    if (isNeverSent(error))
      return {
        how: 'not-executed',
        outcome: notDone(`${because}, but the server cannot be reached. Nothing was sent. Call it again later.`),
      };
    const why = `${because}, and the call was sent, but it has no result: ${reasonOf(error)}`;
    return { how: 'in-doubt', outcome: inDoubt(why) };
  }
}

const earlierWords = {
  executed: 'the same call was made within the last hour',
  'in-doubt': 'the same call was sent earlier and may have taken effect',
} as const;

/** A reason as a sentence; those of the SDK end without a full stop. */
function reasonOf(error: unknown): string {
  const reason = visible(messageOf(error), { max: 500 });
  return /[.!?…]$/.test(reason) ? reason : `${reason}.`;
}

const lostCall =
  'The person said yes to this call earlier and it was sent, but Midcall stopped before its result came. It has not been sent again.';

/** The result of a call that may have been executed. */
const inDoubt = (why: string): SentResult =>
  marked(
    failed(
      `In doubt. ${why} It may have taken effect. Find out before you call it again; calling it again asks the person anew.`,
    ),
    'in-doubt',
  );

const failed = (text: string): SentResult => ({ result: { content: [{ type: 'text', text }], isError: true } });

function marked(sent: SentResult, disposition: Disposition): SentResult {
  const { _meta: meta, ...result } = sent.result;
  return { ...sent, result: { ...result, _meta: { ...(isRecord(meta) && meta), [dispositionKey]: disposition } } };
}

/** The result of a call that was not made. */
const notDone = (why: string): SentResult => marked(failed(`Not done. ${why}`), 'not-executed');

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

function notAgreed(ending: Exclude<Ending, { readonly how: 'answered' }>): string {
  switch (ending.how) {
    case 'declined':
    case 'dismissed':
      return 'Those who have to agree to it did not. Do not call it again unless they have changed their minds.';
    case 'timed-out':
      return 'Those who have to agree to it did not answer in time. Call it again with the same arguments to ask them again.';
    case 'unshown':
      return 'Those who have to agree to it could not be asked, or can no longer answer. They have not refused.';
    default:
      return notAnswered(ending);
  }
}

const approvalBy = ({ from: group, count = 1, not, assurance }: Rule): CallApproval => ({
  ...(group !== undefined && { from: { group, count, ...(not && { not }) } }),
  assurance: assurance === 'present' ? assurance : 'verified',
});
