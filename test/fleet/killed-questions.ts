/**
 * Many questions of many persons, all open at once, in both eras and as tasks, answered while replicas and Redis are killed. What
 * it comes to is counted, and checked: every call ends, no effect happens twice, what is in doubt is said, nobody gets what is
 * somebody else's.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished } from 'vitest';
import { grown } from '../fixtures/grown.ts';
import { type Hardship, undergo } from './hardship.ts';
import { type KilledFleet, startKilledFleet } from './killed-fleet.ts';

export interface Tally {
  readonly questions: number;
  readonly kills: number;
  readonly redisKills: number;
  charged: number;
  surveyed: number;
  /** Calls that ended with an error that says what is in doubt. */
  inDoubt: number;
  /** Of those, with the effect. */
  inDoubtDone: number;
  /** Calls of which nothing was done, as the error of the store says that they ended with. */
  refused: number;
}

export interface KillOptions {
  readonly questions: number;
  readonly kills: number;
  readonly redisKills: number;
  /** 1 to `most`. */
  readonly random: (most: number) => number;
  readonly replicas?: number;
  /** What makes everything slow meanwhile. */
  readonly hardship?: Hardship;
  /** Milliseconds without a question or an end after which it is given up, with a report; 300,000 if absent. */
  readonly patienceMs?: number;
}

export type Kind = 'session' | 'rounds' | 'task';
interface Call {
  readonly kind: Kind;
  readonly tool: string;
  readonly order: string;
  readonly person: string;
  readonly result: Promise<string>;
}
/** What became of a call so far, and when, in milliseconds since the epoch. */
interface Standing {
  readonly state: 'begun' | 'asked' | 'answered' | 'ended';
  readonly at: number;
  readonly asked: number;
}
export type Answer = { action: 'accept'; content: { say: string } };
/** Resolves a question that is open. */
type Say = () => void;

/** Questions of one person. */
const perPerson = (questions: number): number => Math.max(8, Math.ceil(questions / 200));
const url = new URL('http://fleet.invalid/mcp');
export const kinds: readonly Kind[] = ['session', 'rounds', 'task'];
const revision = '2026-07-28';
const textOf = (result: unknown): string =>
  ((result as { content?: { text: string }[] }).content ?? []).map(({ text }) => text).join('\n');

export async function killWhileAsking({
  questions,
  kills,
  redisKills,
  random,
  replicas = 4,
  hardship = 'none',
  patienceMs = 300_000,
}: KillOptions): Promise<Tally> {
  await using hard = await undergo(hardship);
  await using fleet = await startKilledFleet(replicas, { environment: hard.environment });
  hard.begin(fleet.redis, random);
  const open: Say[] = [];
  /** Grows with each question that is asked, and each call that ends. */
  const told: ('asked' | 'ended')[] = [];
  const standings = new Map<string, Standing>();
  const stands = (order: string, state: Standing['state']): void => {
    const asked = (standings.get(order)?.asked ?? 0) + (state === 'asked' ? 1 : 0);
    standings.set(order, { state, at: Date.now(), asked });
  };
  /** True once nobody dies any more. */
  let isQuiet = false;
  /** A question that a person is asked: it has to be about an order of theirs. */
  const ask = (person: string, message: string): Promise<Answer> => {
    expect(message).toContain(` ${person}-`);
    told.push('asked');
    const [order = ''] = /p\d+-\d+/.exec(message) ?? [];
    stands(order, 'asked');
    return new Promise(resolve => {
      const say = () => {
        stands(order, 'answered');
        resolve({ action: 'accept', content: { say: `said by ${person}` } });
      };
      if (isQuiet) say();
      else open.push(say);
    });
  };
  /** The same; fails with a report once nothing was asked, answered or ended for too long. */
  const goesOn = async <T>(work: Promise<T>): Promise<T> => {
    let stop = (): void => {};
    const stuck = new Promise<never>((_, reject) => {
      const watch = setInterval(() => {
        const last = Math.max(...[...standings.values()].map(({ at }) => at));
        if (Date.now() - last < patienceMs) return;
        stop();
        void fleet
          .report()
          .then(report => reject(new Error(`Nothing goes on.\n${waiting(calls, standings)}\n${report}`)));
      }, 1_000);
      stop = () => clearInterval(watch);
    });
    return Promise.race([work, stuck]).finally(() => stop());
  };
  const each = perPerson(questions);
  const calls: Call[] = [];
  for (let at = 0; at < questions; ) {
    const kind = kinds[Math.floor(at / each) % kinds.length]!;
    const person = `p${Math.floor(at / each)}`;
    const call = await callers[kind](fleet, person, message => ask(person, message));
    for (const until = Math.min(questions, at + each); at < until; at += 1) {
      const tool = kind === 'task' ? 'charge-task' : at % 2 === 0 ? 'charge' : 'survey';
      const order = `${person}-${at}`;
      stands(order, 'begun');
      const result = call(tool, order).finally(() => {
        told.push('ended');
        stands(order, 'ended');
      });
      result.catch(() => {});
      calls.push({ kind, tool, order, person, result });
    }
    const due = at;
    await goesOn(grown(told, ({ length }) => length >= due));
  }
  expect(told).not.toContain('ended');

  const tally: Tally = {
    questions,
    kills,
    redisKills,
    charged: 0,
    surveyed: 0,
    inDoubt: 0,
    inDoubtDone: 0,
    refused: 0,
  };
  const events = [...Array<'replica'>(kills).fill('replica'), ...Array<'redis'>(redisKills).fill('redis')];
  shuffle(events, random);
  for (const [at, event] of events.entries()) {
    // Answers are on their way when the next one dies; as many as leave some for those that follow.
    shuffle(open, random);
    const share = Math.ceil(open.length / (events.length - at));
    for (const say of open.splice(0, share)) setTimeout(say, random(200));
    await new Promise(resolve => setTimeout(resolve, random(200)));
    if (event === 'redis') await fleet.killRedis();
    else await fleet.kill(random(replicas) - 1);
  }
  isQuiet = true;
  for (const say of open.splice(0)) say();
  const results = await goesOn(Promise.allSettled(calls.map(({ result }) => result)));
  judge(calls, results, fleet.effects(), tally);
  return tally;
}

/** Which calls have not ended, and what each waits for. */
function waiting(calls: readonly Call[], standings: ReadonlyMap<string, Standing>): string {
  const now = Date.now();
  return calls
    .map(({ kind, tool, order }) => ({ kind, tool, order, ...standings.get(order)! }))
    .filter(({ state }) => state !== 'ended')
    .map(({ kind, tool, order, state, at, asked }) => {
      const of = `${kind} ${tool} ${order}`;
      return `${of}: ${state} ${Math.round((now - at) / 1_000)} s ago, asked ${asked} times`;
    })
    .join('\n');
}

/** Every call has the end that its effects show. */
function judge(
  calls: readonly Call[],
  results: readonly PromiseSettledResult<string>[],
  effects: readonly string[],
  tally: Tally,
): void {
  const done = new Map<string, number>();
  for (const line of effects) done.set(line, (done.get(line) ?? 0) + 1);
  expect([...done].filter(([, times]) => times > 1)).toEqual([]);
  const wrong: unknown[] = [];
  for (const [at, { kind, tool, order, person }] of calls.entries()) {
    const result = results[at]!;
    const text = result.status === 'fulfilled' ? result.value : String(result.reason);
    const times = done.get(`${order} ${person}`) ?? 0;
    const say = `said by ${person}`;
    if (tool === 'survey' && text === `Surveyed ${order}: ${say} ${say}`) tally.surveyed += 1;
    else if (tool !== 'survey' && text === `Charged ${order}: ${say}` && times === 1) tally.charged += 1;
    else if (tool !== 'survey' && /whose end is not known|interrupted|cannot tell|took effect/.test(text)) {
      tally.inDoubt += 1;
      tally.inDoubtDone += times;
    } else if (times === 0 && /did not answer within/.test(text)) tally.refused += 1;
    else wrong.push({ kind, tool, order, text, times });
  }
  expect(wrong).toEqual([]);
  expect([...done.keys()].filter(line => !calls.some(({ order, person }) => line === `${order} ${person}`))).toEqual(
    [],
  );
}

type Asker = (message: string) => Promise<Answer>;
type Caller = (
  fleet: KilledFleet,
  person: string,
  ask: Asker,
) => Promise<(tool: string, order: string) => Promise<string>>;

/** How a question is asked and answered, in each way there is: by person, then by tool and order. */
export const callers: Readonly<Record<Kind, Caller>> = {
  /** 2025-11-25: a session of the SDK's own client. */
  async session(fleet, person, ask) {
    const client = new Client(
      { name: 'host', version: '1.0.0' },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'legacy' } },
    );
    // It would try to listen to the fleet again long after that has ended.
    onTestFinished(() => client.close());
    client.setRequestHandler('elicitation/create', ({ params }) => ask(params.message));
    const reconnectionOptions = {
      ...{ maxRetries: 10_000, initialReconnectionDelay: 50 },
      ...{ maxReconnectionDelay: 500, reconnectionDelayGrowFactor: 1.5 },
    };
    const requestInit = { headers: { authorization: `Bearer ${person}` } };
    await client.connect(
      new StreamableHTTPClientTransport(url, { fetch: fleet.fetch, reconnectionOptions, requestInit }),
    );
    return async (tool, order) =>
      textOf(await client.callTool({ name: tool, arguments: { order } }, { timeout: 3_600_000 }));
  },

  /** 2026-07-28: each answer is a request of its own. */
  async rounds(fleet, person, ask) {
    return async (tool, order) => {
      const call = { name: tool, arguments: { order } };
      let result = await send(fleet, person, 'tools/call', call);
      while (result['resultType'] === 'input_required') {
        const inputResponses = await answers(result['inputRequests'] as Requests, ask);
        const { requestState } = result;
        result = await send(fleet, person, 'tools/call', { ...call, inputResponses, requestState });
      }
      return textOf(result);
    };
  },

  /** 2026-07-28: a task that is looked at now and then. */
  async task(fleet, person, ask) {
    return async (tool, order) => {
      const { taskId } = await send(fleet, person, 'tools/call', { name: tool, arguments: { order } });
      const answered = new Set<string>();
      for (;;) {
        const task = await send(fleet, person, 'tasks/get', { taskId });
        if (task['status'] === 'completed') return textOf(task['result']);
        if (task['status'] !== 'working' && task['status'] !== 'input_required') return JSON.stringify(task);
        const requests = Object.entries((task['inputRequests'] ?? {}) as Requests).filter(
          ([key]) => !answered.has(key),
        );
        if (requests.length > 0) {
          const inputResponses = await answers(Object.fromEntries(requests), ask);
          await send(fleet, person, 'tasks/update', { taskId, inputResponses });
          for (const [key] of requests) answered.add(key);
        } else await new Promise(resolve => setTimeout(resolve, 250));
      }
    };
  },
};

type Requests = Readonly<Record<string, { readonly params: { readonly message: string } }>>;

async function answers(requests: Requests, ask: Asker): Promise<Record<string, Answer>> {
  const given = Object.entries(requests).map(async ([key, { params }]) => [key, await ask(params.message)] as const);
  return Object.fromEntries(await Promise.all(given));
}

let lastId = 0;
/** One request of 2026-07-28, sent again where its response was cut off: it says by itself what it is about. */
async function send(
  { fetch: send }: KilledFleet,
  person: string,
  method: string,
  params: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  lastId += 1;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: {},
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
  };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${person}`,
    'mcp-protocol-version': revision,
    'mcp-method': method,
    'mcp-name': String(params['name'] ?? params['taskId']),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params: { ...params, _meta } });
  for (;;) {
    const text = await send(url, { method: 'POST', headers, body }).then(
      response => response.text(),
      () => '',
    );
    const json = text.startsWith('{') ? text : text.slice(text.lastIndexOf('data: {') + 6);
    let message: { result?: Record<string, unknown>; error?: { message: string } };
    try {
      message = JSON.parse(json);
    } catch {
      continue;
    }
    if (message.result) return message.result;
    // Redis may go away in the middle of a request: it says so, and the host tries again.
    if (/cannot be used|try again/i.test(message.error?.message ?? '')) {
      await new Promise(resolve => setTimeout(resolve, 200));
      continue;
    }
    return { content: [{ text: message.error?.message }] };
  }
}

function shuffle<T>(list: T[], random: (most: number) => number): void {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = random(at + 1) - 1;
    [list[at], list[other]] = [list[other]!, list[at]!];
  }
}
