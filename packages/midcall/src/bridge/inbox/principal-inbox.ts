/**
 * The inbox of one principal, as a bridge uses it in place of a desk: puts questions that their host cannot show into the store, gives
 * what comes back from there to the bridge's own questions, and tells the store how each ended, whoever ended it.
 */
import { visible } from '@midcall/core/text';
import type { Connection, Inbox, Question } from '@midcall/host';
import type { HostWait } from '@midcall/host/web';
import type { InboxStore } from '@midcall/inbox';
import type { PersonDesk, Shown } from '../desk/index.ts';

/** What the inbox of a principal needs. */
export interface PrincipalInboxOptions {
  readonly store: InboxStore;
  readonly principal: string;
  /** The questions of this principal at this bridge. */
  readonly questions: Inbox;
  /** Where the person finds a question. */
  readonly link: (question: string) => string;
  /** True if they look at their inbox now. */
  readonly isWatched: () => boolean;
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

export class PrincipalInbox implements PersonDesk {
  readonly #options: PrincipalInboxOptions;
  /** Those of the questions that are in the store. */
  readonly #stored = new Map<string, Promise<boolean>>();
  readonly #unsubscribe: () => void;

  constructor(options: PrincipalInboxOptions) {
    this.#options = options;
    const { store, questions } = options;
    this.#unsubscribe = questions.subscribe(event => {
      const { id } = event.question;
      const storing = event.type === 'ended' ? this.#stored.get(id) : undefined;
      if (event.type !== 'ended' || !storing) return;
      this.#stored.delete(id);
      // The store keeps trying, so that a question that has ended is not shown for ever.
      void storing.then(isStored => (isStored ? store.ended(id, event.ending) : undefined));
    });
  }

  /** Its pages show questions, and no servers. */
  join(): void {}

  async show(question: Question, _connection: Connection, host?: string): Promise<Shown> {
    const { isWatched, link } = this.#options;
    if (!answerable[question.kind]) return false;
    const storing = this.#stored.get(question.id) ?? this.#store(question, host);
    this.#stored.set(question.id, storing);
    if (!(await storing)) {
      this.#stored.delete(question.id);
      return false;
    }
    const address = link(question.id);
    if (isWatched()) return { seen: true, place: `in their inbox (${address})` };
    return { seen: false, way: `They answer in their inbox, at ${address}`, comes: true };
  }

  tellWait(callId: string, wait: HostWait): void {
    void this.#options.store.tellWait(callId, wait);
  }

  async close(): Promise<void> {
    this.#unsubscribe();
  }

  async #store(question: Question, host: string | undefined): Promise<boolean> {
    const { store, principal, questions, warn } = this.#options;
    try {
      await store.ask({
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
      warn(problem(error));
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

const problem = (error: unknown): string =>
  `A question could not be put into an inbox: ${visible(error instanceof Error ? error.message : String(error), { max: 500 })}`;
