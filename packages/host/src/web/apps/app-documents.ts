/**
 * MCP Apps (extension io.modelcontextprotocol/ui, 2026-01-26) that tools and questions name: read from their server, and served
 * to a frame whose origin is nobody's.
 *
 * - apps-A1 An App runs in an opaque origin, by its frame and by its own policy: wherever it is opened, it reaches nothing of
 *   the desk.
 * - apps-A2 It loads nothing and sends nothing: what its server declares of domains and permissions is not granted.
 * - apps-A4 Of its own server it may call the tools that no model and no person is offered, and no others.
 * - apps-A3 Its address reveals nothing of the desk: it is a random key of one open question or one result, outside the secret
 *   path.
 */
import { randomBytes } from 'node:crypto';
import { isForApps, isRecord, own } from '@midcall/core/json';
import type { Connection, Question } from '../../index.ts';

/** The media type of an App. */
const appType = 'text/html;profile=mcp-app';
/** The most characters of an App's document; a larger one is not shown. */
const longestDocument = 4 * 1024 * 1024;

/** The headers of an App's document. */
export const appHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    'media-src data:',
    'font-src data:',
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-src 'none'",
    "worker-src 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), clipboard-read=(), clipboard-write=()',
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/**
 * The capability that a connection of a desk declares: Apps of tools are shown beside their results.
 * @example
 * ```ts
 * const connection = new Connection(entry, { client: about, inbox, declares: deskDeclares });
 * ```
 */
export const deskDeclares = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [appType] } },
};

/** How many results have a ticket at once; the oldest loses its own. */
const mostResults = 100;

/** An App, and the question or call that it is shown with. */
interface ShownApp {
  readonly of: string;
  readonly server: string;
  readonly uri: string;
  /** The names of the tools that it may call, once it has called one. */
  tools?: Promise<ReadonlySet<string>>;
}

/** What the desk needs of a connection for its Apps. */
type AppConnection = Pick<Connection, 'forward' | 'catalogue'>;

/** The Apps of open questions and of results, by the tickets their frames are given. */
export class AppDocuments {
  readonly #connection: (server: string) => AppConnection;
  readonly #tickets = new Map<string, ShownApp>();
  /** Tickets of results, oldest first. */
  readonly #results: string[] = [];

  /** @param connection - of a server by its id; throws if there is none */
  constructor(connection: (server: string) => AppConnection) {
    this.#connection = connection;
  }

  /** The path of the App of an open question; undefined if it names none. */
  ofQuestion(question: Question, ended: AbortSignal): string | undefined {
    if (question.kind !== 'form' || question.app === undefined || ended.aborted) return undefined;
    const of = `question ${question.id}`;
    const before = this.#ticketOf(of);
    if (before !== undefined) return pathOf(before);
    const ticket = this.#newTicket({ of, server: question.asker.id, uri: question.app });
    ended.addEventListener('abort', () => this.#tickets.delete(ticket), { once: true });
    return pathOf(ticket);
  }

  /** The path of the App that shows the result of a call. @param uri - of the App, on this server */
  ofResult(callId: string, server: string, uri: string): string {
    const of = `call ${callId}`;
    const before = this.#ticketOf(of);
    if (before !== undefined) return pathOf(before);
    const ticket = this.#newTicket({ of, server, uri });
    this.#results.push(ticket);
    if (this.#results.length > mostResults) this.#tickets.delete(this.#results.shift() ?? '');
    return pathOf(ticket);
  }

  /** Reads the App of a ticket from its server. @returns its document; undefined if there is none that can be shown */
  async read(ticket: string): Promise<string | undefined> {
    const app = this.#tickets.get(ticket);
    return app && (await this.#document(app).catch(() => undefined));
  }

  /**
   * Calls a tool for the App that shows the result of a call.
   * @param request - `name` and `arguments`, as the App sent them
   * @returns the answer of the server, or why it was not called, as JSON-RPC has it
   */
  async call(callId: string, request: unknown, signal: AbortSignal): Promise<object> {
    const app = this.#tickets.get(this.#ticketOf(`call ${callId}`) ?? '');
    const [name, args] = [own(request, 'name'), own(request, 'arguments')];
    if (!app || typeof name !== 'string' || (args !== undefined && !isRecord(args)))
      return refusal('This App cannot call that.');
    const connection = this.#connection(app.server);
    app.tools ??= connection.catalogue().then(({ tools }) => new Set(tools.filter(isForApps).map(each => each.name)));
    const tools = await app.tools.catch(() => new Set());
    if (!tools.has(name)) {
      // The list may have been read while the server was not there.
      delete app.tools;
      return refusal('An App may call only the tools of its server that are for Apps alone.');
    }
    const answer = await connection.forward(
      { method: 'tools/call', params: { name, arguments: args ?? {} } },
      { signal },
    );
    // Who asks in rounds has to be answered by whoever made the call, and an App cannot ask the person for it.
    const asks = own(own(answer, 'result'), 'resultType') === 'input_required';
    return asks ? refusal('The server asks the person something, which an App cannot do for it.') : answer;
  }

  async #document({ server, uri }: ShownApp): Promise<string | undefined> {
    const request = { method: 'resources/read', params: { uri } };
    const answer = await this.#connection(server).forward(request, { signal: AbortSignal.timeout(30_000) });
    const contents = own(own(answer, 'result'), 'contents');
    const content = Array.isArray(contents) ? contents.find(each => own(each, 'uri') === uri) : undefined;
    return isRecord(content) && content['mimeType'] === appType ? documentOf(content) : undefined;
  }

  #ticketOf(of: string): string | undefined {
    for (const [ticket, app] of this.#tickets) if (app.of === of) return ticket;
    return undefined;
  }

  #newTicket(app: ShownApp): string {
    const ticket = randomBytes(16).toString('base64url');
    this.#tickets.set(ticket, app);
    return ticket;
  }
}

const refusal = (message: string): object => ({ error: { code: -32602, message } });

const pathOf = (ticket: string): string => `/apps/${ticket}`;

/** The members of a message: one holds the key, the other is the type of the event, or absent in the first message. The page reads them in
 * `client/app-use.ts`. */
const [useMember, eventMember] = ['io.github.midcall/use', 'io.github.midcall/event'];

/**
 * The script that says when the person uses an App. A page learns of no event inside a frame of another origin: not of a click,
 * and of the focus only that it has gone there, which an App can bring about by itself. So the desk begins each document with this
 * script, which runs before anything of the App.
 *
 * - use-witness-W1 It says nothing but that the person pressed a pointer or a key in the App: only events that the browser itself
 *   made count.
 * - use-witness-W2 The App cannot speak in its name. Its first message is the first of the whole document, and brings the random
 *   key by which the later ones are recognized. All that it uses later is bound before the App can replace it, and neither the
 *   document nor the window leads to the key.
 * - use-witness-W3 Its messages and those of the App share one queue, so that a proposal never comes before the click that made it.
 *
 * A document that replaces this one is the App's own from its first byte. The page takes one key for each frame, so that no later
 * one counts.
 */
const script = `<script>{
  const key = crypto.getRandomValues(new Uint32Array(4)).join('-');
  parent.postMessage({ '${useMember}': key }, '*');
  for (const type of ['pointerdown', 'keydown']) {
    const tell = parent.postMessage.bind(parent, { '${useMember}': key, '${eventMember}': type }, '*');
    addEventListener(type, event => { if (event.isTrusted) tell(); }, { capture: true, passive: true });
  }
  document.currentScript.remove();
}</script>`;

/** A document of an App with the script at its beginning; behind the doctype, without which the document would look different. */
function witnessed(document: string): string {
  const start = /^\uFEFF?\s*(?:<!doctype[^>]*>)?/i.exec(document)?.[0] ?? '';
  return start + script + document.slice(start.length);
}

function documentOf({ text, blob }: Readonly<Record<string, unknown>>): string | undefined {
  const document =
    typeof blob === 'string' ? Buffer.from(blob.slice(0, 2 * longestDocument), 'base64').toString('utf8') : text;
  return typeof document === 'string' && document.length <= longestDocument ? witnessed(document) : undefined;
}
