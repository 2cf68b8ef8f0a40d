/**
 * The compact form of a task in a store that has thousands of them: members named by letters, without empty or derived ones,
 * and times relative to its beginning. Pure.
 */
import { digest } from '../base/index.ts';
import { type Can, type ClientView, principalKey } from '../request/index.ts';
import {
  type BareState,
  bareRequest,
  bareState,
  requestAgain,
  type Sealer,
  type StateCall,
  stateAgain,
} from '../state/index.ts';
import { bareClientId, bareEnvelope, clientIdAgain, envelopeAgain } from './bare-client.ts';
import { ownerOf, type Task, type TaskStatus } from './task.ts';

/** The sealed content. */
export type StoredTask = Readonly<Record<string, unknown>>;

/** Never change these: stored tasks are read by them. */
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
  share: 'k',
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

/** @param sealer - the sealer of the state; absent if nothing is sealed */
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
    // One that cannot be rebuilt is stored unchanged.
    state: state === undefined ? undefined : (bareState(state, stateCall(task), sealer) ?? state),
    clientId: bareClientId(task.clientId),
    envelope: bareEnvelope(task.envelope),
    inputRequests: Object.keys(inputRequests).length > 0 ? each(inputRequests, bareRequest) : undefined,
    answers: Object.keys(answers).length > 0 ? answers : undefined,
  };
  const kept = members.filter(([member]) => stored[member] !== undefined);
  return shortened(Object.fromEntries(kept.map(([member, letter]) => [letter, stored[member]])));
}

export function unpackTask(short: StoredTask, sealer: Sealer): Task {
  const stored = atLength(short);
  const kept = members.filter(([, letter]) => Object.hasOwn(stored, letter));
  const found = Object.fromEntries(kept.map(([member, letter]) => [member, stored[letter]]));
  const {
    createdAt,
    updatedAt,
    dueAt,
    state,
    principal,
    inputRequests = {},
  } = found as {
    readonly createdAt: number;
    readonly updatedAt: number;
    readonly dueAt?: number;
    readonly state?: string | BareState;
    readonly principal?: readonly [string, string];
    readonly inputRequests?: Readonly<Record<string, unknown>>;
  };
  const task = {
    ttlMs: USUAL_TTL_MS,
    answers: {},
    ...found,
    clientId: clientIdAgain(found['clientId']),
    ...('envelope' in found && { envelope: envelopeAgain(found['envelope']) }),
    inputRequests: each(inputRequests, requestAgain),
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
    // If its key is gone, the call is refused as one that cannot continue, rather than started anew.
    ...(state !== undefined && { state: (whole ?? 'm1.') as string }),
  };
}

const each = (
  of: Readonly<Record<string, unknown>>,
  change: (value: unknown) => unknown,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value)]));

const USUAL_TTL_MS = 7 * 24 * 60 * 60_000;
/** Words of the protocol that occur in every task, by position. Never change these: stored tasks are read by them. */
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
/** The prefix of a word's position; if a text already contains it, nothing is shortened. */
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

/**
 * Replaces words of the protocol by their positions. Only these are shortened, so that lengths reveal nothing about a person's
 * input (seal-E5).
 */
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
