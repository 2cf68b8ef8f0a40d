/** Tasks (extension io.modelcontextprotocol/tasks), the client's side: a call goes on, whatever carries it. */
import { attach, Inbox, type Question, type Reply } from '@midcall/host';
import { type AuditEvent, type Call, midcall, type TaskMode } from '@midcall/server';
import { serveHttp } from '@midcall/server/node';
import { negotiation } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { quickClock } from '../../fixtures/quick-clock.ts';
import { person } from '../person.ts';

const yes: Reply = { action: 'accept', content: { value: true } };
type Handler = (call: Call) => Promise<string>;

async function host(
  handler: Handler,
  carrier: 'memory' | 'http',
  task: TaskMode,
  answer: (question: Question) => Reply | undefined = () => yes,
  audit: (event: AuditEvent) => void = () => {},
) {
  const mid = midcall({
    key: 'vk1N2yLr0Zc0m7B1nPqf3sT5uW8xY+A2bC4dE6gH8iI=',
    suspectBelowMs: 0,
    warn: () => {},
    audit,
  });
  const factory = () => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'act', { task }, async (_, call) => ({ content: [{ type: 'text', text: await handler(call) }] }));
    return server;
  };
  const client = new Client(
    { name: 'host', version: '1.0.0' },
    { versionNegotiation: negotiation('2026-07-28'), inputRequired: { maxRounds: 50 } },
  );
  const inbox = new Inbox();
  const me = person(answer);
  const attachment = attach(client, { server: { id: 'notes', origin: 'node notes' }, inbox, clock: quickClock });
  inbox.present(me);
  if (carrier === 'http') {
    const serving = await serveHttp(factory, { port: 0 });
    onTestFinished(() => serving.stop({ within: 0 }));
    await client.connect(new StreamableHTTPClientTransport(new URL(serving.url)));
  } else {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const serving = serveStdio(factory, { transport: far });
    onTestFinished(() => serving.close());
    await client.connect(near);
  }
  onTestFinished(() => client.close());
  onTestFinished(() => mid.stop());
  const run = (options = {}) => attachment.run({ kind: 'tool', name: 'act', arguments: {} }, options);
  const text = async (options = {}) => ((await run(options)) as { content: { text: string }[] }).content[0]!.text;
  return { run, text, inbox, attachment, mid };
}

describe.each(['memory', 'http'] as const)('over %s', carrier => {
  it('ext-tasks-02, ext-tasks-23, ext-tasks-25, ext-tasks-41, ext-tasks-56, ext-tasks-58: the person is asked what a task asks, and its result is that of the call', async () => {
    const seen: string[] = [];
    const { text } = await host(
      async call => {
        const first = await call.elicit({ message: 'First?', form: Boolean });
        const second = await call.elicit({ message: 'Second?', form: Boolean });
        return `${first.action} ${second.action}`;
      },
      carrier,
      'always',
      question => {
        // For how long the server keeps the task says nothing about how long it waits for an answer.
        expect(question).not.toHaveProperty('openUntil');
        if (question.kind === 'form') seen.push(question.message);
        return yes;
      },
    );
    expect(await text()).toBe('accept accept');
    expect(seen).toEqual(['First?', 'Second?']);
  });

  it('ext-tasks-26, ext-tasks-32: two things that a task asks at once are asked, each once', async () => {
    const seen: string[] = [];
    const { text } = await host(
      async call => {
        const both = await Promise.all([
          call.elicit({ message: 'A?', form: Boolean }),
          call.elicit({ message: 'B?', form: Boolean }),
        ]);
        return both.map(each => each.action).join(' ');
      },
      carrier,
      'always',
      question => {
        if (question.kind === 'form') seen.push(question.message);
        return question.kind === 'form' && question.message === 'A?' ? yes : { action: 'decline' };
      },
    );
    expect(await text()).toBe('accept decline');
    expect(seen.sort()).toEqual(['A?', 'B?']);
  });

  it('ext-tasks-13, ext-tasks-24: a wizard of forty questions is followed from its rounds into its task', async () => {
    const { text } = await host(
      async call => {
        let said = 0;
        for (let n = 1; n <= 40; n += 1) {
          const answer = await call.elicit({ message: `Question ${n}?`, form: Boolean });
          if (answer.action === 'accept') said += 1;
        }
        return `${said} of 40`;
      },
      carrier,
      'when-needed',
    );
    expect(await text()).toBe('40 of 40');
  });

  it('an error of a task is told as the call would tell it', async () => {
    const { run } = await host(() => Promise.reject(new Error('It broke.')), carrier, 'always');
    expect(await run()).toMatchObject({ isError: true, content: [{ text: 'It broke.' }] });
  });

  it('a task is cancelled where the person cancels the call', async () => {
    let cancelled = (): void => {};
    const isCancelled = new Promise<void>(resolve => {
      cancelled = resolve;
    });
    let begun = (): void => {};
    const begins = new Promise<void>(resolve => {
      begun = resolve;
    });
    const { run, attachment } = await host(
      call =>
        call.step('work', ({ signal }) => {
          begun();
          return new Promise<string>((_, reject) => {
            signal.addEventListener('abort', () => {
              cancelled();
              reject(new Error('stopped'));
            });
          });
        }),
      carrier,
      'always',
    );
    const stop = new AbortController();
    const isTask = new Promise<void>(resolve => {
      attachment.subscribe(event => event.type === 'call-task' && resolve());
    });
    const running = run({ signal: stop.signal }).catch((error: unknown) => error);
    await begins;
    await isTask;
    stop.abort();
    await isCancelled;
    expect(await running).toBeInstanceOf(Error);
  });

  it('task-follower-3: a task is cancelled where its call is given up while a question of it is open', async () => {
    const ended: string[] = [];
    let asked = (): void => {};
    const isAsked = new Promise<void>(resolve => {
      asked = resolve;
    });
    let over = (): void => {};
    const isOver = new Promise<void>(resolve => {
      over = resolve;
    });
    const { run } = await host(
      async call => (await call.elicit({ message: 'Sure?', form: Boolean })).action,
      carrier,
      'always',
      () => {
        asked();
        return undefined;
      },
      event => {
        if (event.kind !== 'ended') return;
        ended.push(event.outcome);
        over();
      },
    );
    const stop = new AbortController();
    const running = run({ signal: stop.signal }).catch((error: unknown) => error);
    await isAsked;
    stop.abort();
    await isOver;
    expect(ended).toEqual(['cancelled']);
    expect(await running).toBeInstanceOf(Error);
  });
});
