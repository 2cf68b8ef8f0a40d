/** An inbox in memory, for tests of handlers that ask others than the requester: the test answers for them. */
import { canonical, isRecord } from '@midcall/core/json';
import { checkKind, checkOptions, func, type Kind, type Kinds, required } from '@midcall/core/options';
import { type Clock, nowKind } from '@midcall/core/time';
import type { ApprovalAsk, ApprovalInbox, ApprovalOutcome, Json, Principal, Vote } from '@midcall/server';

/** A person of a test: `ada` stands for `{ issuer: 'test', subject: 'ada' }`. */
export type TestPerson = string | Principal;

/** What one person answers: an agreement with its content, by field (`value` for a form of one), or a refusal. */
export type TestVote =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, Json>> }
  | { readonly action: 'decline' };

/** What {@link testInbox} takes. */
export interface TestInboxOptions {
  /** The people of each group, by its name. */
  readonly groups: Readonly<Record<string, readonly TestPerson[]>>;
  /** What people answer as soon as they are asked; nothing if absent. For `explore`, whose calls do not wait for them. */
  readonly votes?: (asked: ApprovalAsk) => readonly (readonly [person: TestPerson, vote: TestVote])[];
  /** Tells when people answer; if absent, they do at the moment in which they are asked. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** An inbox whose people answer when the test says so. */
export interface TestInbox extends ApprovalInbox {
  /** Every question so far, in order. */
  readonly asked: readonly ApprovalAsk[];
  /** Resolves when the question with this number (from 1) has been asked. */
  whenAsked(count: number): Promise<ApprovalAsk>;
  /**
   * One person answers.
   * @param question - its id, or its message: then the last one with that message
   * @throws Error if there is no such question, or this person cannot answer it now
   */
  vote(question: string, person: TestPerson, vote: TestVote): void;
}

interface Stored {
  readonly ask: ApprovalAsk;
  readonly votes: { readonly vote: Vote; readonly content: string }[];
  readonly listeners: Set<() => void>;
  outcome?: ApprovalOutcome;
}

const isPerson = (value: unknown): boolean =>
  typeof value === 'string' || (isRecord(value) && typeof value['issuer'] === 'string');
const kinds: Kinds<TestInboxOptions> = {
  groups: required({
    words: "groups by their names: { finance: ['ada', 'ben'] }",
    fits: value =>
      isRecord(value) && Object.values(value).every(people => Array.isArray(people) && people.every(isPerson)),
  }),
  votes: func,
  clock: nowKind,
};
const voteKind: Kind = {
  words: "{ action: 'accept', content: { … } } or { action: 'decline' }",
  fits: value =>
    isRecord(value) && (value['action'] === 'decline' || (value['action'] === 'accept' && isRecord(value['content']))),
};

const principalOf = (person: TestPerson): Principal =>
  typeof person === 'string' ? { issuer: 'test', subject: person } : person;
const keyOf = ({ issuer, subject }: Principal): string => JSON.stringify([issuer, subject]);

/**
 * An inbox for `midcall({ inbox })` in which the test answers for everybody. It counts as that of `@midcall/inbox` does: enough people
 * who give the same content agree, and the question ends as declined once that can no longer be. Time is up when the server says so.
 * @example
 * ```ts
 * const inbox = testInbox({ groups: { finance: ['ada', 'ben', 'eve'] } });
 * const mid = midcall({ inbox });
 * // …the client calls the tool, and gets a ticket or a task
 * inbox.vote('Pay 4,000 € to Acme?', 'ada', { action: 'accept', content: { value: true } });
 * inbox.vote('Pay 4,000 € to Acme?', 'ben', { action: 'accept', content: { value: true } });
 * ```
 */
export function testInbox(options: TestInboxOptions): TestInbox {
  checkOptions('testInbox', options, kinds);
  const { groups, clock } = options;
  const questions = new Map<string, Stored>();
  const asked: ApprovalAsk[] = [];
  const waiting: { readonly count: number; readonly resolve: (asked: ApprovalAsk) => void }[] = [];

  const membersOf = ({ from, requester }: Pick<ApprovalAsk, 'from' | 'requester'>): ReadonlySet<string> => {
    if (from === 'requester') return new Set(requester ? [keyOf(requester)] : []);
    const members = new Set((groups[from.group] ?? []).map(person => keyOf(principalOf(person))));
    if (from.not && requester) members.delete(keyOf(requester));
    return members;
  };

  const changed = ({ listeners }: Stored): void => {
    for (const listener of [...listeners]) listener();
  };
  const end = (stored: Stored, outcome: ApprovalOutcome): void => {
    stored.outcome ??= outcome;
    changed(stored);
  };

  const count = (stored: Stored): void => {
    const { ask, votes } = stored;
    const needed = ask.from === 'requester' ? 1 : ask.from.count;
    const byContent = new Map<string, number>();
    for (const { vote, content } of votes)
      if (vote.action === 'accept') byContent.set(content, (byContent.get(content) ?? 0) + 1);
    const [content, most] = [...byContent].sort(([, a], [, b]) => b - a)[0] ?? ['', 0];
    const left = membersOf(ask).size - votes.length;
    if (most >= needed) end(stored, { action: 'accept', content: JSON.parse(content) });
    else if (most + left < needed) end(stored, { action: 'decline' });
    else changed(stored);
  };

  const find = (question: string): Stored => {
    const stored = questions.get(question) ?? [...questions.values()].findLast(({ ask }) => ask.message === question);
    if (stored) return stored;
    throw new Error(`The test inbox was not asked '${question}'. It was asked: ${described(asked)}.`);
  };

  const vote = (question: string, person: TestPerson, given: TestVote): void => {
    checkKind('vote', 'the answer', given, voteKind);
    const stored = find(question);
    const { ask, votes } = stored;
    const principal = principalOf(person);
    const who = `${principal.subject} cannot answer '${ask.message}':`;
    if (stored.outcome) throw new Error(`${who} it has ended.`);
    if (!membersOf(ask).has(keyOf(principal))) throw new Error(`${who} it is for others.`);
    if (votes.some(each => keyOf(each.vote) === keyOf(principal))) throw new Error(`${who} they have answered it.`);
    const { action } = given;
    votes.push({
      vote: { ...principal, action, assurance: ask.assurance, at: clock?.now() ?? ask.askedAt },
      content: action === 'accept' ? canonical(given.content) : '',
    });
    count(stored);
  };

  return {
    asked,
    whenAsked: number =>
      asked[number - 1]
        ? Promise.resolve(asked[number - 1]!)
        : new Promise(resolve => waiting.push({ count: number, resolve })),
    vote,
    async whyNot({ from, requester }) {
      const size = membersOf({ from, requester }).size;
      if (from === 'requester') return size === 0 ? 'Nobody knows who the requester is.' : undefined;
      if (!Object.hasOwn(groups, from.group)) return `There is no group '${from.group}'.`;
      if (size >= from.count) return undefined;
      return `The group '${from.group}' has ${size} who may answer, and ${from.count} have to agree.`;
    },
    async ask(ask) {
      const url = `https://inbox.example/questions/${ask.id}`;
      if (questions.has(ask.id)) return { url };
      questions.set(ask.id, { ask, votes: [], listeners: new Set() });
      asked.push(ask);
      for (const each of waiting.filter(wait => wait.count === asked.length)) each.resolve(ask);
      for (const [person, given] of options.votes?.(ask) ?? []) vote(ask.id, person, given);
      return { url };
    },
    async look(id) {
      const stored = questions.get(id);
      if (!stored) return undefined;
      const { votes, outcome } = stored;
      return { votes: votes.map(each => each.vote), ...(outcome && { outcome }) };
    },
    async withdraw(id) {
      const stored = questions.get(id);
      if (stored) end(stored, { action: 'cancel', reason: 'unavailable' });
    },
    listen(id, listener) {
      const listeners = questions.get(id)?.listeners;
      listeners?.add(listener);
      return () => void listeners?.delete(listener);
    },
  };
}

const described = (asked: readonly ApprovalAsk[]): string =>
  asked.length === 0 ? 'nothing' : asked.map(({ message }) => `'${message}'`).join(', ');
