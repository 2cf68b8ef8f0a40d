/**
 * The calls of a desk and their questions: run, stopped, and recorded.
 *
 * - desk-W2 Calls and questions stay visible with their ending, for as long as they are remembered ({@link History}).
 */
import { MidcallError } from '@midcall/core/errors';
import { defined } from '@midcall/core/json';
import type { Clock } from '@midcall/core/time';
import {
  type CallContext,
  type ConnectionEvent,
  type FormQuestion,
  type InboxEvent,
  isFollowed,
  mask,
  type Question,
  type StoredTask,
  secretsOf,
  visible,
} from '../../index.ts';
import type { Draft } from '../form/index.ts';
import { texts } from '../texts/index.ts';
import type { DeskConnection, HostWait } from './desk-connection.ts';
import { Drafts, endedByPerson, keepable } from './drafts.ts';
import { History } from './history.ts';
import type { Announcement } from './live.ts';
import type { CallView, NoticeView, QuestionView } from './views.ts';

/** What calls run on, and who is told of them. */
export interface DeskCallsParts {
  /** The connection of a server. @throws MidcallError `host/not-found` */
  readonly connection: (serverId: string) => DeskConnection;
  /** True for a server that the desk runs itself. */
  readonly isOwn: (serverId: string) => boolean;
  /** What a server calls something that it offers in words, if it does. */
  readonly titleOf: (serverId: string, call: Pick<CallContext, 'kind' | 'name'>) => string | undefined;
  readonly clock: Clock;
  /** Calls of earlier sessions, oldest first. */
  readonly before?: readonly Omit<CallView, 'items'>[];
  /** Called with every call that begins, and again when it has ended. */
  readonly onCall?: (call: CallView) => void;
  /** Called when anything that is shown has changed. */
  readonly onChange: (announcement?: Announcement) => void;
}

/** How many milliseconds a call is waited for before its page is shown without any outcome. */
const firstSignMs = 250;

/** True for a question with nothing to fill in or to choose. */
const isBrief = (question: Question): boolean =>
  question.kind === 'form'
    ? question.fields.length === 0
    : ['url', 'sign-in', 'sampling-request', 'call'].includes(question.kind);

/** Calls and questions of this session. */
export class DeskCalls {
  readonly #parts: DeskCallsParts;
  readonly #history = new History();
  readonly #drafts = new Drafts();
  readonly #waiting = new Set<() => void>();
  #refuses = false;

  constructor(parts: DeskCallsParts) {
    this.#parts = parts;
    this.#history.restore((parts.before ?? []).map(call => ({ ...call, earlier: true as const })));
  }

  /** Newest first. */
  list(): readonly CallView[] {
    return this.#history.calls();
  }

  get(id: string): CallView | undefined {
    return this.#history.call(id);
  }

  /** Newest first. */
  questions(): readonly QuestionView[] {
    return this.#history.questions();
  }

  /** Decisions that were made without asking, newest first. */
  notices(): readonly NoticeView[] {
    return this.#history.notices();
  }

  question(id: string): QuestionView | undefined {
    return this.#history.question(id);
  }

  /**
   * What the person answered when the same server asked the same form last: the same fields, with the same words. Without secrets.
   * @returns undefined if they have not
   */
  lastAnswer(question: FormQuestion): Readonly<Record<string, unknown>> | undefined {
    const fields = JSON.stringify(question.fields);
    const same = this.questions().find(
      ({ question: before, ending }) =>
        before.kind === 'form' &&
        before.asker.id === question.asker.id &&
        before.asker.origin === question.asker.origin &&
        ending?.how === 'answered' &&
        ending.via !== 'policy' &&
        JSON.stringify(before.fields) === fields,
    );
    if (same?.ending?.how !== 'answered' || !same.ending.content) return undefined;
    const secrets = secretsOf(question);
    const open = Object.entries(same.ending.content).filter(
      ([name, value]) => !secrets.has(name) && !JSON.stringify(value)?.includes(mask),
    );
    return open.length === 0 ? undefined : Object.fromEntries(open);
  }

  /** The content of an open question's form so far. */
  draft(questionId: string): Draft | undefined {
    return this.#drafts.of(questionId);
  }

  /**
   * Stores the content of a question's form: as its draft or, if the question has ended, for copying.
   * @param unsent - true if it was meant to be sent; otherwise it is dropped if the person ended the question elsewhere
   */
  typed(questionId: string, draft: Draft, unsent = false): void {
    const view = this.#history.question(questionId);
    if (!view) return;
    if (!view.ending) this.#drafts.keep(view.question, draft);
    else if (unsent || !endedByPerson(view.ending)) this.#history.typed(questionId, keepable(view.question, draft));
  }

  /**
   * Runs a tool, gets a prompt or reads a resource.
   * @returns the call's id, as soon as it has asked something or ended, or a moment has passed
   * @throws MidcallError `host/server-gone` if the server is not running; `host/refused` if the desk is stopping
   */
  async run(serverId: string, request: Omit<CallContext, 'id'>): Promise<string> {
    if (this.#refuses) throw new MidcallError('host/refused', texts.call.stopping);
    const handle = this.#parts.connection(serverId).run(request, { logs: true });
    this.#started({ id: handle.id, ...request }, serverId, this.#parts.clock.now());
    this.#history.update(handle.id, { here: true });
    this.#changed();
    await this.#firstSign(handle.id);
    return handle.id;
  }

  /** Makes no more calls. */
  refuse(): void {
    this.#refuses = true;
  }

  /** Resolves when no call of the desk's own servers is running, but for tasks, which go on without it. */
  idle(): Promise<void> {
    const isRunning = ({ outcome, task, earlier, serverId }: CallView): boolean =>
      !outcome && !task && !earlier && this.#parts.isOwn(serverId);
    return new Promise(resolve => {
      const look = (): void => {
        if (this.list().some(isRunning)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Stops a running call; its open questions are withdrawn. */
  cancel(id: string): void {
    const call = this.get(id);
    if (call) this.#parts.connection(call.serverId).cancel(id);
  }

  /** Handles an event of a server. */
  heard(serverId: string, event: ConnectionEvent): void {
    switch (event.type) {
      case 'call-started':
        this.#started(event.call, serverId, event.startedAt);
        this.#tell(event.call.id);
        break;
      case 'call-progress':
        this.#history.update(event.call.id, { progress: event.progress });
        break;
      case 'call-task':
        // A task is kept for whoever made the call.
        this.#history.update(event.call.id, { task: event.task, ...(event.task.resumable && { here: true }) });
        break;
      case 'call-ended':
        this.#history.update(event.call.id, { outcome: event.outcome, endedAt: event.endedAt });
        this.#tell(event.call.id);
        break;
      case 'refused':
      case 'allowed':
        this.#history.noticed({ notice: event, serverId, at: this.#parts.clock.now() });
        break;
      case 'page-completed':
        break;
      default:
        return;
    }
    this.#changed();
  }

  /** The host of a call waits for the person, or no longer does. */
  waited(id: string, { host, state, until }: HostWait): void {
    const before = this.get(id)?.wait?.state;
    const wait = { host: visible(host, { max: 40 }), state, ...defined({ until }) };
    this.#history.update(id, { wait });
    const isNews = before !== undefined && before !== state;
    this.#changed(isNews ? { text: texts.wait.states[state](wait.host), alert: false } : undefined);
  }

  /** Whether a host waits for the answer to a question; if the server named no call, that of any of its calls. */
  waitFor({ call, asker }: Question): HostWait | undefined {
    if (call) return this.get(call.id)?.wait;
    const waiting = this.list().filter(({ serverId, wait }) => serverId === asker.id && wait !== undefined);
    return (
      waiting.find(({ wait, outcome }) => wait?.state === 'waits' && !outcome) ??
      waiting.find(({ wait }) => wait?.state === 'left')
    )?.wait;
  }

  /** Handles a question that came or ended. */
  questioned(event: InboxEvent): void {
    const { question } = event;
    if (event.type === 'asked') {
      this.#history.asked(question);
      const text = texts.inbox.arrived(question.asker.id, question.call?.name, question.kind);
      this.#changed({ text, alert: true, asked: { id: question.id, isBrief: isBrief(question) } });
    } else {
      const { ending, endedAt } = event;
      const typed = this.#drafts.end(question.id, ending);
      this.#history.ended({ question, ending, endedAt, ...(typed && { typed }) });
      const text = texts.ending.sentence(event.ending, question.kind);
      this.#changed({ text, alert: false, ended: question.id });
    }
  }

  #started(call: CallContext, serverId: string, at: number): void {
    const title = this.#parts.titleOf(serverId, call);
    this.#history.started(call, serverId, at);
    if (title !== undefined) this.#history.update(call.id, { title });
  }

  #tell(id: string): void {
    const call = this.get(id);
    if (call) this.#parts.onCall?.(call);
  }

  /** Forgets everything that has ended. */
  clear(): void {
    this.#history.clear();
    this.#changed();
  }

  #changed(announcement?: Announcement): void {
    this.#parts.onChange(announcement);
    for (const look of [...this.#waiting]) look();
  }

  #firstSign(id: string): Promise<void> {
    return new Promise(resolve => {
      const look = (): void => {
        const call = this.#history.call(id);
        if (call?.outcome || (call && call.items.length > 0)) done();
      };
      const done = (): void => {
        stop();
        this.#waiting.delete(look);
        resolve();
      };
      const stop = this.#parts.clock.after(firstSignMs, done);
      this.#waiting.add(look);
      look();
    });
  }
}

/** A call that continues as a task. */
export interface LeftCall {
  readonly id: string;
  readonly name: string;
  readonly serverId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly waits: boolean;
  /** The server's own words; untrusted. */
  readonly message?: string;
  /**
   * Who follows it: this desk, another process of the person's, or nobody until its server is connected; or it is cancelled, and
   * its server has not said that it knows.
   */
  readonly follower: 'desk' | 'other' | 'nobody' | 'cancelled';
}

/** Calls that continue as tasks: those that this desk follows, and stored ones. @param calls - of the desk @param storedTasks - in the file, oldest first */
export function leftCalls(calls: readonly CallView[], storedTasks: readonly StoredTask[]): readonly LeftCall[] {
  const own = calls.filter(({ task, outcome }) => task && !outcome);
  const followed = own.map(({ context: { id, name }, serverId, startedAt, task, items }): LeftCall => {
    const waits = task?.status === 'input_required' || items.some(item => 'question' in item && !item.ending);
    const message = task?.message;
    return { id, name, serverId, startedAt, waits, follower: 'desk', ...(message !== undefined && { message }) };
  });
  const away = storedTasks
    .filter(({ call }) => !followed.some(({ id }) => id === call.id))
    .map((task): LeftCall => {
      const { call, server, startedAt, status, cancelled } = task;
      const isElsewhere = isFollowed(task) && task.holder?.pid !== process.pid;
      const follower = isElsewhere ? 'other' : cancelled ? 'cancelled' : 'nobody';
      return { ...call, serverId: server.id, startedAt, waits: status === 'input_required', follower };
    });
  return [...followed, ...away].sort((a, b) => b.startedAt - a.startedAt);
}
