/** Kills a real server over and over while it works, restarts it, and lets the client retry; used by the crash tests. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AuditEvent } from '@midcall/server';
import type { Reply } from '../raw-client.ts';

export type Mode = 'plain' | 'idempotent' | 'check';

/** What became of one flow. */
export interface Flow {
  readonly name: string;
  /** How many of its processes were killed. */
  readonly kills: number;
  /** The last reply; none where the last process was killed too. */
  readonly reply: Reply | undefined;
  /** Steps whose effect took place, in order. */
  readonly effects: readonly string[];
  /** Steps the audit says were begun, and those it says ended. */
  readonly begun: readonly string[];
  readonly ended: readonly string[];
}

/** A point beyond the last one a flow passes. */
export const MOST_POINTS = 64;

interface Server {
  /** Nothing where the server was killed first; fails where it ended by itself. */
  call(params: object): Promise<Reply | undefined>;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
}

function start(folder: string, mode: Mode, killAt: number): Server {
  const script = fileURLToPath(new URL('../../fixtures/crash-server.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, folder, mode], {
    env: { ...process.env, KILL_AT: String(killAt), WAIT_MS: '1000' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = new Promise<NodeJS.Signals | null>(resolve => child.once('exit', (_, signal) => resolve(signal)));
  const killed = gone.then(signal => {
    if (signal !== 'SIGKILL') throw new Error('The server ended by itself; what it said stands above.');
    return undefined;
  });
  killed.catch(() => {});
  child.stdin.on('error', () => {});
  const waiting = new Map<number, (reply: Reply) => void>();
  createInterface(child.stdout).on('line', line => {
    const message = JSON.parse(line) as Reply & { id?: number };
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  let id = 0;
  return {
    call(params) {
      const reply = new Promise<Reply>(resolve => waiting.set(++id, resolve));
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      };
      const message = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'act', ...params, _meta } };
      child.stdin.write(`${JSON.stringify(message)}\n`);
      return Promise.race([reply, killed]);
    },
    async stop() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

export class Crashing {
  readonly folder = mkdtempSync(join(tmpdir(), 'midcall-crash-'));
  readonly #mode: Mode;
  #flows = 0;
  #asking: Server | undefined;

  constructor(mode: Mode) {
    this.#mode = mode;
  }

  /**
   * Runs one flow: asked by one process, answered by others.
   * @param kills - the point at which each answering process kills itself, in order; the one after them is let live,
   *   unless `abandoned`
   */
  async flow(kills: readonly number[], abandoned = false): Promise<Flow> {
    const name = `flow-${this.#flows++}`;
    // The process that asks is not the one that is answered: the configured key is all they share.
    this.#asking ??= start(this.folder, this.#mode, 0);
    const asked = await this.#asking.call({ arguments: { flow: name } });
    const retry = {
      arguments: { flow: name },
      requestState: asked?.result?.requestState,
      inputResponses: { elicit: { action: 'accept', content: { value: true } } },
    };
    let reply: Reply | undefined;
    let killed = 0;
    for (const killAt of abandoned ? kills : [...kills, 0]) {
      const server = start(this.folder, this.#mode, killAt);
      reply = await server.call(retry);
      await server.stop();
      if (reply) break;
      killed++;
    }
    const audited = this.#audit();
    const id = idOf(name, audited);
    const events = audited.filter(event => event.call.flow === id);
    const steps = (kind: AuditEvent['kind']) =>
      events.flatMap(each => (each.kind === kind && 'step' in each ? [each.step] : []));
    const file = join(this.folder, `${name}.effects`);
    const effects = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
    return {
      name,
      kills: killed,
      reply,
      effects: effects.map(line => line.split(' ')[0] as string),
      begun: steps('step-begun'),
      ended: steps('step-ended'),
    };
  }

  async stop(): Promise<void> {
    await this.#asking?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #audit(): AuditEvent[] {
    const file = join(this.folder, 'audit.jsonl');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    return lines.filter(line => line.endsWith('}')).map(line => JSON.parse(line) as AuditEvent);
  }
}

/** The flow's id in the audit: the questions were asked in the order of the flows. */
const idOf = (name: string, audited: readonly AuditEvent[]): string | undefined =>
  audited.filter(event => event.kind === 'asked')[Number(name.slice('flow-'.length))]?.call.flow;
