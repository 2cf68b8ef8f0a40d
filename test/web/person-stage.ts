/** The inbox of one person in this process: its pages over HTTP, and a host's questions behind them. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { type Ending, Inbox, type Question, type Receipt, type Reply } from '@midcall/host';
import {
  type ApprovalView,
  type EndedQuestion,
  type HostWait,
  type OpenQuestion,
  type PersonEnding,
  type PersonPages,
  type PersonPasskeys,
  type PersonQuestions,
  type Present,
  personPages,
  type Visitor,
} from '@midcall/host/web';
import { afterAll, expect } from 'vitest';
import { listenHttp } from '../../packages/core/src/node/index.ts';
import type { Answered } from './client.ts';
import { noClient } from './stage.ts';

/** The questions of a host's inbox, as those of one person. */
export class HostQuestions implements PersonQuestions {
  readonly inbox = new Inbox();
  readonly waits = new Map<string, HostWait>();
  /** Of questions that others answer too, or that need a passkey. */
  readonly approvals = new Map<string, ApprovalView>();
  /** What confirmed replies, in their order. */
  readonly proofs: (Present | undefined)[] = [];
  /** What was asked for by id, and which parts of the lists. */
  readonly reads: string[] = [];
  /** Set while the process that asks says nothing about replies. */
  isSilent = false;
  readonly #ended: EndedQuestion[] = [];
  readonly #sent = new Map<string, Reply>();
  readonly #listeners = new Set<() => void>();

  constructor() {
    this.inbox.subscribe(event => {
      if (event.type === 'ended') {
        const { question, ending, endedAt } = event;
        this.#sent.delete(question.id);
        this.#ended.unshift({ question, ending, endedAt, ...this.#approval(question.id) });
      }
      this.tell();
    });
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** What listens now hears nothing any more, as over a connection that has ended without a sign. */
  deafen(): void {
    this.#listeners.clear();
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }

  ask(question: Question): Promise<Ending> {
    return this.inbox.ask(question);
  }

  /** A host waits for a question, or no longer does. */
  wait(id: string, wait: HostWait): void {
    this.waits.set(id, wait);
    this.tell();
  }

  /** A question that ended before. */
  past(question: Question, ending: PersonEnding, endedAt = Date.now()): void {
    this.#ended.unshift({ question, ending, endedAt, ...this.#approval(question.id) });
    this.tell();
  }

  /** The process that asks takes the replies that were sent. */
  async deliver(): Promise<void> {
    this.isSilent = false;
    for (const [id, reply] of this.#sent) await this.inbox.reply(id, reply, 'inbox');
  }

  #approval(id: string): { readonly approval?: ApprovalView } {
    const approval = this.approvals.get(id);
    return approval ? { approval } : {};
  }

  #view(question: Question): OpenQuestion {
    const wait = this.waits.get(question.id);
    return {
      question,
      ...this.#approval(question.id),
      ...(wait && { wait }),
      ...(this.#sent.has(question.id) && { sent: true }),
    };
  }

  async open(from: number, limit: number) {
    this.reads.push(`open ${from} ${limit}`);
    const all = this.inbox.list();
    return { questions: all.slice(from, from + limit).map(each => this.#view(each)), count: all.length };
  }

  async ended(from: number, limit: number) {
    this.reads.push(`ended ${from} ${limit}`);
    return { questions: this.#ended.slice(from, from + limit), count: this.#ended.length };
  }

  async get(id: string): Promise<OpenQuestion | EndedQuestion | undefined> {
    this.reads.push(id);
    const question = this.inbox.get(id);
    if (question) return this.#view(question);
    const ended = this.#ended.find(each => each.question.id === id);
    const wait = this.waits.get(id);
    return ended && wait ? { ...ended, wait } : ended;
  }

  async reply(id: string, reply: Reply, proof?: Present): Promise<Receipt | 'sent'> {
    this.proofs.push(proof);
    if (!this.isSilent) return this.inbox.reply(id, reply, 'inbox');
    this.#sent.set(id, reply);
    this.tell();
    return 'sent';
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

export interface PersonStage extends AsyncDisposable {
  readonly questions: HostQuestions;
  readonly pages: PersonPages;
  /** Where the pages of the session are, without a slash at its end. */
  readonly url: string;
  readonly origin: string;
  readonly csrf: string;
  readonly errors: unknown[];
  /** Whether the person is signed in. */
  isSignedIn: boolean;
  /** How the person last signed out. */
  signedOut: 'here' | 'everywhere' | undefined;
}

/** Serves the inbox of somebody who is signed in. */
export async function personStage({
  client = noClient(),
  name = 'Ada Lovelace',
  passkeys = undefined as PersonPasskeys | undefined,
} = {}): Promise<PersonStage> {
  const errors: unknown[] = [];
  const questions = new HostQuestions();
  const pages = personPages({ assets: '/inbox/assets', client, onError: error => errors.push(error) });
  const base = `/inbox/${randomBytes(9).toString('base64url')}`;
  const csrf = randomBytes(24).toString('base64url');
  const visitor: Visitor = {
    questions,
    name,
    base,
    csrf,
    ...(passkeys && { passkeys }),
    signOut: async everywhere => {
      stage.isSignedIn = false;
      stage.signedOut = everywhere ? 'everywhere' : 'here';
      questions.tell();
      return new Response(null, { status: 303, headers: { location: '/inbox', 'set-cookie': 'session=; Max-Age=0' } });
    },
  };
  const answer = async (asked: Request): Promise<Response> => {
    const { pathname } = new URL(asked.url);
    const isInside = `${pathname}/`.startsWith(`${base}/`);
    if (isInside && stage.isSignedIn) return pages.handle(asked, visitor);
    return (
      (await pages.asset(asked)) ??
      pages.notice({
        title: 'Sign in to your inbox',
        lines: [isInside ? 'Your session has ended.' : 'Here you find what servers ask you.'],
        action: { path: '/inbox/sign-in', label: 'Sign in' },
        script: 'find-session',
        status: isInside ? 401 : 200,
      })
    );
  };
  const { server, port } = await listenHttp(getRequestListener(answer, { overrideGlobalObjects: false }), {
    port: 0,
    onError: error => errors.push(error),
  });
  const origin = `http://127.0.0.1:${port}`;
  const stage: PersonStage = {
    ...{ questions, pages, csrf, errors, origin },
    url: `${origin}${base}`,
    isSignedIn: true,
    signedOut: undefined,
    [Symbol.asyncDispose]: () =>
      new Promise(resolve => {
        pages.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return stage;
}

/** The inbox for all tests of a file; closed after the last, and nothing may have gone wrong inside by then. */
export async function personStageOfFile(options: Parameters<typeof personStage>[0] = {}): Promise<PersonStage> {
  const on = await personStage(options);
  afterAll(async () => {
    await on[Symbol.asyncDispose]();
    expect(on.errors).toEqual([]);
  });
  return on;
}

/** One request below the path of the session, as a page of it would send it. */
export function ask(
  { url, csrf }: PersonStage,
  path: string,
  fields?: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const base = new URL(url).pathname;
  return new Promise((resolve, reject) => {
    const method = fields ? 'POST' : 'GET';
    const own = fields && { 'content-type': 'application/x-www-form-urlencoded' };
    const outgoing = request(`${url}${path}`, { method, headers: { ...own, ...headers } }, incoming => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', chunk => (text += chunk));
      incoming.on('end', () => {
        const { location } = incoming.headers;
        const headers = { ...incoming.headers, ...(location && { location: location.replace(base, '') }) };
        resolve({ status: incoming.statusCode ?? 0, headers, text: text.replaceAll(base, '') });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(fields && new URLSearchParams({ csrf, ...fields }).toString());
  });
}
