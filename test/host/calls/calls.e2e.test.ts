/** Calls with a person behind them: which call a question is of, time limits, roots, sampling, pages, capabilities. */
import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { SamplingModel } from '@midcall/core/sampling';
import {
  Connection,
  type Era,
  Inbox,
  machineDisk,
  OfferedRoots,
  Policy,
  type Question,
  type Reply,
  urlTarget,
} from '@midcall/host';
import { afterEach, describe, expect, it } from 'vitest';
import { few } from '../../fixtures/soak.ts';
import { handClock } from '../clock.ts';
import { connected, cue, eventsOf, nextQuestion, person, said } from '../person.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(close => close()));
});

async function host(era: Era, options: Parameters<typeof connected>[1] = {}) {
  const made = await connected(era, options);
  open.push(() => made.connection.stop());
  return made;
}

const tool = (name: string, args: Record<string, unknown> = {}) => ({ kind: 'tool' as const, name, arguments: args });

const model: SamplingModel = {
  names: ['parrot'],
  tools: true,
  choose: () => ({ name: 'parrot', why: 'the only one', leftOut: [] }),
  run: async request => ({
    result: {
      role: 'assistant',
      model: 'parrot',
      content: { type: 'text', text: `heard ${JSON.stringify(request.messages)}` },
    },
    usage: { inputTokens: 10, outputTokens: 10, estimated: false },
    notes: [],
  }),
};

async function manager(...directories: string[]): Promise<OfferedRoots> {
  const roots = new OfferedRoots({ disk: machineDisk });
  for (const directory of directories) await roots.add(directory);
  return roots;
}

const temporary = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'calls-')));

describe.each<Era>(few(['2025-11-25', '2026-07-28'], '2025-11-25'))('%s', era => {
  it('the time a person thinks does not count, and a call goes on after an hour of it', async () => {
    const clock = handClock();
    const { connection, inbox } = await host(era, { clock, callTimeoutMs: 60_000 });
    const call = connection.run(tool('form'));
    const question = await nextQuestion(inbox);
    clock.move(3_600_000);
    await inbox.reply(question.id, { action: 'accept', content: { colour: 'red' } }, 'script');
    expect(await call.outcome).toMatchObject({ how: 'completed' });
  });

  it('a server is told of the roots the person granted it, after one question, and of no others', async () => {
    const [a, b] = [temporary(), temporary()];
    const roots = await manager(a, b);
    const { connection, inbox } = await host(era, { roots });
    const me = person(question => ({
      action: 'accept',
      content: { uris: question.kind === 'roots' ? [question.roots[0]!.uri] : [] },
    }));
    inbox.present(me);
    const first = said((await connection.run(tool('roots')).outcome) as never) as { roots: { uri: string }[] };
    const second = said((await connection.run(tool('roots')).outcome) as never);
    expect(first.roots.map(root => root.uri)).toEqual([`file://${a}`]);
    expect(second).toMatchObject({ roots: first.roots });
    expect(me.seen.map(question => question.kind)).toEqual(['roots']);
  });

  it('a refused server is told of no roots, and the person is not asked again after a decline', async () => {
    const roots = await manager(temporary());
    const { connection, inbox } = await host(era, { roots });
    const me = person(() => ({ action: 'decline' }));
    inbox.present(me);
    for (let n = 0; n < 2; n += 1)
      expect(said((await connection.run(tool('roots')).outcome) as never)).toMatchObject({ roots: [] });
    expect(me.seen).toHaveLength(1);
  });

  it('the person sees a sampling request and its reply, may edit either, and is told what is ignored', async () => {
    const { connection, inbox } = await host(era, { sampling: { model } });
    const edited = [{ role: 'user', content: [{ type: 'text', text: 'edited' }] }];
    const answer = (question: Question): Reply =>
      question.kind === 'sampling-request'
        ? { action: 'accept', content: { messages: edited } }
        : { action: 'accept', content: { content: [{ type: 'text', text: 'rewritten' }] } };
    const me = person(answer);
    inbox.present(me);
    const outcome = await connection.run(tool('sample')).outcome;
    expect(said(outcome as never)).toMatchObject({
      role: 'assistant',
      content: { text: 'rewritten' },
      model: 'parrot',
    });
    expect(me.seen).toMatchObject([
      {
        kind: 'sampling-request',
        systemPrompt: 'Be brief.',
        maxTokens: 100,
        ignored: [expect.stringContaining('includeContext')],
      },
      { kind: 'sampling-reply', content: [{ type: 'text', text: expect.stringContaining('edited') }] },
    ]);
  });

  it('refused sampling is answered with -1, or gives the call up where there is nothing to send it to', async () => {
    const { connection, inbox } = await host(era, { sampling: { model } });
    inbox.present(person(() => ({ action: 'decline' })));
    const outcome = await connection.run(tool('sample')).outcome;
    if (era === '2025-11-25') expect(said(outcome as never)).toMatchObject({ code: -1 });
    else expect(outcome).toMatchObject({ how: 'abandoned', message: expect.stringContaining('run it again') });
    const unbalanced = await connection.run(tool('unbalanced')).outcome;
    if (era === '2025-11-25') expect(said(unbalanced as never)).toMatchObject({ code: -32602 });
    else expect(unbalanced).toMatchObject({ how: 'abandoned' });
  });

  it('a rule may allow sampling without a question, and an event says so', async () => {
    const policy = new Policy();
    policy.add({ server: 'asking', subject: 'sampling', effect: 'allow' });
    const { connection, inbox } = await host(era, { sampling: { model }, policy });
    const me = person(() => undefined);
    inbox.present(me);
    const events = eventsOf(connection);
    expect(await connection.run(tool('sample')).outcome).toMatchObject({ how: 'completed' });
    expect([me.seen, events.filter(({ type }) => type === 'allowed')]).toEqual([[], [expect.anything()]]);
  });
});

describe('2025-11-25', () => {
  it('the host takes a question back when the server does', async () => {
    const { connection, inbox } = await host('2025-11-25');
    const now = cue();
    const call = connection.run(tool('withdraw', { when: now.path }));
    const question = await nextQuestion(inbox);
    now.give();
    expect(said((await call.outcome) as never)).toBe('withdrawn');
    expect(inbox.ending(question.id)).toEqual({ how: 'withdrawn' });
  });

  it('a server that does not answer is given up once its own time is over', async () => {
    const clock = handClock();
    const { connection } = await host('2025-11-25', { clock, callTimeoutMs: 60_000 });
    const call = connection.run(tool('slow'));
    while (clock.waiting === 0) await new Promise(setImmediate);
    clock.move(60_000);
    expect(await call.outcome).toMatchObject({ how: 'timed-out' });
  });

  it('elicit-url-16, elicit-url-36: the person is asked for the pages a call needs, then for "I have finished", and the call is tried again', async () => {
    const { connection, inbox } = await host('2025-11-25');
    const me = person(() => ({ action: 'accept' }));
    inbox.present(me);
    expect(said((await connection.run(tool('page-first')).outcome) as never)).toBe('page done');
    expect(me.seen.map(question => question.kind)).toEqual(['url', 'url-finish']);
  });

  it('elicit-url-26: a call is cancelled where the person gives up on the page, and abandoned where it was not opened', async () => {
    const first = await host('2025-11-25');
    first.inbox.present(person(question => (question.kind === 'url' ? { action: 'accept' } : { action: 'decline' })));
    expect(await first.connection.run(tool('page-first')).outcome).toEqual({ how: 'cancelled' });
    const second = await host('2025-11-25');
    second.inbox.present(person(() => ({ action: 'decline' })));
    expect(await second.connection.run(tool('page-first')).outcome).toMatchObject({ how: 'abandoned' });
  });

  it('a question is tied to no call if two run and the wire does not say which', async () => {
    const { connection, inbox } = await host('2025-11-25');
    const slow = connection.run(tool('slow'));
    const form = connection.run(tool('form'));
    const question = await nextQuestion(inbox);
    expect(question.call).toBeUndefined();
    await inbox.reply(question.id, { action: 'decline' }, 'script');
    expect(await form.outcome).toMatchObject({ how: 'completed' });
    slow.cancel();
    await slow.outcome;
  });

  it('each question is tied to its call over HTTP, where two run at once', async () => {
    const url = await everythingOverHttp();
    const inbox = new Inbox();
    const connection = new Connection(
      { id: 'web', target: urlTarget(url) },
      { client: { name: 'midcall-test', version: '1.0.0' }, inbox },
    );
    open.unshift(() => connection.stop());
    await connection.start();
    const calls = [1, 2].map(() => connection.run(tool('trigger-elicitation-request')));
    const asked: Question[] = [];
    inbox.present(person(question => void asked.push(question)));
    while (asked.length < 2) await nextQuestion(inbox);
    expect(new Set(asked.map(question => question.call?.id))).toEqual(new Set(calls.map(call => call.id)));
    for (const question of asked) await inbox.reply(question.id, { action: 'decline' }, 'script');
    for (const call of calls) expect(await call.outcome).toMatchObject({ how: 'completed' });
  });
});

describe('2026-07-28', () => {
  it('questions are tied to their calls where two run at once', async () => {
    const { connection, inbox } = await host('2026-07-28');
    const asked: Question[] = [];
    const both = new Promise<void>(resolve => {
      inbox.present(
        person(question => {
          asked.push(question);
          if (asked.length === 2) resolve();
          return undefined;
        }),
      );
    });
    const calls = [1, 2].map(n => connection.run(tool('form', { n })));
    await both;
    expect(new Set(asked.map(question => question.call?.id))).toEqual(new Set(calls.map(call => call.id)));
    for (const question of asked) await inbox.reply(question.id, { action: 'dismiss' }, 'script');
    for (const call of calls) expect(await call.outcome).toMatchObject({ how: 'completed' });
  });
});

/** Has a process say at which port each of its servers listens. */
const sayPorts = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...words) {
    return listen.apply(this.once('listening', () => console.error('at port', this.address().port)), words);
  };
`)}`;

/** The everything server over Streamable HTTP on a free port; ended with the test. */
async function everythingOverHttp(): Promise<string> {
  const script = fileURLToPath(
    new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
  );
  // The server takes whichever port is free, and says only that it was told 0.
  const child = spawn(process.execPath, ['--import', sayPorts, script, 'streamableHttp'], {
    env: { ...process.env, PORT: '0' },
  });
  open.push(() => child.kill());
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', line => {
      const said = /^at port (\d+)$/.exec(line);
      if (said) resolve(said[1]!);
    });
    child.once('exit', code => reject(new Error(`The everything server has ended with ${code}.`)));
  });
  return `http://127.0.0.1:${port}/mcp`;
}
