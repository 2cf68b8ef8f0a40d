/**
 * The inbox of one principal, as a bridge uses it in place of a desk: puts questions that their host cannot show into the store, gives
 * what comes back from there to the bridge's own questions, and tells the store how each ended, whoever ended it.
 */
import { messageOf } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import type { Clock } from '@midcall/core/time';
import type { CallApproval, CallQuestion, Connection, Inbox, Question } from '@midcall/host';
import type { HostWait } from '@midcall/host/web';
import type { InboxService } from '@midcall/inbox';
import { type ApprovalInbox, type Json, readPrincipalId } from '@midcall/server';
import type { PersonDesk, Shown } from '../desk/index.ts';

/** What the inbox of a principal needs. */
export interface PrincipalInboxOptions {
  /** Where this principal and others answer. */
  readonly inbox: Pick<InboxService, 'store' | 'link' | 'isWatched' | keyof ApprovalInbox>;
  readonly principal: string;
  /** The questions of this principal at this bridge. */
  readonly questions: Inbox;
  readonly clock: Clock;
  /** Called with what went wrong with the store. */
  readonly warn: (message: string) => void;
}

/** What a person can answer anywhere. A sign-in needs the machine of the bridge, and folders are those of a machine. */
const answerable: Readonly<Record<Question['kind'], boolean>> = {
  form: true,
  url: true,
  'url-finish': true,
  call: true,
  'sampling-request': true,
  'sampling-reply': true,
  'sign-in': false,
  roots: false,
};

/** How long to wait before an inbox that could not be read is read again: twice as long each time, up to a limit. */
const againMs = { first: 1_000, most: 30_000 };

export class PrincipalInbox implements PersonDesk {
  readonly #options: PrincipalInboxOptions;
  /** Those of the questions that are in the store. */
  readonly #stored = new Map<string, Promise<boolean>>();
  /** What ends the listening to approvals, by their questions. */
  readonly #followed = new Map<string, () => void>();
  readonly #unsubscribe: () => void;

  constructor(options: PrincipalInboxOptions) {
    this.#options = options;
    const { inbox, questions } = options;
    this.#unsubscribe = questions.subscribe(event => {
      if (event.type !== 'ended') return;
      const { id } = event.question;
      this.#unfollow(id);
      const storing = this.#stored.get(id);
      this.#stored.delete(id);
      // The store keeps trying, so that a question that has ended is not shown for ever.
      void storing?.then(isStored => (isStored ? inbox.store.ended(id, event.ending) : undefined));
    });
  }

  /** Its pages show questions, and no servers. */
  join(): void {}

  async show(question: Question, _connection: Connection, host?: string): Promise<Shown> {
    const { inbox, principal } = this.#options;
    if (!answerable[question.kind]) return false;
    if (question.kind === 'call' && question.approval) return this.#askApprovers(question, question.approval);
    const storing = this.#stored.get(question.id) ?? this.#store(question, host);
    this.#stored.set(question.id, storing);
    if (!(await storing)) {
      this.#stored.delete(question.id);
      return false;
    }
    const address = inbox.link(question.id);
    if (inbox.isWatched(principal)) return { seen: true, place: `in their inbox (${address})` };
    return { seen: false, way: `They answer in their inbox, at ${address}`, comes: true };
  }

  tellWait(callId: string, wait: HostWait): void {
    void this.#options.inbox.store.tellWait(callId, wait);
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    for (const id of [...this.#followed.keys()]) this.#unfollow(id);
  }

  /** Puts a call to those who have to agree to it. */
  async #askApprovers(question: CallQuestion, { from, assurance }: CallApproval): Promise<Shown> {
    const { principal, inbox, warn } = this.#options;
    const { id, call, asker, why, labels, askedAt, openUntil } = question;
    const who = { from: from ?? ('requester' as const), requester: readPrincipalId(principal), assurance };
    try {
      const never = await inbox.whyNot(who);
      if (never !== undefined) {
        warn(`'${visible(call.name, { max: 100 })}' was not called: ${never}`);
        return false;
      }
      const asked = {
        ...{ ...who, id, askedAt, dueAt: openUntil! },
        server: asker.id,
        call: { method: 'tools/call' as const, name: call.name, arguments: call.arguments as Json },
        ...{ why, ...(labels && { labels }) },
      };
      // The call waits in this process, so that no other one can use their answer.
      const { url } = await inbox.ask(asked, { isOwn: true });
      this.#follow(id);
      const others = from && `${from.count} of ${visible(from.group, { max: 100 })}`;
      if (others === undefined) return { seen: true, place: `in their inbox (${url})` };
      return { seen: true, place: `in their inboxes (${url})`, others };
    } catch (error) {
      this.#unfollow(id);
      warn(problem(notPut, error));
      return false;
    }
  }

  /** Ends a question of the bridge when those who have to agree have decided. */
  #follow(id: string): void {
    if (this.#followed.has(id)) return;
    const { questions, inbox, clock, warn } = this.#options;
    let waitsMs = againMs.first;
    let callOff = (): void => {};
    const look = async (): Promise<void> => {
      callOff();
      try {
        const outcome = (await inbox.look(id))?.outcome;
        if (outcome?.action === 'cancel')
          questions.end(id, { how: outcome.reason === 'timeout' ? 'timed-out' : 'unshown' });
        else if (outcome) await questions.reply(id, { action: outcome.action }, 'approvers');
        waitsMs = againMs.first;
      } catch (error) {
        if (waitsMs === againMs.first) warn(problem(notRead, error));
        if (!this.#followed.has(id)) return;
        // They may have decided by now, and would not be heard of again.
        callOff();
        callOff = clock.after(waitsMs, () => void look());
        waitsMs = Math.min(2 * waitsMs, againMs.most);
      }
    };
    const stopListening = inbox.listen(id, () => void look());
    this.#followed.set(id, () => {
      stopListening();
      callOff();
    });
    // What has happened before is not told. If the question has ended meanwhile, nobody waits for it.
    void look();
    if (!questions.list().some(question => question.id === id)) this.#unfollow(id);
  }

  /** The question has ended, whoever ended it. */
  #unfollow(id: string): void {
    const { inbox, warn } = this.#options;
    this.#followed.get(id)?.();
    if (this.#followed.delete(id)) inbox.withdraw(id).catch(error => warn(problem(notWithdrawn, error)));
  }

  async #store(question: Question, host: string | undefined): Promise<boolean> {
    const { inbox, principal, questions, warn } = this.#options;
    try {
      await inbox.store.ask({
        principal,
        question: forPerson(question),
        ...(host !== undefined && { host }),
        owner: {
          reply: (reply, via) => questions.reply(question.id, reply, via),
          end: ending => void questions.end(question.id, ending),
        },
      });
      return true;
    } catch (error) {
      warn(problem(notPut, error));
      return false;
    }
  }
}

/** A command line names what is on the machine of the bridge, and may hold a secret: its log has it, and people elsewhere do not. */
function forPerson(question: Question): Question {
  const { asker } = question;
  const origin = /^https?:/i.test(asker.origin) && URL.canParse(asker.origin) ? new URL(asker.origin).origin : '';
  return { ...question, asker: { ...asker, origin } };
}

const problem = (what: string, error: unknown): string => `${what}: ${visible(messageOf(error), { max: 500 })}`;
const notPut = 'A question could not be put into an inbox';
const notRead = 'What those who have to agree to a call have decided could not be read';
const notWithdrawn = 'A call ended, and those who were asked about it see it until the inbox can be written again';
