/** What `attach` takes and returns: the parts that answer for a client, and the client with a person attached. */
import {
  anything,
  func,
  having,
  type Kinds,
  listOf,
  name,
  oneOf,
  parts,
  positive,
  required,
  storeKind,
} from '@midcall/core/options';
import type { SamplingModel } from '@midcall/core/sampling';
import type { Store } from '@midcall/core/store';
import { type Clock, clockKind } from '@midcall/core/time';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { Notice } from '../asking/index.ts';
import type { Audit } from '../audit/index.ts';
import type { AskSignIn } from '../authorization/index.ts';
import type { CallEvent, RunOptions } from '../calls/index.ts';
import type { Inbox } from '../inbox/index.ts';
import type { Policy } from '../policy/index.ts';
import type { Asker, CallContext, ElicitationMode } from '../question/index.ts';
import type { OfferedRoots } from '../roots/index.ts';
import type { Rules } from '../rules/index.ts';
import type { SamplingAccount, SamplingLimits } from '../sampling/index.ts';
import type { ForwardedAnswer, ForwardedRequest, ForwardOptions } from '../sdk-seam/index.ts';
import type { TaskServer } from '../servers/index.ts';
import type { TaskStorage } from '../tasks/index.ts';

/** Events of one connection, besides the inbox's. */
export type AttachEvent = CallEvent | Notice | { readonly type: 'page-completed'; readonly elicitationId: string };

/** Where a client's questions are answered, and what is decided in advance. */
export interface AttachOptions {
  /** `id`: the name the person gave the server; `origin`: its command line or URL; the rest is kept with its tasks. */
  readonly server: TaskServer;
  /** Where questions are answered. */
  readonly inbox: Inbox;
  readonly policy?: Policy;
  /** Rules about calls of tools: which are made, which are refused, and which the person is asked about first. */
  readonly rules?: Rules;
  /** What the rules call this server, if that is not its id. */
  readonly nameInRules?: string;
  readonly audit?: Audit;
  /** The principal that the server is reached for, if a host serves several; named in the record. */
  readonly principal?: string;
  /** Declared only if given. */
  readonly roots?: OfferedRoots;
  /** Declared only if given. */
  readonly sampling?: { readonly model: SamplingModel; readonly budget?: Partial<SamplingLimits> };
  /** Default: both. */
  readonly modes?: readonly ElicitationMode[];
  /**
   * Further capabilities: those of the host that this client connects for, or of what shows results, such as `deskDeclares`.
   */
  readonly declares?: Pick<ClientCapabilities, 'experimental' | 'extensions'>;
  /** Registrable domains that the person trusts already; those they open are added. */
  readonly trustedDomains?: Set<string>;
  /** Milliseconds a person has per question; forever if absent. */
  readonly answerTimeoutMs?: number;
  /** Keeps open rounds of 2026-07-28, so that {@link Attachment.resume} can answer them in another process. */
  readonly store?: Store;
  /** Keeps calls that became tasks, so that {@link Attachment.resume} follows them in another process. */
  readonly tasks?: TaskStorage;
  readonly clock?: Clock;
  readonly newId?: () => string;
  /** Called when the store fails; the calls continue. */
  readonly onError?: (error: unknown) => void;
}

/** What the options must be. */
export const attachKinds: Kinds<AttachOptions> = {
  server: required(
    parts<AttachOptions['server']>({
      id: required(name),
      origin: required(name),
      target: anything,
      listedIn: anything,
    }),
  ),
  inbox: required(having('an Inbox', 'ask', 'reply', 'present')),
  policy: having('a Policy', 'judge', 'count'),
  rules: having('a Rules: new Rules({ rules })', 'judge', 'readsAnnotations'),
  nameInRules: name,
  audit: having('an Audit', 'record'),
  principal: name,
  roots: having('an OfferedRoots', 'granted', 'subscribe'),
  sampling: parts<NonNullable<AttachOptions['sampling']>>({
    model: required(having('a model, such as modelRouter(…) of @midcall/host/models', 'choose', 'run')),
    budget: anything,
  }),
  modes: listOf(oneOf('form', 'url')),
  declares: parts<NonNullable<AttachOptions['declares']>>({ experimental: anything, extensions: anything }),
  trustedDomains: having('a Set', 'has', 'add'),
  answerTimeoutMs: positive,
  store: storeKind,
  tasks: having('a place for tasks, such as tasksFile(…)', 'keep', 'takeUp'),
  clock: clockKind,
  newId: func,
  onError: func,
};

/** What to call. */
export interface CallRequest {
  readonly kind: CallContext['kind'];
  /** Tool or prompt name, or the resource's URI. */
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Everything else in the request, such as `_meta`; sent unchanged. */
  readonly rest?: Readonly<Record<string, unknown>>;
}

/** What a server says about itself, including the members that the SDK does not know. */
export interface ServerIntroduction {
  readonly serverInfo: Readonly<Record<string, unknown>>;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** A client with a person attached. */
export interface Attachment {
  /** Runs a call that questions are tied to; `client.callTool` and similar methods go through here too. */
  run(
    request: CallRequest,
    options?: RunOptions & { readonly id?: string },
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Stops a running call. @returns false if none has this id */
  cancel(callId: string): boolean;
  /**
   * Resumes the calls that an earlier process, or an earlier connection, left unfinished. Call it when connected. Tasks are
   * followed again; the questions of a round of 2026-07-28 are open again under the same ids, and answering them retries the
   * call with the server's own state.
   * @param callId - only this one; all if absent
   * @returns the calls' ids
   */
  resume(callId?: string): Promise<readonly string[]>;
  /** Resolves when the rounds and tasks received so far are stored, if `store` and `tasks` were given. */
  settled(): Promise<void>;
  /** Stops following its tasks, which continue without it. Call before closing the connection; resolves once this is stored. */
  leaveTasks(): Promise<void>;
  /** Lets questions of 2026-07-28 stay open when the connection closes, so that another process can resume them. */
  keepQuestions(): Promise<void>;
  /**
   * Forwards another party's request unchanged, past the SDK, and returns the answer unchanged. No question of the server is tied to
   * it: for calls, use {@link run}. Rules are judged all the same.
   * @throws MidcallError `host/cancelled` if the signal fires, `host/server-gone` if the server cannot be reached
   */
  forward(request: ForwardedRequest, options?: ForwardOptions): Promise<ForwardedAnswer>;
  /** Forwards another party's notification. @throws MidcallError `host/server-gone` */
  forwardNotification(notification: ForwardedRequest): Promise<void>;
  /** The parameters of an open form or page as the server sent them: untrusted. Undefined for any other question. */
  received(questionId: string): Readonly<Record<string, unknown>> | undefined;
  /** Adds members, such as `_meta`, to the answer of an open form or page; they never replace its action or content. */
  alsoAnswer(questionId: string, members: Readonly<Record<string, unknown>>): void;
  /** What the server said about itself when it connected, unchanged: untrusted, and of any shape. */
  introduction(): ServerIntroduction;
  /** Asks the person to sign in to the server; running calls wait meanwhile, and their timeouts are paused. */
  readonly askSignIn: AskSignIn;
  /** Who asks, as far as is known by now. */
  asker(): Asker;
  /** What sampling has cost so far, and may cost; undefined if sampling is not declared. */
  account(): SamplingAccount | undefined;
  /** Calls `listener` for every event from now on. @returns ends the subscription */
  subscribe(listener: (event: AttachEvent) => void): () => void;
}
