/**
 * A task as it lies in a store, which has thousands of them: its members by letters, without what says nothing or follows from
 * the others, and times as they differ from its beginning. Pure.
 */
import type { Can } from '../call/call.ts';
import type { ClientView } from '../call/client-view.ts';
import { principalKey } from '../call/request.ts';
import { digest } from '../digest.ts';
import { type BareState, bareState, type StateCall, stateAgain } from '../state/bare-state.ts';
import type { Sealer } from '../state/seal.ts';
import { ownerOf, type Task, type TaskStatus } from './task.ts';

/** What is sealed. */
export type StoredTask = Readonly<Record<string, unknown>>;

/** Never changed: what is stored is read by them. */
const letters = {
  id: 'i',
  owner: 'o',
  name: 'n',
  audience: 'a',
  isPersonal: 'v',
  isPresented: 'P',
  arguments: 'g',
  meta: 'm',
  principal: 'p',
  clientId: 'c',
  client: 'C',
  envelope: 'e',
  createdAt: 't',
  updatedAt: 'u',
  ttlMs: 'l',
  status: 's',
  turn: 'r',
  state: 'S',
  home: 'h',
  flow: 'f',
  inputRequests: 'q',
  answers: 'w',
  without: 'b',
  dueAt: 'd',
  isCancelled: 'x',
  result: 'R',
  error: 'E',
  statusMessage: 'M',
} as const satisfies Record<keyof Task, string>;

const members = Object.entries(letters);
const asks = { rounds: 'r', push: 'p', none: 'n' } as const satisfies Record<ClientView['asks'], string>;
const flags = { announcesRoots: 'a', firstForms: 'f', tasks: 't' } as const;
const abilities = { form: 'F', url: 'U', roots: 'R', sampling: 'S', samplingTools: 'T' } as const satisfies Record<
  keyof Can,
  string
>;
const statuses: Readonly<Record<TaskStatus, string>> = {
  working: 'w',
  input_required: 'i',
  completed: 'c',
  cancelled: 'x',
  failed: 'f',
};

/** @param sealer - of the state; absent where nothing is sealed */
export function packTask(task: Task, sealer: Sealer): StoredTask {
  const { owner, client, createdAt, updatedAt, dueAt, status, principal, inputRequests, answers } = task;
  const { state, ttlMs } = task;
  const stored: StoredTask = {
    ...task,
    owner: owner === ownOwner(task) ? undefined : owner,
    client: [asks[client.asks], ...lettersOf(flags, client), ...lettersOf(abilities, client.can)].join(''),
    principal: principal && [principal.issuer, principal.subject],
    updatedAt: updatedAt - createdAt,
    dueAt: dueAt === undefined ? undefined : dueAt - createdAt,
    ttlMs: ttlMs === USUAL_TTL_MS ? undefined : ttlMs,
    status: statuses[status],
    // One that cannot be made again is kept as it is.
    state: state === undefined ? undefined : (bareState(state, stateCall(task), sealer) ?? state),
    inputRequests: Object.keys(inputRequests).length > 0 ? inputRequests : undefined,
    answers: Object.keys(answers).length > 0 ? answers : undefined,
  };
  const kept = members.filter(([member]) => stored[member] !== undefined);
  return shortened(Object.fromEntries(kept.map(([member, letter]) => [letter, stored[member]])));
}

export function unpackTask(short: StoredTask, sealer: Sealer): Task {
  const stored = atLength(short);
  const kept = members.filter(([, letter]) => Object.hasOwn(stored, letter));
  const found = Object.fromEntries(kept.map(([member, letter]) => [member, stored[letter]]));
  const { createdAt, updatedAt, dueAt, state, principal } = found as {
    readonly createdAt: number;
    readonly updatedAt: number;
    readonly dueAt?: number;
    readonly state?: string | BareState;
    readonly principal?: readonly [string, string];
  };
  const task = {
    ttlMs: USUAL_TTL_MS,
    inputRequests: {},
    answers: {},
    ...found,
    principal: principal && { issuer: principal[0], subject: principal[1] },
    client: clientOf(String(found['client'])),
    updatedAt: updatedAt + createdAt,
    ...(dueAt !== undefined && { dueAt: dueAt + createdAt }),
    status: (Object.keys(statuses) as TaskStatus[]).find(each => statuses[each] === found['status'])!,
  } as unknown as Task;
  const whole = Array.isArray(state) ? stateAgain(state as BareState, stateCall(task), sealer) : state;
  return {
    ...task,
    owner: task.owner ?? ownOwner(task),
    // Where its key is gone the call is refused as one that cannot go on, and not begun anew.
    ...(state !== undefined && { state: (whole ?? 'm1.') as string }),
  };
}

const USUAL_TTL_MS = 7 * 24 * 60 * 60_000;
/** What the protocol says in every task, by position. Never changed: what is stored is read by them. */
const words = [
  'io.modelcontextprotocol/protocolVersion',
  'io.modelcontextprotocol/clientInfo',
  'io.modelcontextprotocol/clientCapabilities',
  'io.modelcontextprotocol/tasks',
  'elicitation/create',
  'elicitation',
  'extensions',
  'method',
  'params',
  'message',
  'requestedSchema',
  'properties',
  'required',
  'description',
] as const;
/** In front of the position of a word; where somebody else says it, nothing is shortened. */
const MARK = '~';

const ownOwner = ({ principal, clientId }: Task): string =>
  ownerOf({ principal: principalKey(principal), client: clientId });

const stateCall = ({ principal, clientId, name, audience, flow = '', createdAt, ...task }: Task): StateCall => ({
  principal: principalKey(principal),
  client: clientId,
  method: 'tools/call',
  name,
  arguments: digest(task.arguments ?? {}),
  audience,
  flow,
  since: createdAt,
});

const lettersOf = <T extends string>(of: Readonly<Record<T, string>>, said: Readonly<Record<NoInfer<T>, boolean>>) =>
  (Object.keys(of) as T[]).filter(each => said[each]).map(each => of[each]);

function clientOf(text: string): ClientView {
  const said = <T extends string>(of: Readonly<Record<T, string>>) =>
    Object.fromEntries(Object.entries<string>(of).map(([each, letter]) => [each, text.includes(letter, 1)])) as Record<
      T,
      boolean
    >;
  const [how] = Object.entries(asks).find(([, letter]) => letter === text[0])!;
  return { asks: how as ClientView['asks'], ...said(flags), can: said(abilities) };
}

/** Says the words of the protocol by their positions. It is they alone, so that no length tells what a person said (seal-E5). */
function shortened(stored: StoredTask): StoredTask {
  const text = JSON.stringify(stored);
  if (text.includes(`"${MARK}`)) return { ...stored, Z: 1 };
  return JSON.parse(words.reduce((short, word, at) => short.replaceAll(`"${word}"`, `"${MARK}${at}"`), text));
}

function atLength(stored: StoredTask): StoredTask {
  if (Object.hasOwn(stored, 'Z')) return stored;
  const text = JSON.stringify(stored);
  return JSON.parse(words.reduce((long, word, at) => long.replaceAll(`"${MARK}${at}"`, `"${word}"`), text));
}
