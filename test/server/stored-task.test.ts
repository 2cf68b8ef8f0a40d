/** Tasks as they lie in a store: nothing of one is lost on the way, and nothing of it can be put in another's place. */
import type { Store } from '@midcall/core/store';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';
import { packTask, unpackTask } from '../../packages/server/src/tasks/stored-task.ts';
import type { Task } from '../../packages/server/src/tasks/task.ts';
import { TaskStore } from '../../packages/server/src/tasks/task-store.ts';

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
    tasks: false,
  },
  envelope: { 'io.modelcontextprotocol/clientInfo': { name: 'x' } },
  status: 'input_required',
  turn: 3,
  state: 'm1.state',
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

/** As it comes back: members that are undefined are not there. */
const asJson = (task: Task): unknown => JSON.parse(JSON.stringify(task));

describe('a task in a store', () => {
  it.each([
    ['with little', least],
    ['with all there is', most],
  ])('%s comes back as it was', (_, task) => {
    const { packed, state } = packTask(task);
    expect(asJson(unpackTask({ packed: JSON.parse(JSON.stringify(packed)), state }))).toEqual(asJson(task));
  });

  it('task-store-1: opens only under its own key, and with its own state', async () => {
    const map = memoryStore();
    const sealer = createSealer(keyRing(new Uint8Array(32).fill(9)));
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
    const tasks = new TaskStore({ store, sealer, clock: { now: () => 3 }, changed: () => {} });
    await tasks.create({ ...most, id: 'one', state: 'm1.one' });
    await tasks.create({ ...most, id: 'two', state: 'm1.two' });
    expect(await tasks.read('one')).toEqual({ ...most, id: 'one', state: 'm1.one' });
    const [one = '', two = ''] = texts;
    const sealedOf = (text: string) => text.split(' ')[0]!;
    for (const swapped of [two, `${sealedOf(one)} m1.two`, sealedOf(one), `${sealedOf(two)} m1.one`]) {
      await map.set(keys[0]!, swapped);
      await expect(tasks.read('one')).rejects.toThrow('cannot be opened');
    }
    await map.set(keys[0]!, one);
    expect((await tasks.read('one'))?.state).toBe('m1.one');
  });
});
