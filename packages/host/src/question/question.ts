/**
 * The one model of what a person is asked. Terminal and web are two views of it.
 *
 * Everything here is plain JSON: a Question can be stored, sent to another process and shown there. All text in it
 * that came from a server is untrusted and unchanged; a view makes control and bidi characters visible, caps lengths
 * and never treats it as markup.
 */
import type { AskedField, Issue } from '@midcall/core/form';
import type { Era } from '../base/index.ts';
import type { UrlJudgement } from '../url/index.ts';
import type { GrantOffer } from './grant-choice.ts';

/** Who asks, in our own words: never taken from the question's text. */
export interface Asker {
  /** The name the person gave this server, unique in the host. */
  readonly id: string;
  /** The name the server gives itself; untrusted. */
  readonly name: string;
  readonly version?: string;
  /** The command line it was started with, or its URL; empty for a person who is not told. */
  readonly origin: string;
  readonly era: Era;
}

/** The call a question belongs to. */
export interface CallContext {
  readonly id: string;
  readonly kind: 'tool' | 'prompt' | 'resource';
  /** Tool or prompt name, or the resource's URI. */
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Who made it, where a host serves several. */
  readonly principal?: string;
}

interface QuestionFrame {
  /** Random; unique across restarts. */
  readonly id: string;
  readonly asker: Asker;
  /** Absent if the server asks outside any call of ours, or if two calls are running and the wire does not say which. */
  readonly call?: CallContext;
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
  /**
   * The latest time at which it ends without an answer; milliseconds since the epoch. Absent if unknown: the protocol does not
   * say how long a server waits.
   */
  readonly openUntil?: number;
}

/** A form, answered with content that fits its fields. */
export interface FormQuestion extends QuestionFrame {
  readonly kind: 'form';
  readonly message: string;
  readonly fields: readonly AskedField[];
  /** What the fields do not express of the form's schema, which answers are judged by as well; absent if they express all. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** What of the form is not shown, and why: sentences that quote the server; absent if there is nothing. */
  readonly notes?: readonly string[];
  /** The URI of an App of the server that helps to fill in the form; a view may leave it out. */
  readonly app?: string;
}

/** Consent to open a URL. */
export interface UrlQuestion extends QuestionFrame {
  readonly kind: 'url';
  readonly message: string;
  readonly url: UrlJudgement;
  /** 2025-11-25 only. */
  readonly elicitationId?: string;
}

/**
 * A page that was opened because a call could not go on without it (2025-11-25, error -32042). Accepting says "I have
 * finished" and the call is tried again; anything else cancels the call. Never an answer to the server.
 */
export interface UrlFinishQuestion extends QuestionFrame {
  readonly kind: 'url-finish';
  readonly message: string;
  readonly url: UrlJudgement;
  readonly elicitationId: string;
}

/**
 * A sign-in to the server itself, which requires one. The person opens the page and signs in there; the question ends as
 * `completed` when that is done. It has no accepting reply. All of it but the address comes from the host.
 */
export interface SignInQuestion extends QuestionFrame {
  readonly kind: 'sign-in';
  /** The issuer of the authorization server, where the person signs in. */
  readonly issuer: string;
  readonly url: UrlJudgement;
  /** What the server may do then, by the authorization server's names. */
  readonly scopes: readonly string[];
  /** The code to type on the page, if the sign-in is by device code (RFC 8628). */
  readonly code?: string;
  /** True if the person is signed in already, and the server wants more scopes. */
  readonly more: boolean;
}

/** One message of a sampling request, as the wire has it. */
export interface SamplingMessageView {
  readonly role: 'user' | 'assistant';
  /** Content blocks as received; text, image, audio, tool_use and tool_result. */
  readonly content: readonly Readonly<Record<string, unknown>>[];
}

/** Which model replies, and why that one. */
export interface AskedModel {
  readonly name: string;
  readonly why: string;
  /** True if there is none, and the person writes the reply. */
  readonly byHand?: boolean;
}

/** How a server wants a model to run; see `wishLines` for the words. */
export interface SamplingWishes {
  /** Names of models it would like, the best first. */
  readonly hints: readonly string[];
  /** Each from 0 to 1. */
  readonly costPriority?: number;
  readonly speedPriority?: number;
  readonly intelligencePriority?: number;
  readonly temperature?: number;
  readonly stopSequences: readonly string[];
  /** Whether the model may use tools: `auto`, `required` or `none`. */
  readonly toolChoice?: string;
  /** Extras for the model's provider. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What a model is sent. */
export interface SamplingPrompt {
  readonly systemPrompt?: string;
  readonly messages: readonly SamplingMessageView[];
  readonly maxTokens: number;
  readonly tools: readonly string[];
  readonly wishes: SamplingWishes;
}

/** Consent to send a prompt to the person's model; the person may edit it. */
export interface SamplingRequestQuestion extends QuestionFrame, SamplingPrompt {
  readonly kind: 'sampling-request';
  readonly model: AskedModel;
  /** The person's models, including the proposed one; any may be chosen instead. */
  readonly models: readonly string[];
  /** Received members that are shown and ignored, such as `includeContext`. */
  readonly ignored: readonly string[];
}

/** Consent to hand the model's reply to the server; the person may edit it. */
export interface SamplingReplyQuestion extends QuestionFrame {
  readonly kind: 'sampling-reply';
  readonly model: AskedModel;
  /** What the reply answers, as it was sent. */
  readonly prompt: SamplingPrompt;
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly stopReason?: string;
  /** What the person should know about the run, one plain sentence each; the server is not told. */
  readonly notes: readonly string[];
}

/** Consent to tell a server which directories it may use. */
export interface RootsQuestion extends QuestionFrame {
  readonly kind: 'roots';
  readonly roots: readonly { readonly uri: string; readonly name?: string }[];
}

/** Who has to agree to a call, in their inboxes. */
export interface CallApproval {
  /** The people of a group; absent: whoever makes the call. */
  readonly from?: { readonly group: string; readonly count: number; readonly not?: 'requester' };
  /** `present`: each with a passkey. */
  readonly assurance: 'verified' | 'present';
}

/**
 * Consent to a call, asked by this host and not by the server: a rule of its operator wants it. The call has not been made.
 * Everything that is shown is made from the call's arguments, and nothing from a text of the server or of a model.
 */
export interface CallQuestion extends QuestionFrame {
  readonly kind: 'call';
  readonly call: CallContext;
  /** Why it is asked: the rest of a sentence that begins with "because". */
  readonly why: string;
  /** The operator's words for arguments, by their names. */
  readonly labels?: Readonly<Record<string, string>>;
  /** True if the answer must not pass through the host of the call. */
  readonly outOfBand?: true;
  /** Who answers the question in their inboxes; absent if it is not answered in inboxes alone. */
  readonly approval?: CallApproval;
  /** True if the host of the call may let later calls with exactly these arguments pass, by what it says of the time after its yes. */
  readonly hostPersists?: true;
  /** Equal for calls of the same tool by the same requester under the same rule, which can be shown together. */
  readonly alike?: string;
  /** How far a yes may let later calls pass; absent if it counts for this one alone. */
  readonly grants?: GrantOffer;
}

/** What a person is asked. */
export type Question =
  | FormQuestion
  | UrlQuestion
  | UrlFinishQuestion
  | SignInQuestion
  | SamplingRequestQuestion
  | SamplingReplyQuestion
  | RootsQuestion
  | CallQuestion;

/**
 * What a person did with a question; the view sends it, the inbox checks it. `content` by kind:
 * `form`: the answers; `sampling-request`: the edited parts (`systemPrompt`, `messages`, a lower `maxTokens`) and another `model`,
 * if any;
 * `sampling-reply`: the edited `content` blocks, if any; `roots`: `uris`, the granted ones, and `added`, those put
 * on offer since it was asked, at least one of either;
 * `call`: `grant`, a {@link GrantChoice}, if later calls are to pass as well, or `persist`, what a host said of them; `url` and `url-finish`: none. A view accepts a `url` question only when it has opened the link, and a `sign-in` question never:
 * it opens the link, and the question ends when the person has signed in.
 */
export type Reply =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' }
  | { readonly action: 'dismiss' };

/** Where a reply came from: a view's name, such as `web` or `terminal`. */
export type Via = string;

/** How a question ended; exactly one per question. */
export type Ending =
  | {
      readonly how: 'answered';
      readonly content?: Readonly<Record<string, unknown>>;
      readonly via: Via;
      /** Names of members that the form did not ask for; they are not in the content. */
      readonly leftOut?: readonly string[];
    }
  | { readonly how: 'declined'; readonly via: Via }
  | { readonly how: 'dismissed'; readonly via: Via }
  | { readonly how: 'timed-out' }
  /** No view could show it: each one failed. */
  | { readonly how: 'unshown' }
  /** The server withdrew the question, or its call was cancelled. */
  | { readonly how: 'withdrawn' }
  /** A page said it was done (2025-11-25, `notifications/elicitation/complete`). */
  | { readonly how: 'completed' }
  /** The server or its connection is gone. */
  | { readonly how: 'server-gone' }
  | { readonly how: 'refused-by-policy'; readonly decision: string };

/** What happened to a reply. */
export type Receipt =
  | { readonly ok: true }
  /** The action is none of the three, or the content does not fit; the question stays open. */
  | { readonly ok: false; readonly problem: 'invalid'; readonly issues: readonly Issue[] }
  /** Somebody was faster, or the question was withdrawn. */
  | { readonly ok: false; readonly problem: 'ended'; readonly ending: Ending }
  | { readonly ok: false; readonly problem: 'unknown' };

/** One view of open questions. */
export interface Presenter {
  /** Shown to the person as the place an answer came from. */
  readonly via: Via;
  /**
   * Shows a question. Returns at once; the answer is given through `controls.reply`. If it throws, and no other view shows the
   * question, that ends.
   * @param controls - `reply`: may be called any number of times, the receipt says what became of it; `ended`: aborts
   *   when the question has ended in any way, with the {@link Ending} as its reason
   */
  show(question: Question, controls: { reply(reply: Reply): Promise<Receipt>; readonly ended: AbortSignal }): void;
}
