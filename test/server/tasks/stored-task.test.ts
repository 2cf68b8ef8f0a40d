/** Tasks as they lie in a store: nothing of one is lost on the way, and nothing of it can be put in another's place. */
import type { Store } from '@midcall/core/store';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { digest } from '../../../packages/server/src/base/digest.ts';
import { principalKey } from '../../../packages/server/src/request/request.ts';
import { keyRing } from '../../../packages/server/src/state/keys.ts';
import { type Binding, sealState, storedState } from '../../../packages/server/src/state/request-state.ts';
import { createSealer } from '../../../packages/server/src/state/seal.ts';
import { openUnder } from '../../../packages/server/src/state/sealed-values.ts';
import { ownerOf, type Task } from '../../../packages/server/src/tasks/task.ts';
import { TaskStore } from '../../../packages/server/src/tasks/task-store.ts';

const least: Task = {
  id: 'first',
  owner: 'o',
  name: 'act',
  audience: 'notes',
  arguments: {},
  principal: undefined,
  clientId: 'stdio',
  client: {
    asks: 'rounds',
    can: { form: true, url: false, roots: false, sampling: false, samplingTools: false },
    announcesRoots: false,
    firstForms: false,
    apps: false,
    tasks: true,
  },
  envelope: undefined,
  createdAt: 1,
  updatedAt: 2,
  ttlMs: 60_000,
  status: 'working',
  turn: 0,
  inputRequests: {},
  answers: {},
};
const most: Task = {
  ...least,
  isPersonal: true,
  meta: { trace: 'x' },
  principal: { issuer: 'https://login.example', subject: 'ann' },
  client: {
    asks: 'push',
    can: { form: false, url: true, roots: true, sampling: true, samplingTools: true },
    announcesRoots: true,
    firstForms: true,
    apps: false,
    tasks: false,
  },
  envelope: { 'io.modelcontextprotocol/clientInfo': { name: 'x' } },
  status: 'input_required',
  turn: 3,
  home: 'h',
  flow: 'f',
  inputRequests: { elicit: { method: 'elicitation/create', params: { mode: 'form' } } },
  answers: { elicit: { value: null, at: 5 } },
  without: ['elicit'],
  dueAt: 7,
  result: {},
  error: { code: -32603, message: 'no' },
  statusMessage: 'waits',
};

const form = (more: object = {}) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Go on?',
    requestedSchema: { type: 'object', properties: { value: { type: 'boolean' } }, required: ['value'] },
    ...more,
  },
});
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
/** As most tasks are: in the shapes of the protocol. */
const usual: Task = { ...least, clientId: '["http","x",null]', envelope, inputRequests: { elicit: form() } };

/** As it comes back: members that are undefined are not there. */
const asJson = (task: Task): unknown => JSON.parse(JSON.stringify(task));

const sealer = createSealer(keyRing(new Uint8Array(32).fill(9)));
const ask = { id: 'a.1', kind: 'elicit', label: 'Go on?', key: 'elicit', at: 5, due: 900_005 } as const;
const round = { flow: 'f', nonce: 'n', round: 1, issuedAt: 4, expiresAt: 900_004, journal: [], out: [ask] };
const bindingOf = ({ principal, clientId, name, audience, ...task }: Task, version = ''): Binding => ({
  principal: principalKey(principal),
  client: clientId,
  method: 'tools/call',
  name,
  arguments: digest(task.arguments ?? {}),
  audience,
  version,
});
const sealed = (binding: Binding): Promise<string> =>
  sealState(round, binding, { sealer, store: memoryStore(), clock: { now: () => 4 } }, 100_000);

/** A store that notes what is written. */
function watchedStore() {
  const map = memoryStore();
  const texts: string[] = [];
  const keys: string[] = [];
  const store: Store = {
    ...map,
    set(key, text, options) {
      keys.push(key);
      texts.push(text);
      return map.set(key, text, options);
    },
  };
  return { store, texts, keys, map };
}

describe('a task in a store', () => {
  it.each([
    ['with little', least],
    ['with all there is', most],
    ['in the shapes of the protocol', usual],
    [
      'with a form without required members',
      { ...usual, inputRequests: { a: form({ requestedSchema: { type: 'object', properties: {} } }) } },
    ],
    [
      'with a form that says more',
      { ...usual, inputRequests: { a: form({ _meta: { b: 1 } }), c: form({ mode: 'other' }) } },
    ],
    [
      'with a form in another order',
      { ...usual, inputRequests: { a: { params: form().params, method: 'elicitation/create' } } },
    ],
    [
      'with a link',
      { ...usual, inputRequests: { a: { method: 'elicitation/create', params: { mode: 'url', message: 'm' } } } },
    ],
    ['of a client that says more', { ...usual, envelope: { ...envelope, more: 1 } }],
    [
      'of a client that has a title',
      {
        ...usual,
        envelope: { ...envelope, 'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1', title: 'X' } },
      },
    ],
    [
      'of a client without a version',
      { ...usual, envelope: { ...envelope, 'io.modelcontextprotocol/clientInfo': { name: 'x' } } },
    ],
    ['of a client whose id is a list spelled otherwise', { ...usual, clientId: '["http", "x"]' }],
    ['of a client whose id is a number', { ...usual, clientId: '7' }],
    ['of a client whose names are like those we shorten', { ...least, envelope: { '~x': 1, y: '~' } }],
    ['of a client that says such names', { ...least, envelope: { a: '"~', 'io.modelcontextprotocol/x': '~' } }],
    ['that somebody else owns', { ...least, owner: ownerOf({ principal: '', client: 'stdio' }) }],
  ])('a stored task %s comes back as it was', async (_, task) => {
    const state = storedState(await sealed(bindingOf(task)), { sealer });
    for (const whole of [task, { ...task, state }]) {
      const tasks = new TaskStore({ store: memoryStore(), sealer, clock: { now: () => 3 }, changed: () => {} });
      await tasks.create(whole);
      expect(asJson((await tasks.read(task.id))!)).toEqual(asJson(whole));
    }
  });

  it('a task in a store is JSON that says its version, with its state in words and without a seal of its own', async () => {
    const state = storedState(await sealed(bindingOf(least)), { sealer });
    const { store, texts, keys } = watchedStore();
    const tasks = new TaskStore({ store, sealer, clock: { now: () => 3 }, changed: () => {} });
    await tasks.create({ ...least, state });
    const { version, ...stored } = openUnder(sealer, 'task', keys[0]!, texts[0]!) as Task & { version: number };
    expect(version).toBe(1);
    expect(stored).toEqual(asJson({ ...least, state }));
    expect(stored.state).toMatchObject({
      ...round,
      bound: ['', 'stdio', 'tools/call', 'act', digest({}), 'notes', ''],
    });
  });

  it('a task in a store that another version of Midcall wrote is not used', async () => {
    const { store, keys } = watchedStore();
    const tasks = new TaskStore({ store, sealer, clock: { now: () => 3 }, changed: () => {} });
    await tasks.create(least);
    await store.set(keys[0]!, sealer.seal({ ...least, version: 2 }, 'task', keys[0]!));
    await expect(tasks.read(least.id)).rejects.toMatchObject({
      code: 'store/corrupt',
      message: expect.stringContaining('as version 2; this one reads 1'),
    });
  });

  it('a task in a store has no state that this server did not make', () => {
    expect(() => storedState('m1.state', { sealer })).toThrow('none of this server');
  });

  it('task-store-1: a task in a store opens only under its own key', async () => {
    const { store, texts, keys, map } = watchedStore();
    const tasks = new TaskStore({ store, sealer, clock: { now: () => 3 }, changed: () => {} });
    const state = storedState(await sealed(bindingOf(most)), { sealer });
    await tasks.create({ ...most, id: 'one', state });
    await tasks.create({ ...most, id: 'two', state: { ...state, nonce: 'two' } });
    expect(await tasks.read('one')).toEqual({ ...most, id: 'one', state });
    const [one = '', two = ''] = texts;
    // Whoever reads the store could try answers with it, against the digest in the claim.
    expect(one).not.toContain(state.secret);
    for (const swapped of [two, `${one} m1.two`]) {
      await map.set(keys[0]!, swapped);
      await expect(tasks.read('one')).rejects.toThrow('cannot be opened');
    }
    await map.set(keys[0]!, one);
    expect((await tasks.read('one'))?.state).toEqual(state);
  });
});
