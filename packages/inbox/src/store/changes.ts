/**
 * Who is told of changes, in this process and in others.
 *
 * - inbox-changes-W1 What arrives from another process only says that there is something to look at. It may be lost or forged: whoever
 *   waits also looks every so often, and believes the database alone.
 * - inbox-changes-W2 Nobody looks while there is nothing to look for.
 */
import { hash } from 'node:crypto';
import type { Clock } from '@midcall/core/time';
import type { Wake } from '@midcall/server';

/** How often to look if no other process can tell us of changes, and if one can. */
const everyMs = { alone: 200, woken: 1_000 };

interface Watched {
  readonly listeners: Set<() => void>;
  /** Undefined until it was first read. */
  version: number | undefined;
  readonly isRead: Promise<void>;
  readonly stopListening: (() => void) | undefined;
}

/** What changes are looked for with. */
export interface ChangesOptions {
  readonly clock: Clock;
  readonly wake: Wake | undefined;
  /** What other processes are told of a subject by. */
  readonly topic: (subject: string) => string;
  /** A number for each subject that grows with each change. */
  readonly versions: (subjects: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** The mailbox of this process: whether there is something to look for, and a look at it, which never rejects. */
  readonly mailbox?: { readonly isOpen: () => boolean; readonly look: () => Promise<void> };
  readonly failed: (error: unknown) => void;
  readonly worked: () => void;
}

export const bridgeTopic = (bridge: string): string => `inbox/bridge/${bridge}`;
const digestOf = (text: string): string => hash('sha256', text, 'base64url');
export const personTopic = (principal: string): string => `inbox/person/${digestOf(principal)}`;
export const approvalTopic = (id: string): string => `inbox/approval/${digestOf(id)}`;

/** Changes of subjects of one kind: of people, or of approvals. */
export class Changes {
  readonly #options: ChangesOptions;
  readonly #watched = new Map<string, Watched>();
  #callOff: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #looksAgain = false;
  #isStopped = false;

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  /** Tells everybody that a subject has changed. */
  tell(subject: string): void {
    for (const listener of [...(this.#watched.get(subject)?.listeners ?? [])]) listener();
    this.#options.wake?.wake(this.#options.topic(subject));
  }

  /** Tells bridges that something waits for them, one of which may be this one. */
  tellBridges(bridges: readonly string[]): void {
    for (const bridge of bridges) this.#options.wake?.wake(bridgeTopic(bridge));
    this.look();
  }

  /** Calls `listener` for each change of a subject, and perhaps more often. @returns `begins` when none is missed any more */
  watch(subject: string, listener: () => void): { readonly begins: Promise<void>; readonly end: () => void } {
    const watched = this.#watched.get(subject) ?? this.#begin(subject);
    // A separate function, so that a listener that is added twice is called twice.
    const own = (): void => listener();
    watched.listeners.add(own);
    this.#later();
    return {
      begins: watched.isRead,
      end: () => {
        if (!watched.listeners.delete(own) || watched.listeners.size > 0) return;
        this.#watched.delete(subject);
        watched.stopListening?.();
      },
    };
  }

  /** Looks at once, and once more if it is looking already. */
  look(): void {
    if (this.#isStopped) return;
    if (this.#looking) {
      this.#looksAgain = true;
      return;
    }
    this.#callOff?.();
    this.#callOff = undefined;
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#looksAgain) this.look();
      else this.#later();
    });
  }

  /** Looks in a while, if there is something to look for. */
  #later(): void {
    const { clock, wake, mailbox } = this.#options;
    if (this.#isStopped || this.#callOff || this.#looking || (this.#watched.size === 0 && !mailbox?.isOpen())) return;
    this.#callOff = clock.after(wake ? everyMs.woken : everyMs.alone, () => this.look());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOff?.();
    for (const { stopListening } of this.#watched.values()) stopListening?.();
    this.#watched.clear();
    await this.#looking;
  }

  #begin(subject: string): Watched {
    const { wake, versions, failed, topic } = this.#options;
    const watched: Watched = {
      listeners: new Set(),
      version: undefined,
      isRead: versions([subject]).then(
        read => {
          watched.version ??= read.get(subject) ?? 0;
        },
        error => {
          // It may change before it is read, so that whatever is read first is told.
          watched.version ??= -1;
          failed(error);
        },
      ),
      stopListening: wake?.listen(topic(subject), () => this.look()),
    };
    this.#watched.set(subject, watched);
    return watched;
  }

  async #look(): Promise<void> {
    this.#looksAgain = false;
    const { mailbox, versions, failed, worked } = this.#options;
    if (mailbox?.isOpen()) await mailbox.look();
    if (this.#watched.size === 0) return;
    try {
      const now = await versions([...this.#watched.keys()]);
      worked();
      for (const [subject, watched] of [...this.#watched]) {
        const version = now.get(subject) ?? 0;
        const isNew = watched.version !== undefined && watched.version !== version;
        watched.version = version;
        if (isNew) for (const listener of [...watched.listeners]) listener();
      }
    } catch (error) {
      failed(error);
    }
  }
}
