/** What must not work: each is said clearly and leaves every file as it was. Wire-level cases speak JSON-RPC themselves. */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { unprivilegedNode } from '../fixtures/unprivileged-node.ts';
import {
  type Caller,
  everyWay,
  type FormParams,
  main,
  reach,
  type Sandbox,
  sandbox,
  startHttp,
  ways,
} from './fixture.ts';

let box: Sandbox;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  box = await sandbox();
});
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
  await box.remove();
});

async function connect(...args: Parameters<typeof reach>): Promise<Caller> {
  const caller = await reach(...args);
  open.push(caller);
  return caller;
}

type Params = Record<string, unknown>;

/** A frame as far as these tests look into it. */
interface Frame {
  readonly id?: number;
  readonly method?: string;
  readonly params: FormParams;
  readonly error?: { readonly code: number; readonly message: string };
  readonly result: {
    readonly resultType?: string;
    readonly requestState: string;
    readonly inputRequests: Record<string, { readonly params: FormParams }>;
    readonly structuredContent: { readonly outcome: string; readonly note: { readonly note_id: string } };
    readonly tools: readonly unknown[];
  };
}

/** A notes server over stdio, spoken to frame by frame. */
class Wire implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  /** Everything that came on standard output. */
  readonly received: string[] = [];
  stderr = '';
  #id = 0;

  constructor(args: readonly string[], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [main, 'notes', ...args], { env: { ...process.env, ...env } });
    this.child.stderr!.on('data', chunk => {
      this.stderr += chunk;
    });
    this.#reader = createInterface({ input: this.child.stdout! });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  write(frame: Params): void {
    this.child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
  }

  async read(): Promise<Frame> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`The server ended. ${this.stderr}`);
    this.received.push(value);
    return JSON.parse(value);
  }

  async request(method: string, params: Params): Promise<Frame> {
    const id = ++this.#id;
    this.write({ id, method, params });
    return this.read();
  }

  async initialize(): Promise<void> {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'wire', version: '1' },
    };
    await this.request('initialize', params);
    this.write({ method: 'notifications/initialized' });
  }

  /** A 2026-07-28 call. */
  async call(title: string, more: Params = {}): Promise<Frame> {
    return this.request('tools/call', { ...envelope, name: 'notes_delete', arguments: { title }, ...more });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exit = once(this.child, 'exit');
      this.child.stdin!.end();
      await exit;
    }
    this.#reader.close();
  }
}

const envelope = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'wire', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  },
};

/** The one question of a round, and an answer to it. */
const questionOf = (frame: Frame): { key: string; form: FormParams } => {
  const [[key, request]] = Object.entries(frame.result.inputRequests) as [[string, { params: FormParams }]];
  return { key, form: request.params };
};
const picks = (frame: Frame, year: string): Params => {
  const { key, form } = questionOf(frame);
  const note = form.requestedSchema.properties['note_id']!.oneOf!.find(each => each.title.includes(year))!;
  return { inputResponses: { [key]: { action: 'accept', content: { note_id: note.const, confirm: true } } } };
};
const stateOf = (frame: Frame): string => frame.result.requestState;

describe('the state of a 2026-07-28 call', () => {
  const invalid = (frame: Frame) => {
    expect(frame.error?.code).toBe(-32602);
    return frame.error!.message;
  };

  it('the state of a 2026-07-28 call is refused with -32602 where one character differs', async () => {
    const before = await box.hash();
    await using wire = new Wire([box.root]);
    const asked = await wire.call('TPS report');
    const state = stateOf(asked);
    for (const at of [0, Math.floor(state.length / 2), state.length - 1]) {
      const changed = `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`;
      invalid(await wire.call('TPS report', { requestState: changed, ...picks(asked, '2024') }));
    }
    for (const requestState of ['', 'x', 'a'.repeat(100_000)]) {
      invalid(await wire.call('TPS report', { requestState, ...picks(asked, '2024') }));
    }
    expect(await box.hash()).toEqual(before);
  });

  it('the state of a 2026-07-28 call is refused for other arguments, another tool and another process', async () => {
    const before = await box.hash();
    await using wire = new Wire([box.root]);
    const asked = await wire.call('TPS report');
    const answered = { requestState: stateOf(asked), ...picks(asked, '2024') };
    invalid(await wire.call('tps report', answered));
    invalid(
      await wire.request('tools/call', {
        ...envelope,
        name: 'notes_archive',
        arguments: { title: 'TPS report' },
        ...answered,
      }),
    );
    await using other = new Wire([box.root]);
    invalid(await other.call('TPS report', answered));
    expect(await box.hash()).toEqual(before);
  });

  it('elicit-29, mrtr-18: the state of a 2026-07-28 call is opened by another process with the same key', async () => {
    const key = { MIDCALL_KEY: randomBytes(32).toString('base64') };
    await using wire = new Wire([box.root], key);
    const asked = await wire.call('TPS report');
    await using other = new Wire([box.root], key);
    const done = await other.call('TPS report', { requestState: stateOf(asked), ...picks(asked, '2024') });
    expect(done.result.structuredContent.outcome).toBe('deleted');
  });

  it('a state takes one answer: the same again gets the same result, another is refused', async () => {
    await using wire = new Wire([box.root]);
    const asked = await wire.call('TPS report');
    const requestState = stateOf(asked);
    const first = await wire.call('TPS report', { requestState, ...picks(asked, '2024') });
    const after = await box.hash();
    const again = await wire.call('TPS report', { requestState, ...picks(asked, '2024') });
    expect(again.result).toEqual(first.result);
    invalid(await wire.call('TPS report', { requestState, ...picks(asked, '2023') }));
    expect(await box.hash()).toEqual(after);
    expect(await box.files()).toContain('work/2023/tps-report.md');
  });

  it('answers that come without a state are ignored', async () => {
    const before = await box.hash();
    await using wire = new Wire([box.root]);
    const asked = await wire.call('TPS report');
    const forged = await wire.call('TPS report', picks(asked, '2024'));
    expect(forged.result.resultType).toBe('input_required');
    expect(await box.hash()).toEqual(before);
  });
});

describe('a client that goes away or speaks twice', () => {
  const ask = async (wire: Wire): Promise<Frame> => {
    await wire.initialize();
    return wire.request('tools/call', { name: 'notes_delete', arguments: { title: 'TPS report' } });
  };

  it('a client that goes away or speaks twice ends the call when it disconnects with the question open', async () => {
    const before = await box.hash();
    const wire = new Wire([box.root]);
    const question = await ask(wire);
    expect(question.method).toBe('elicitation/create');
    const exit = once(wire.child, 'exit');
    wire.child.stdin!.end();
    expect(await exit).toEqual([0, null]);
    expect(await box.hash()).toEqual(before);
  });

  it('a client that goes away or speaks twice ends the call when it cancels, and a late answer does nothing', async () => {
    await using wire = new Wire([box.root]);
    const before = await box.hash();
    const question = await ask(wire);
    wire.write({ method: 'notifications/cancelled', params: { requestId: 2 } });
    const note = question.params.requestedSchema.properties['note_id']!.oneOf![0]!;
    wire.write({ id: question.id, result: { action: 'accept', content: { note_id: note.const, confirm: true } } });
    // Whatever came before it on the wire has been handled when this is answered.
    for (let frame = await wire.request('ping', {}); frame.result === undefined; ) frame = await wire.read();
    expect((await wire.request('tools/list', {})).result.tools.length).toBeGreaterThan(0);
    expect(await box.hash()).toEqual(before);
  });

  it('of a client that answers twice the first answer is heard only', async () => {
    await using wire = new Wire([box.root]);
    const question = await ask(wire);
    const notes = question.params.requestedSchema.properties['note_id']!.oneOf!;
    for (const { const: note_id } of notes.slice(0, 2)) {
      wire.write({ id: question.id, result: { action: 'accept', content: { note_id, confirm: true } } });
    }
    const result = await wire.read();
    expect(result.result.structuredContent.note.note_id).toBe(notes[0]!.const);
    await wire.request('ping', {});
    const left = (await box.files()).filter(path => path.startsWith('work/') && path.includes('tps'));
    expect(left).toHaveLength(2);
  });
});

describe('a 2025-11-25 client over HTTP', () => {
  const accept = (form: FormParams, year: string) => {
    const note = form.requestedSchema.properties['note_id']!.oneOf!.find(each => each.title.includes(year))!;
    return { action: 'accept' as const, content: { note_id: note.const, confirm: true } };
  };

  it('a client still gets its result where the stream broke while the question was open', async () => {
    const server = await startHttp([box.root]);
    open.push(server);
    const streams: AbortController[] = [];
    const resumed: string[] = [];
    const caller = await ways['SDK v2, 2025-11-25, HTTP'].connect(
      { url: server.url },
      {
        fetch: async (input, init) => {
          const last = new Headers(init?.headers).get('last-event-id');
          if (last !== null) resumed.push(last);
          if (!String(init?.body).includes('tools/call')) return fetch(input, init);
          const stream = new AbortController();
          streams.push(stream);
          return fetch(input, { ...init, signal: stream.signal });
        },
        person: form => {
          for (const stream of streams) stream.abort();
          return accept(form, 'work/2024');
        },
      },
    );
    open.push(caller);
    const result = await caller.call('notes_delete', { title: 'TPS report' });
    expect(result.data!['outcome']).toBe('deleted');
    expect(streams).toHaveLength(1);
    expect(resumed.length).toBeGreaterThan(0);
    expect(await box.files()).not.toContain('work/2024/tps-report.md');
  });

  it('a client that ends its session with the question open leaves nothing behind', async () => {
    const before = await box.hash();
    const server = await startHttp([box.root]);
    open.push(server);
    let asked = () => {};
    const question = new Promise<void>(resolve => {
      asked = resolve;
    });
    const leaving = await ways['SDK v2, 2025-11-25, HTTP'].connect(
      { url: server.url },
      {
        person: () => {
          asked();
          return new Promise(() => {});
        },
      },
    );
    const call = leaving.call('notes_delete', { title: 'TPS report' }).catch(error => error);
    await question;
    const transport = leaving.client.transport as unknown as { terminateSession(): Promise<void> };
    await transport.terminateSession();
    await leaving.close();
    expect(await call).toBeInstanceOf(Error);
    expect(await box.hash()).toEqual(before);
    const other = await ways['SDK v2, 2025-11-25, HTTP'].connect({ url: server.url }, {});
    open.push(other);
    expect((await other.call('notes_list')).text).toContain('13 notes');
  });
});

describe.each(few(everyWay, 'SDK v2, 2026-07-28, HTTP', 'SDK v1, stdio'))('%s', way => {
  it('a client that has no form is not asked, and is told at once what to do', async () => {
    const before = await box.hash();
    const urlOnly = way.includes('v1')
      ? [{ elicitation: undefined }]
      : [{ elicitation: undefined }, { elicitation: { url: {} } }];
    for (const capabilities of urlOnly) {
      const caller = await connect(way, box.root, { capabilities });
      for (const [tool, what, way] of [
        ['notes_delete', 'deleted', 'Ask the person which one is meant, and say so with path.'],
        ['notes_archive', 'archived', 'The person is asked every time, so this takes a client that can ask.'],
      ] as const) {
        const result = await caller.call(tool, { title: 'TPS report' });
        expect(result.text).toContain(
          `Nothing was ${what}: there is no way to show the person the question here; the same call ends the same way. 3 notes with this title:`,
        );
        for (const year of ['2023', '2024', '2025']) expect(result.text).toContain(`path: work/${year}/tps-report.md`);
        expect(result.text).toContain(way);
        expect(result.data!['outcome']).toBe('unavailable');
        expect(result.data!['matches']).toHaveLength(3);
      }
    }
    expect(await box.hash()).toEqual(before);
  });

  it('unknown and missing arguments are refused and named, and so is that a note vanished under the question', async () => {
    const before = await box.hash();
    const caller = await connect(way, box.root, {
      person: async form => {
        await rm(join(box.root, 'work/2024/tps-report.md'));
        const note = form.requestedSchema.properties['note_id']!.oneOf!.find(each => each.title.includes('work/2024'))!;
        return { action: 'accept', content: { note_id: note.const, confirm: true } };
      },
    });
    for (const [tool, args, words] of [
      ['notes_delete', { title: 'Inbox', confirm: true }, 'confirm'],
      ['notes_delete', {}, 'title'],
      ['notes_write', { path: 'x.md' }, 'text'],
      ['notes_read', {}, 'path or by its note_id'],
      ['notes_read', { path: 'inbox.md', note_id: 'note-1' }, 'one of the two'],
      ['notes_search', { query: '  ' }, 'query'],
    ] as const) {
      const result = await caller.call(tool, args);
      expect([tool, result.isError]).toEqual([tool, true]);
      expect(result.text).toContain(words);
    }
    expect(await box.hash()).toEqual(before);

    const result = await caller.call('notes_delete', { title: 'TPS report' });
    expect(result.text).toBe('Nothing was deleted. TPS report · work/2024 · 2024-06-12: it is no longer there.');
    const { 'notes/work/2024/tps-report.md': _gone, ...left } = before;
    expect(await box.hash()).toEqual(left);
  });
});

describe('the command line', () => {
  async function run(
    args: readonly string[],
    node: readonly [string, ...string[]] = [process.execPath],
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const [command, ...before] = node;
    const child = spawn(command, [...before, main, 'notes', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', chunk => {
      stdout += chunk;
    });
    child.stderr.on('data', chunk => {
      stderr += chunk;
    });
    const [code] = await once(child, 'close');
    return { code, stdout, stderr };
  }

  it.each([
    ['a file instead of a directory', ['inbox.md'], 'is a file, not a directory'],
    ['a directory that is missing', ['nowhere'], 'does not exist'],
    ['a directory below a file', ['inbox.md/x'], 'does not exist'],
  ])('the command line refuses %s before anything is served', async (_name, [path], words) => {
    const result = await run([join(box.root, path!)]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(words);
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('the command line refuses a directory that cannot be read', async () => {
    await chmod(box.root, 0o000);
    const result = await run([box.root], unprivilegedNode());
    await chmod(box.root, 0o755);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('cannot be read by this user');
  });

  it.each([
    ['http', 'abc'],
    ['http', '70000'],
    ['http', '-1'],
  ])('the command line refuses --%s %s', async (option, value) => {
    const result = await run([box.root, `--${option}=${value}`]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('0 to 65535');
  });

  it('the command line says that the port is taken', async () => {
    const server = await startHttp([box.root]);
    open.push(server);
    const result = await run([box.root, '--http', server.url.port]);
    expect(result).toMatchObject({ code: 3, stdout: '' });
    expect(result.stderr).toContain(`Port ${server.url.port} on 127.0.0.1 is taken`);
  });

  it('the command line does not open itself to other machines without their names', async () => {
    const result = await run([box.root, '--http', '0', '--host', '0.0.0.0']);
    expect(result).toMatchObject({ code: 3, stdout: '' });
    expect(result.stderr).toContain('name the hosts under which they may reach this server');
    const server = await startHttp([
      '--host',
      '0.0.0.0',
      '--allow-host',
      'a.example',
      '--allow-host',
      'b.example',
      box.root,
    ]);
    open.push(server);
    const status = (host: string) =>
      new Promise(resolve => {
        const headers = { host, 'content-type': 'application/json' };
        const options = { port: server.url.port, path: '/mcp', method: 'POST', headers };
        request(options, response => resolve(response.resume().statusCode)).end('{}');
      });
    expect(await status('b.example')).toBe(400);
    expect(await status('c.example')).toBe(403);
  });

  it('the server writes nothing but protocol to standard output', async () => {
    const wire = new Wire([box.root]);
    await wire.initialize();
    await wire.request('tools/call', { name: 'notes_list', arguments: {} });
    await wire.request('tools/call', { name: 'notes_read', arguments: { path: '../../etc/passwd' } });
    wire.child.stdin!.write('this is not JSON\n');
    await wire.request('ping', {});
    await wire[Symbol.asyncDispose]();
    for (const line of wire.received) expect(JSON.parse(line).jsonrpc).toBe('2.0');
    expect(wire.received).toHaveLength(4);
  });

  it('the server answers HTTP only under its own names', async () => {
    const server = await startHttp([box.root]);
    open.push(server);
    const post = (headers: Record<string, string>) =>
      fetch(server.url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' });
    expect((await post({ origin: 'http://evil.example' })).status).toBe(403);
    expect((await post({})).status).toBe(400);
    expect((await fetch(new URL('/', server.url))).status).toBe(404);
  });

  it('the server stops on SIGTERM with a question open, and leaves the files alone', async () => {
    const before = await box.hash();
    const server = await startHttp([box.root]);
    const asked = new Promise<void>(resolve => {
      const connecting = ways['SDK v2, 2025-11-25, HTTP'].connect(
        { url: server.url },
        {
          person: () => {
            resolve();
            return new Promise(() => {});
          },
        },
      );
      void connecting.then(caller => {
        open.push({ close: () => caller.close() });
        caller.call('notes_delete', { title: 'TPS report' }).catch(() => {});
      });
    });
    await asked;
    const exit = once(server.process, 'exit');
    await server.close();
    expect(await exit).toEqual([0, null]);
    expect(await box.hash()).toEqual(before);
  });
});
