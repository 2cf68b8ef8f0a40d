/**
 * Reads messages at the transport, because the SDK does not show a handler what was really sent: it strips `pattern` from a
 * form and refuses nested schemas itself. Every request that a server makes of the person is kept here as received, under an id
 * of ours that the request's `_meta` takes to the handler. If the request is a form or a URL, the SDK is given a harmless one
 * in its place, so that only we judge it.
 *
 * - tap-T1 A handler gets from {@link Tap.take} what was on the wire, unchanged.
 * - tap-T2 The id is always ours: one that a server wrote is overwritten.
 * - tap-T3 Capabilities are those of the era: `roots.listChanged` is declared in a 2025-11-25 `initialize` only.
 * - tap-T4 Nothing is kept of a request that was answered or cancelled, nor of a call that is over.
 * - tap-T5 Responses are sent a few at a time: over HTTP each is a connection, and a server may have asked any number of
 *   questions.
 * - tap-T6 The content of a result belongs to the server: the SDK sees none of its blocks, since an unknown one would fail the
 *   call; see blocks-aside.ts. Of a result that is handed on unchanged, it sees nothing; see stand-ins.ts.
 * - tap-T8 The progress of a call reaches it at once: the SDK passes progress on later, and not at all if the answer came meanwhile.
 * - tap-T9 An answer to a form or a URL leaves as the handler gave it: the SDK, which refuses what the protocol does not allow in
 *   one, sees another in its place.
 * - tap-T7 A round with more requests than a person could look at ends its call; none of them is asked.
 */

import { MidcallError } from '@midcall/core/errors';
import { blocksAside, isRecord, own } from '@midcall/core/json';
import { type Interception, interceptTransport, wholeResponse, withoutDump } from '@midcall/core/sdk-seam';
import type { JSONRPCMessage, JSONRPCResponse, Transport } from '@modelcontextprotocol/client';
import { numbered, rawResultAside, withinNesting } from '../sdk-seam/index.ts';
import type { Calls, RunningCall } from './calls.ts';

/** The requests that need a person. */
export const askMethods = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const;
export type AskMethod = (typeof askMethods)[number];

/** A request as it was on the wire. */
export interface TappedRequest {
  /** Random and ours; becomes the question's id. */
  readonly id: string;
  readonly method: AskMethod;
  readonly params: Readonly<Record<string, unknown>>;
  readonly call: RunningCall | undefined;
}

/** A round of 2026-07-28 that waits for the person. */
export interface TappedRound {
  readonly call: RunningCall;
  /** Key on the wire -> request. */
  readonly requests: ReadonlyMap<string, TappedRequest>;
  readonly requestState: string | undefined;
}

export interface TapOptions {
  readonly calls: Calls;
  readonly newId: () => string;
  /** Replaces the params of an elicitation while it passes through the SDK. */
  readonly placeholder: Readonly<Record<string, unknown>>;
  /** True if roots are declared, with `listChanged` on 2025-11-25. */
  readonly roots: boolean;
  /** True if a tool may be called only within a call that was judged by rules. */
  readonly judgesCalls?: boolean;
  /** Called when the server says that its tools have changed. */
  readonly onToolsChanged?: () => void;
  /** Called when a `roots/list` of 2025-11-25 was received or answered. */
  readonly onRootsList?: (what: 'asked' | 'answered') => void;
  /** Called when the SDK refuses a request, so that no handler sees it. */
  readonly onRefused?: (request: TappedRequest, message: string) => void;
  readonly onRound?: (round: TappedRound) => void;
  /** Called when a round asks too much at once; its call must end. */
  readonly onFlood?: (call: RunningCall, message: string) => void;
}

const metaKey = 'midcall/question';
const asks = new Set<string>(askMethods);
const callMethods = new Set(['tools/call', 'prompts/get', 'resources/read']);
/** The most requests in one round. */
const mostInRound = 100;
/** The most responses being sent at a time. */
const mostSending = 32;

type Json = Record<string, unknown>;

const asItIs: Required<Interception> = {
  incoming: (message, deliver) => deliver(message),
  outgoing: (message, send) => send(message),
};

/** True for a result that ends its call. */
const isFinal = (result: Json | undefined): boolean => isRecord(result) && result['resultType'] !== 'input_required';

/**
 * A result as the SDK takes it, with each part that is not what the protocol has there as the nearest that is: null stands for nothing,
 * and what is no block of content is shown as text. So one odd part hides no other.
 * @param isTool - true for that of a tool, which has content
 */
function passable(
  { isError, structuredContent, content, messages, contents, resultType, ...rest }: Json,
  isTool: boolean,
): Json {
  // Only on 2026-07-28, whose results have a type, may structured content be anything, and is null a value of its own.
  const isTyped = resultType !== undefined && resultType !== null;
  const isNothing = structuredContent === undefined || (structuredContent === null && !isTyped);
  // One of these, without content, is a task or a round that cannot be read.
  const hasEnded = isTool && !['task', 'inputRequests', 'requestState'].some(name => Object.hasOwn(rest, name));
  const blocks = content === undefined || content === null ? [] : Array.isArray(content) ? content : [content];
  const whole = {
    resultType: isTyped ? resultType : 'complete',
    ...rest,
    ...((content !== undefined || hasEnded) && { content: blocks.map(asBlock) }),
    ...(messages !== undefined && { messages: Array.isArray(messages) ? messages.map(asMessage) : (messages ?? []) }),
    ...(contents !== undefined && { contents: Array.isArray(contents) ? contents.map(asBlock) : (contents ?? []) }),
    ...(isError !== undefined && isError !== null && { isError: meansYes(isError) }),
    ...(!isNothing && { structuredContent }),
  };
  return blocksAside(whole, !isNothing && !isTyped && !isRecord(structuredContent) ? ['structuredContent'] : []);
}

/** What is not clearly a no is a yes, since a failure that is taken for a success misleads. */
const meansYes = (value: unknown): boolean =>
  typeof value === 'string' ? !/^\s*(?:false|no|0)?\s*$/iu.test(value) : Boolean(value);

const asBlock = (part: unknown): unknown =>
  isRecord(part) ? part : { type: 'text', text: typeof part === 'string' ? part : JSON.stringify(part) };

function asMessage(message: unknown): unknown {
  if (!isRecord(message)) return { role: 'user', content: asBlock(message) };
  const { content } = message;
  return content === undefined || typeof content === 'object' ? message : { ...message, content: asBlock(content) };
}

/** The tap of one connection. */
export class Tap {
  readonly #options: TapOptions;
  readonly #waiting = new Map<string, TappedRequest>();
  readonly #callOfRequest = new Map<unknown, RunningCall>();
  readonly #pushed = new Map<unknown, TappedRequest>();
  /** The requests of the latest round of each call, by their keys on the wire. */
  readonly #rounds = new WeakMap<RunningCall, ReadonlyMap<string, TappedRequest>>();
  /** The answers of handlers, while the SDK has others in their place. */
  readonly #answers = new WeakMap<TappedRequest, object>();
  readonly #turns = new Set<() => void>();
  #deliver: (message: JSONRPCMessage) => void = () => {};
  #sending = 0;

  constructor(options: TapOptions) {
    this.#options = options;
  }

  /**
   * Starts reading a transport.
   * @param below - sees incoming messages before this tap, and outgoing ones after it
   */
  onto(transport: Transport, below: Required<Interception> = asItIs): void {
    interceptTransport(transport, {
      incoming: (message, deliver) => {
        const { read, answer } = withinNesting(wholeResponse(numbered(message), 'server'));
        if (answer) void transport.send(answer as unknown as JSONRPCMessage).catch(() => {});
        if (!read) return;
        const unread = 'error' in read && !isRecord(message['error']) && this.#callOfRequest.get(read['id']);
        if (unread) this.#options.calls.answered(unread);
        below.incoming(read, seen => {
          this.#deliver = each => deliver(each as unknown as Json);
          this.#incoming(seen as JSONRPCMessage, this.#deliver);
        });
      },
      outgoing: (message, send, sendApart) => {
        const outgoing = this.#outgoing(message as JSONRPCMessage) as unknown as Json;
        const sendBelow = () => below.outgoing(outgoing, send, sendApart);
        return 'method' in outgoing ? sendBelow() : this.#inTurn(sendBelow);
      },
    });
  }

  /** Takes the request that a handler was called for; works once. */
  take(meta: unknown): TappedRequest | undefined {
    const id = isRecord(meta) ? meta[metaKey] : undefined;
    if (typeof id !== 'string') return undefined;
    const request = this.#waiting.get(id);
    this.#waiting.delete(id);
    return request;
  }

  /** Has this answer leave for that of the SDK, whatever that is. */
  answer(request: TappedRequest, answer: object): void {
    this.#answers.set(request, answer);
  }

  #incoming(message: JSONRPCMessage, deliver: (message: JSONRPCMessage) => void): void {
    if (!('method' in message)) this.#incomingResponse(message, deliver);
    else if (message.method === 'notifications/progress' && this.#progressed(message.params)) return;
    else if (message.method === 'notifications/cancelled') {
      deliver(message);
      // A cancelled request is not answered.
      this.#over(message.params?.['requestId']);
    } else if (!('id' in message) || !asks.has(message.method)) {
      if (message.method === 'notifications/tools/list_changed') this.#options.onToolsChanged?.();
      deliver(message);
    } else {
      const { calls, onRootsList } = this.#options;
      const request = this.#keep(message.method, message.params, calls.current() ?? calls.single());
      this.#pushed.set(message.id, request);
      if (message.method === 'roots/list') onRootsList?.('asked');
      deliver({ ...message, params: this.#disguise(request) } as JSONRPCMessage);
    }
  }

  /** @returns false if it is not the progress of a call */
  #progressed(params: unknown): boolean {
    const token = own(params, 'progressToken');
    const call = this.#callOfRequest.get(typeof token === 'string' ? Number(token) : token);
    if (!call || this.#isOver(call)) return false;
    const [progress, total, message] = [own(params, 'progress'), own(params, 'total'), own(params, 'message')];
    if (typeof progress === 'number')
      call.progressed({
        progress,
        ...(typeof total === 'number' && { total }),
        ...(typeof message === 'string' && { message }),
      });
    return true;
  }

  #incomingResponse(message: JSONRPCResponse, deliver: (message: JSONRPCMessage) => void): void {
    const call = this.#callOfRequest.get(message.id);
    this.#callOfRequest.delete(message.id);
    const result = 'result' in message ? (message.result as Json) : undefined;
    if (call) this.#options.calls.began(call);
    if (call && isFinal(result)) this.#options.calls.answered(call);
    if (!call || this.#isOver(call) || !isRecord(result)) {
      deliver(message);
      return;
    }
    if (result['resultType'] !== 'input_required') {
      const passed = call.rawResult ? rawResultAside(result) : passable(result, call.context.kind === 'tool');
      this.#options.calls.answered(call, passed);
      deliver({ ...message, result: passed } as JSONRPCMessage);
      return;
    }
    const count = isRecord(result['inputRequests']) ? Object.keys(result['inputRequests']).length : 0;
    if (count > mostInRound) {
      this.#options.onFlood?.(call, `It asked ${count} things at once; at most ${mostInRound} are read.`);
      return;
    }
    // The server has shown activity.
    call.timeout.renew();
    const round = this.#round(call, result);
    this.#rounds.set(call, round.seen.requests);
    this.#options.onRound?.(round.seen);
    const disguised = { ...message, result: { ...result, inputRequests: round.inputRequests } } as JSONRPCMessage;
    this.#options.calls.within(call, () => deliver(disguised));
  }

  #round(call: RunningCall, result: Json): { readonly seen: TappedRound; readonly inputRequests: unknown } {
    const requests = new Map<string, TappedRequest>();
    const state = result['requestState'];
    const requestState = typeof state === 'string' ? state : undefined;
    const seen: TappedRound = { call, requests, requestState };
    if (!isRecord(result['inputRequests'])) return { seen, inputRequests: result['inputRequests'] };
    const entries = Object.entries(result['inputRequests']).map(([key, entry]) => {
      if (!isRecord(entry) || !asks.has(entry['method'] as string)) return [key, entry] as const;
      const request = this.#keep(entry['method'] as string, entry['params'], call);
      requests.set(key, request);
      if (request.method === 'roots/list' && !this.#options.roots)
        this.#options.onRefused?.(request, 'This client declares no roots.');
      return [key, { ...entry, params: this.#disguise(request) }] as const;
    });
    return { seen, inputRequests: Object.fromEntries(entries) };
  }

  #keep(method: string, params: unknown, call: RunningCall | undefined): TappedRequest {
    const id = this.#options.newId();
    const request = { id, method: method as AskMethod, params: isRecord(params) ? params : {}, call };
    this.#waiting.set(id, request);
    return request;
  }

  #disguise(request: TappedRequest): Json {
    const meta = isRecord(request.params['_meta']) ? request.params['_meta'] : {};
    const params = request.method === 'elicitation/create' ? this.#options.placeholder : request.params;
    return { ...params, _meta: { ...meta, [metaKey]: request.id } };
  }

  #outgoing(message: JSONRPCMessage): JSONRPCMessage {
    if (!('method' in message)) {
      const request = this.#answered(message as unknown as Json);
      const result = request && 'result' in message ? this.#answers.get(request) : undefined;
      return result ? ({ ...message, result } as JSONRPCMessage) : message;
    }
    if ('id' in message && callMethods.has(message.method)) {
      this.#forget();
      const call = this.#options.calls.current();
      // The ids of the SDK are numbers; a forwarded call has been judged.
      if (!call && message.method === 'tools/call' && typeof message.id === 'number' && this.#options.judgesCalls)
        throw new MidcallError(
          'host/refused',
          'This host has rules about calls. Call a tool with client.callTool or run, so that they are judged.',
        );
      if (call) this.#callOfRequest.set(message.id, call);
      return this.#withAnswers(message, call && this.#rounds.get(call));
    }
    if (message.method !== 'initialize' || !this.#options.roots) return message;
    const params = message.params as { capabilities?: Json } | undefined;
    const capabilities = { ...params?.capabilities, roots: { listChanged: true } };
    return { ...message, params: { ...params, capabilities } } as JSONRPCMessage;
  }

  /** A call that answers a round, with the answers of the handlers. */
  #withAnswers(
    message: JSONRPCMessage & { readonly params?: Json | undefined },
    requests: ReadonlyMap<string, TappedRequest> | undefined,
  ): JSONRPCMessage {
    const responses = message.params?.['inputResponses'];
    if (!requests || !isRecord(responses)) return message;
    const answer = (key: string, sent: unknown): unknown => {
      const request = requests.get(key);
      return (request && this.#answers.get(request)) ?? sent;
    };
    const inputResponses = Object.fromEntries(
      Object.entries(responses).map(([key, sent]) => [key, answer(key, sent)] as const),
    );
    return { ...message, params: { ...message.params, inputResponses } } as JSONRPCMessage;
  }

  async #inTurn(send: () => Promise<void>): Promise<void> {
    if (this.#sending >= mostSending) await new Promise<void>(go => this.#turns.add(go));
    this.#sending += 1;
    try {
      await send();
    } finally {
      this.#sending -= 1;
      const [next] = this.#turns;
      if (next) {
        this.#turns.delete(next);
        next();
      }
    }
  }

  #answered(response: Json): TappedRequest | undefined {
    const request = this.#over(response['id']);
    const error = response['error'];
    if (request && this.#waiting.delete(request.id) && isRecord(error))
      this.#options.onRefused?.(request, withoutDump(String(error['message'])));
    return request;
  }

  /** A pushed request was answered, or needs no answer any more. */
  #over(id: unknown): TappedRequest | undefined {
    const request = this.#pushed.get(id);
    this.#pushed.delete(id);
    if (request?.method === 'roots/list') this.#options.onRootsList?.('answered');
    return request;
  }

  /** Drops what is left of calls that are over: of those without a response, and of rounds that the SDK has refused. */
  #forget(): void {
    for (const [id, call] of this.#callOfRequest) if (this.#isOver(call)) this.#callOfRequest.delete(id);
    for (const [id, { call }] of this.#waiting) if (call && this.#isOver(call)) this.#waiting.delete(id);
  }

  #isOver(call: RunningCall): boolean {
    return this.#options.calls.get(call.context.id) !== call;
  }
}
