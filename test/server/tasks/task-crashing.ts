/** Kills a real server of tasks over and over while it works, and plays the client that answers; used by the crash tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AuditEvent } from '@midcall/server';
import { expect } from 'vitest';

interface Told {
  readonly taskId: string;
  readonly status: string;
  readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly message: string } }>>;
  readonly result?: { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly message: string };
}

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** One process; every request resolves to nothing where it was killed first. */
class Server {
  readonly #child: ChildProcess;
  readonly #gone: Promise<undefined>;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #id = 0;
  isGone = false;

  constructor(folder: string, killAt: number) {
    const script = fileURLToPath(new URL('../../fixtures/task-crash-server.mjs', import.meta.url));
    this.#child = spawn(process.execPath, [script, folder], {
      env: { ...process.env, KILL_AT: String(killAt) },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#gone = new Promise((resolve, reject) =>
      this.#child.once('exit', (_, signal) => {
        this.isGone = true;
        if (signal === 'SIGKILL') resolve(undefined);
        else reject(new Error('The server ended by itself; what it said stands above.'));
      }),
    );
    this.#gone.catch(() => {});
    this.#child.stdin!.on('error', () => {});
    createInterface(this.#child.stdout!).on('line', line => {
      const reply = JSON.parse(line) as Reply;
      if (reply.id === undefined) return;
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
    });
  }

  /** @throws Error where the server answers with one: none of these requests is wrong */
  async request<T>(method: string, params: object): Promise<T | undefined> {
    this.#id += 1;
    const id = this.#id;
    const replied = new Promise<Reply>(resolve => this.#waiting.set(id, resolve));
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {
        elicitation: {},
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    };
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta } };
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`);
    const reply = await Promise.race([replied, this.#gone]);
    if (reply?.error) throw new Error(`${method}: ${reply.error.message}`);
    return reply?.result as T | undefined;
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#gone;
  }
}

/** What a client knows of one task. */
interface Flow {
  readonly name: string;
  readonly safe: boolean;
  readonly late: boolean;
  taskId?: string | undefined;
  /** Keys whose answers the server has acknowledged. */
  readonly acknowledged: Set<string>;
  /** Every state in which it was over. */
  readonly ends: Set<string>;
  end?: Told;
}

export interface TaskTally {
  readonly tasks: number;
  readonly kills: number;
  readonly done: number;
  readonly inDoubt: number;
}

const order = ['one', 'two', 'three'];
/** Points that a process passes before it is killed, at most. */
const MOST_POINTS = 250;
/** Tasks that are under way at once. */
const AT_ONCE = 10;

/**
 * Begins tasks, answers what they ask, and kills the server at random points until all are over.
 * @param random - whole numbers from 1 to its argument
 * @param progress - told after each kill how many tasks are over, and how many kills there were
 */
export async function crashTasks(
  tasks: number,
  random: (most: number) => number,
  progress: (over: number, kills: number) => void = () => {},
): Promise<TaskTally> {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-task-crash-'));
  const flows: Flow[] = [];
  let kills = 0;
  let server: Server | undefined;
  try {
    while (flows.filter(({ end }) => end).length < tasks) {
      server = new Server(folder, random(MOST_POINTS));
      while (!server.isGone && flows.filter(({ end }) => end).length < tasks) {
        const open = flows.filter(({ end }) => !end);
        if (flows.length < tasks && open.length < AT_ONCE) open.push(begin(flows, random));
        await Promise.all(open.map(flow => advance(flow, server!)));
      }
      if (server.isGone) kills += 1;
      progress(flows.filter(({ end }) => end).length, kills);
    }
    await server?.stop();
    server = new Server(folder, 0);
    for (const flow of flows) {
      const told = await server.request<Told>('tasks/get', { taskId: flow.taskId });
      flow.ends.add(JSON.stringify(told));
    }
    const audited = audit(folder);
    const inDoubt = flows.filter(flow => judge(flow, folder, audited) === 'in doubt').length;
    return { tasks, kills, done: tasks - inDoubt, inDoubt };
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function begin(flows: Flow[], random: (most: number) => number): Flow {
  const flow: Flow = {
    name: `flow-${flows.length}`,
    safe: random(2) === 1,
    late: random(3) === 1,
    acknowledged: new Set(),
    ends: new Set(),
  };
  flows.push(flow);
  return flow;
}

async function advance(flow: Flow, server: Server): Promise<void> {
  const { name, safe, late } = flow;
  if (flow.taskId === undefined) {
    // A client that was not told of its task calls again, and the flow of the task before is nobody's.
    const params = { name: 'act', arguments: { flow: name, safe, late } };
    flow.taskId = (await server.request<Told>('tools/call', params))?.taskId;
    return;
  }
  const { taskId } = flow;
  const told = await server.request<Told>('tasks/get', { taskId });
  if (!told) return;
  if (!['working', 'input_required'].includes(told.status)) {
    flow.ends.add(JSON.stringify(told));
    flow.end = told;
    return;
  }
  for (const [key, { params }] of Object.entries(told.inputRequests ?? {})) {
    // An answer that was acknowledged is never asked for anew.
    expect(flow.acknowledged.has(key), `${name}: ${key}`).toBe(false);
    expect([...flow.acknowledged].map(wordOf), name).not.toContain(wordOf(key));
    if (late && params.message.startsWith('two')) continue;
    const inputResponses = { [key]: { action: 'accept', content: { value: true } } };
    if (await server.request('tasks/update', { taskId, inputResponses })) flow.acknowledged.add(key);
  }
}

const wordOf = (key: string): string => key.split('-of')[0]!;

/** What must hold of a task that is over. */
function judge(flow: Flow, folder: string, audited: readonly AuditEvent[]): 'done' | 'in doubt' {
  const { name, safe } = flow;
  // Over once, and for good.
  expect([...flow.ends], name).toHaveLength(1);
  const file = join(folder, `${name}.effects`);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const effects = lines.map(line => line.split(' ')[0]);
  const text = flow.end!.result?.content[0]?.text ?? flow.end!.error?.message ?? '';
  if (text === 'done one,two,three') {
    // Every effect, once, in order.
    expect(effects, name).toEqual(order);
    return 'done';
  }
  // Only a step that is not safe to repeat can be in doubt, and then the text and the audit name it.
  expect(safe, `${name}: ${text}`).toBe(false);
  const doubtful = /In doubt: (\w+)\./.exec(text)?.[1] ?? '';
  expect(order, `${name}: ${text}`).toContain(doubtful);
  const before = order.slice(0, order.indexOf(doubtful));
  // Whatever came before it took effect once; whether it did itself nobody knows, and nothing came after.
  expect([before, [...before, doubtful]], name).toContainEqual(effects);
  const told = audited.filter(event => event.kind === 'step-in-doubt' && event.step === doubtful);
  expect(told.length, `${name}: ${text}`).toBeGreaterThan(0);
  return 'in doubt';
}

function audit(folder: string): AuditEvent[] {
  const lines = readFileSync(join(folder, 'audit.jsonl'), 'utf8').split('\n');
  return lines.filter(line => line.endsWith('}')).map(line => JSON.parse(line) as AuditEvent);
}
