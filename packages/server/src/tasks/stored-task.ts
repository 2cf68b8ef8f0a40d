/**
 * A task as it lies in a store, which has thousands of them: its members by letters, without what says nothing, and the state of
 * its last round beside it. Pure.
 */
import type { Can } from '../call/call.ts';
import type { ClientView } from '../call/client-view.ts';
import type { Task } from './task.ts';

export interface StoredTask {
  /** What is sealed. */
  readonly packed: Readonly<Record<string, unknown>>;
  /** Sealed already. */
  readonly state: string | undefined;
}

/** Never changed: what is stored is read by them. */
const letters = {
  id: 'i',
  owner: 'o',
  name: 'n',
  audience: 'a',
  isPersonal: 'v',
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
  home: 'h',
  flow: 'f',
  inputRequests: 'q',
  answers: 'w',
  without: 'b',
  dueAt: 'd',
  result: 'R',
  error: 'E',
  statusMessage: 'M',
} as const satisfies Record<Exclude<keyof Task, 'state'>, string>;

const members = Object.entries(letters);
const flags = ['announcesRoots', 'firstForms', 'tasks'] as const;
const abilities = ['form', 'url', 'roots', 'sampling', 'samplingTools'] as const satisfies readonly (keyof Can)[];

export function packTask({ state, client, inputRequests, answers, ...task }: Task): StoredTask {
  const isSo = [...flags.filter(flag => client[flag]), ...abilities.filter(ability => client.can[ability])];
  const stored: Readonly<Record<string, unknown>> = {
    ...task,
    client: [client.asks, ...isSo],
    ...(Object.keys(inputRequests).length > 0 && { inputRequests }),
    ...(Object.keys(answers).length > 0 && { answers }),
  };
  const kept = members.filter(([member]) => stored[member] !== undefined);
  return { packed: Object.fromEntries(kept.map(([member, letter]) => [letter, stored[member]])), state };
}

export function unpackTask({ packed, state }: StoredTask): Task {
  const kept = members.filter(([, letter]) => Object.hasOwn(packed, letter));
  const task = Object.fromEntries(kept.map(([member, letter]) => [member, packed[letter]]));
  const [asks, ...isSo] = task['client'] as readonly [ClientView['asks'], ...string[]];
  const said = <T extends string>(names: readonly T[]) =>
    Object.fromEntries(names.map(each => [each, isSo.includes(each)])) as Record<T, boolean>;
  const client: ClientView = { asks, ...said(flags), can: said(abilities) };
  return { inputRequests: {}, answers: {}, ...task, client, ...(state !== undefined && { state }) } as Task;
}
