/** How long a server may work on a call that has become a task. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attach, type Era, Inbox, tasksFile } from '@midcall/host';
import { type Call, midcall } from '@midcall/server';
import { negotiation } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../fixtures/grown.ts';
import { handClock } from '../clock.ts';
import { nextQuestion } from '../person.ts';

/** A host whose clock is moved by hand, and a server with one tool, which is always a task. */
async function host(era: Era, handler: (call: Call) => Promise<string>) {
  const mid = midcall({ key: 'vk1N2yLr0Zc0m7B1nPqf3sT5uW8xY+A2bC4dE6gH8iI=', suspectBelowMs: 0, warn: () => {} });
  const factory = () => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'act', { task: 'always' }, async (_, call) => handler(call));
    return server;
  };
  const [near, far] = InMemoryTransport.createLinkedPair();
  const serving = serveStdio(factory, { transport: far });
  const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: negotiation(era) });
  const clock = handClock();
  const inbox = new Inbox();
  // On 2025-11-25, a host that keeps no tasks calls none that need not be one.
  const tasks = tasksFile(join(mkdtempSync(join(tmpdir(), 'midcall-time-')), 'tasks.json'));
  const server = { id: 'notes', origin: 'node notes' };
  const attachment = attach(client, { server, inbox, clock, tasks });
  await client.connect(near);
  onTestFinished(() => serving.close());
  onTestFinished(() => client.close());
  onTestFinished(() => mid.stop());
  let isTask = false;
  attachment.subscribe(({ type }) => {
    isTask ||= type === 'call-task';
  });
  const run = async (limit: object): Promise<unknown> => {
    const ended = attachment.run({ kind: 'tool', name: 'act', arguments: {} }, { timeoutMs: 600_000, ...limit });
    return ended.then(({ content }) => content).catch((error: Error) => error.message);
  };
  /** Moves the clock on, by little, until a promise is settled: the host polls. */
  const until = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    promise.finally(() => {
      isSettled = true;
    });
    await eventually(() => {
      clock.move(20);
      return isSettled;
    });
    return promise;
  };
  return { run, until, clock, inbox, becomesTask: () => eventually(() => isTask) };
}

/** Work that ends where it is cancelled, or is told to. */
function work() {
  let end = (_: string): void => {};
  const done = new Promise<string>(resolve => {
    end = resolve;
  });
  let isCancelled = false;
  const handler = (call: Call) =>
    call.step('work', ({ signal }) => {
      signal.addEventListener('abort', () => {
        isCancelled = true;
        end('cancelled');
      });
      return done;
    });
  return { handler, end, cancelled: () => eventually(() => isCancelled) };
}

describe.each<Era>(['2025-11-25', '2026-07-28'])('%s: a call that has become a task', era => {
  it('a call that has become a task is cancelled when its server has worked on it for as long as it may', async () => {
    const { handler, cancelled } = work();
    const { run, clock, becomesTask } = await host(era, handler);
    const ended = run({ limitsTask: true });
    await becomesTask();
    clock.move(600_000);
    expect(await ended).toBe('The server did not answer within 600 s.');
    await cancelled();
  });

  it('a call that has become a task may take as long as it needs, unless it is limited', async () => {
    const { handler, end } = work();
    const { run, until, clock, becomesTask } = await host(era, handler);
    const ended = run({});
    await becomesTask();
    clock.move(6_000_000);
    end('at last');
    expect(await until(ended)).toMatchObject([{ text: 'at last' }]);
  });

  it('the time that a person takes does not count for a call that has become a task', async () => {
    const { run, until, clock, inbox } = await host(era, async call => {
      const { action } = await call.elicit({ message: 'Sure?', form: Boolean });
      return action;
    });
    const ended = run({ limitsTask: true });
    const question = await until(nextQuestion(inbox));
    clock.move(660_000);
    await inbox.reply(question.id, { action: 'accept', content: { value: true } }, 'script');
    expect(await until(ended)).toMatchObject([{ text: 'accept' }]);
  });
});
