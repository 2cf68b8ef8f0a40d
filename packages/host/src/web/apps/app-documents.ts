/**
 * MCP Apps (extension io.modelcontextprotocol/ui, 2026-01-26) that questions name: read from their server, and served to a frame
 * whose origin is nobody's.
 *
 * - apps-A1 An App runs in an opaque origin, by its frame and by its own policy: wherever it is opened, it reaches nothing of the desk.
 * - apps-A2 It loads nothing and sends nothing: what its server declares of domains and permissions is not granted.
 * - apps-A3 Its address tells nothing of the desk: a random ticket of one open question, outside the path that is secret.
 */
import { randomBytes } from 'node:crypto';
import { isRecord, own } from '@midcall/core/json';
import type { Connection, FormQuestion, Question } from '../../index.ts';

/** The media type of an App. */
const appType = 'text/html;profile=mcp-app';
/** The most characters of an App's document; a larger one is not shown. */
const longestDocument = 4 * 1024 * 1024;

/** Sent with an App's document. */
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

/** The Apps of open questions, by the tickets their frames are given. */
export class AppDocuments {
  readonly #connection: (server: string) => Connection;
  readonly #tickets = new Map<string, FormQuestion>();

  constructor(connection: (server: string) => Connection) {
    this.#connection = connection;
  }

  /** The path of the App of an open question; undefined if it names none. */
  pathOf(question: Question, ended: AbortSignal): string | undefined {
    if (question.kind !== 'form' || question.app === undefined || ended.aborted) return undefined;
    for (const [ticket, { id }] of this.#tickets) if (id === question.id) return pathOf(ticket);
    const ticket = randomBytes(16).toString('base64url');
    this.#tickets.set(ticket, question);
    ended.addEventListener('abort', () => this.#tickets.delete(ticket), { once: true });
    return pathOf(ticket);
  }

  /** Reads the App of a ticket from its server. @returns its document; undefined if there is none that can be shown */
  async read(ticket: string): Promise<string | undefined> {
    const question = this.#tickets.get(ticket);
    if (question?.app === undefined) return undefined;
    const uri = question.app;
    const answer = await this.#connection(question.asker.id)
      .forward({ method: 'resources/read', params: { uri } }, { signal: AbortSignal.timeout(30_000) })
      .catch(() => undefined);
    const contents = own(own(answer, 'result'), 'contents');
    const content = Array.isArray(contents) ? contents.find(each => own(each, 'uri') === uri) : undefined;
    return isRecord(content) && content['mimeType'] === appType ? documentOf(content) : undefined;
  }
}

const pathOf = (ticket: string): string => `/apps/${ticket}`;

function documentOf({ text, blob }: Readonly<Record<string, unknown>>): string | undefined {
  const document =
    typeof blob === 'string' ? Buffer.from(blob.slice(0, 2 * longestDocument), 'base64').toString('utf8') : text;
  return typeof document === 'string' && document.length <= longestDocument ? document : undefined;
}
