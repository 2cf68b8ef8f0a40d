/** What the desk's pages show, as plain data: servers, calls and questions at one moment. */

import type {
  CallContext,
  CallOutcome,
  CallProgress,
  CallTask,
  Ending,
  ListProblem,
  Notice,
  Question,
  SamplingAccount,
} from '../../index.ts';
import type { Draft } from '../form/index.ts';
import type { Theme } from '../keeping/index.ts';
import type { HostWait } from './desk-connection.ts';

/** What every page and card needs for rendering. */
export interface Session {
  /** The hidden token of every form. */
  readonly csrf: string;
  /** The address of a page, by its path on the desk: `/roots` -> `/<secret>/roots`. The only place where addresses are made. */
  readonly link: (path: string) => string;
}

/** What a server offers; each of them can be called, and may ask. */
export type OfferKind = CallContext['kind'];

/** A tool, a prompt or a resource as its server describes it; untrusted text. */
export interface OfferView {
  /** The name it is called by; a resource's URI, or its template. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: unknown;
  /** The URI of the MCP App that shows its results. */
  readonly app?: string;
  readonly annotations?: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  /** True if this is what its server offered when it ran last: nothing more is known until it is started. */
  readonly isRemembered?: boolean;
  /** True if the name is a template of URIs, with the form's fields in it. */
  readonly template?: boolean;
}

/** A folder a server may use. */
export interface RootView {
  readonly uri: string;
  readonly name?: string;
  /** The path as a person reads it; the URI if it is not a local path. */
  readonly path: string;
}

/** The models that a person lets servers use. */
export interface ModelsView {
  /** In order of preference. */
  readonly names: readonly string[];
  /** True if at least one of them supports tools. */
  readonly tools: boolean;
}

/** A server on the desk. */
export interface ServerView {
  /** The name the person gave it; unique. */
  readonly id: string;
  /** Its command line or URL. */
  readonly origin: string;
  /** The host whose bridge runs it, in its own words, which are untrusted; absent for a server of the desk itself. */
  readonly elsewhere?: string;
  readonly state: 'starting' | 'ready' | 'stopped' | 'failed';
  /** True if it is stored for the next session. */
  readonly stored?: boolean;
  /** True if it was not started yet, and starts when its page is opened. */
  readonly fresh?: boolean;
  /** When its latest start began; milliseconds since the epoch. */
  readonly startedAt?: number;
  /** The decision by which everything it asks is refused; absent if it is not muted. */
  readonly muted?: string;
  /** Why it is not running. */
  readonly reason?: string;
  /** Its own name, with its version. */
  readonly self?: string;
  readonly era?: string;
  /** True if it completes the arguments of prompts and resource templates. */
  readonly completes?: boolean;
  readonly tools: readonly OfferView[];
  readonly prompts: readonly OfferView[];
  readonly resources: readonly OfferView[];
  /** The lists of these that could not be read. */
  readonly unlisted: readonly ListProblem[];
  readonly roots: readonly RootView[];
  /** What it has spent on the person's models, and may spend; absent if it is not running or has none. */
  readonly account?: SamplingAccount;
  /** The last lines of its standard error; untrusted. */
  readonly log: readonly string[];
}

/** A call that the first page offers to somebody who is new here, with its arguments. */
export interface TryView {
  readonly title: string;
  /** What happens then, in a sentence or two. */
  readonly about: string;
  /** The id of the server. */
  readonly server: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A question and, once it has one, its ending. */
export interface QuestionView {
  readonly question: Question;
  readonly ending?: Ending;
  /** Milliseconds since the epoch. */
  readonly endedAt?: number;
  /** The content of its form when it ended without the person, except for secrets. */
  readonly typed?: Draft;
  /** True if it may belong to this call: the server named no call, and this one was running. */
  readonly perhaps?: true;
  /** True if other calls were running as well: the card of the question is on a page of its own. */
  readonly amongSeveral?: true;
}

/** Something that was decided without asking: refused by the host or by policy, or allowed by a decision. */
export interface NoticeView {
  readonly notice: Notice;
  readonly serverId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** True if it may belong to this call: the server named no call, and this one was running. */
  readonly perhaps?: true;
}

/** What refused something in place of the person: the host, or a decision. */
export type Refuser = 'host' | 'policy';

/** A call, made from the desk or by the host that the desk answers for. */
export interface CallView {
  readonly context: CallContext;
  /** What its server calls it in words, when it was made; untrusted. */
  readonly title?: string;
  /** True if it was made from the desk. */
  readonly here?: boolean;
  /** True if it is of an earlier session: its questions are no longer stored. */
  readonly earlier?: true;
  readonly serverId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds since the epoch. */
  readonly endedAt?: number;
  /** Absent while it is running. */
  readonly outcome?: CallOutcome;
  readonly progress?: CallProgress;
  /** Set once it continues as a task. */
  readonly task?: CallTask;
  /** Whether its host waits for the person; absent for a call whose host never had to. */
  readonly wait?: HostWait;
  /** Questions and notices, in the order they came. */
  readonly items: readonly (QuestionView | NoticeView)[];
}

/** What refused an item, if the person had no part in it. */
function refuserIn(item: QuestionView | NoticeView | undefined): Refuser | undefined {
  if (!item) return undefined;
  if ('notice' in item) return item.notice.type === 'refused' ? item.notice.by : undefined;
  return item.ending?.how === 'refused-by-policy' ? 'policy' : undefined;
}

/**
 * Whose the last refusal in a call is, if that is why it ended: nothing was answered after it, and the call has no result of its own.
 * The server reports such an ending without knowing the reason.
 */
export function refuserOf({ items, outcome }: Pick<CallView, 'items' | 'outcome'>): Refuser | undefined {
  if (outcome?.how === 'cancelled' || outcome?.how === 'timed-out' || outcome?.how === 'server-gone') return undefined;
  return outcome && refuserIn(items.findLast(item => item.perhaps !== true));
}

/** True for a question that nobody has answered yet. */
export const isOpen = (item: QuestionView | NoticeView): boolean => 'question' in item && item.ending === undefined;

/** Everything that a page may show around its own content. */
export interface DeskView extends Session {
  readonly servers: readonly ServerView[];
  /** Oldest first. */
  readonly open: readonly Question[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly zone: string;
  /** The newest event that this view includes. */
  readonly event: number;
  /** True if a browser is recognized after the desk was started again. */
  readonly remembersBrowsers?: boolean;
  /** Whether a server's tools are folded away beside the pages; undefined if the person never said. */
  readonly isFolded: (serverId: string) => boolean | undefined;
  /** The colours; those of the person's system if absent. */
  readonly theme?: Theme;
  /** True if keys without a modifier do something. */
  readonly singleKeys: boolean;
}
