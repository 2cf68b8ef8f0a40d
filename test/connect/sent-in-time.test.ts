/**
 * A page that is sent just in time, and takes until after that to be finished: the call waits for what becomes of it, and never
 * says that nothing was done.
 */
import { midcall, whyNot } from '@midcall/server';
import { connect, html, type PageKind } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { handClock } from '../host/clock.ts';
import { fixture, told } from './fixture.ts';
import { pastCode } from './visitor.ts';

/** Something that a test waits for, or lets happen. */
function sign() {
  let give = (): void => {};
  const given = new Promise<void>(resolve => {
    give = resolve;
  });
  return { give, given };
}

/** A kind of page whose work the test ends. */
function slow() {
  const [begun, released] = [sign(), sign()];
  const view = { title: 'Send it?', send: 'Send', body: html`<p>Once.</p>` };
  const kind: PageKind = {
    name: 'slow',
    show: () => view,
    submit: () => ({
      async finish() {
        begun.give();
        await released.given;
        return { sent: true };
      },
    }),
  };
  return { kind, begun: begun.given, release: released.give };
}

const page = { kind: 'slow', data: null };
const turn = () => new Promise(resolve => setImmediate(resolve));
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await turn();
}

describe.each(eras)('%s', era => {
  async function sentInTime() {
    const { kind, begun, release } = slow();
    const clock = handClock(Date.now());
    const made = await fixture({
      era,
      connect: { kinds: [kind] },
      // A request is held for longer than this takes; without a limit if the client hears of its progress.
      midcall: { clock, holdMs: 3_600_000 },
      handler: async call => {
        const answer = await call.elicitUrl({ message: 'Send it?', page, assurance: 'in-band', timeoutMs: 60_000 });
        return answer.action === 'accept' ? told(answer) : `${told(answer)}: ${whyNot(answer)}`;
      },
    });
    let end: string | undefined;
    const call = made.call().then(text => {
      end = text;
    });
    const person = await pastCode(await made.whenAsked(1));
    // The loopback server closes a minute after the last page's time, and with this one.
    const look = person.send({}).catch(() => undefined);
    await begun;
    clock.move(60_000);
    await turns(50);
    return { clock, release, look, call, end: () => end };
  }

  it('a page that is still being finished when its time is up is waited for', async () => {
    const { release, look, call, end } = await sentInTime();
    expect(end()).toBeUndefined();
    release();
    await call;
    expect([end(), (await look)?.title]).toEqual(['accept {"sent":true} page out-of-band', 'This is done']);
  });

  it('a page that is not finished a minute after its time may have been done, and the model hears so', async () => {
    const { clock, call, end } = await sentInTime();
    for (let n = 0; n < 59; n++) {
      clock.move(1_000);
      await turns(5);
    }
    expect(end()).toBeUndefined();
    clock.move(1_000);
    await call;
    expect(end()).toBe(
      'cancel error page in-band: the page failed or was taken back. If it had been sent, it may be done: find out before trying again.',
    );
  });
});

/** A prompt that asks on a page, which is sent and not finished. */
async function promptWith(era: '2025-11-25' | '2026-07-28', options: object, store = memoryStore()) {
  const { kind, begun, release } = slow();
  const pages = connect({ name: 'Notes', reach: { kind: 'here', browser: false }, kinds: [kind] });
  const clock = handClock(Date.now());
  const mid = midcall({
    ...{ key: Buffer.alloc(32, 7), pages, store, suspectBelowMs: 0, warn() {}, onError() {}, clock },
    ...options,
  });
  const factory = () => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.prompt(server, 'write', {}, async (_, call) => {
      const answer = await call.elicitUrl({ message: 'Send it?', page, assurance: 'in-band' });
      return told(answer);
    });
    return server;
  };
  const person = scriptedPerson([{ action: 'accept' }]);
  const pair = await connectPair(factory, { era, capabilities: { elicitation: { url: {} } }, person });
  onTestFinished(async () => {
    release();
    await pair.close();
    await pages.close();
  });
  const result = pair.client.getPrompt({ name: 'write' }).then(
    ({ messages }) => (messages[0]!.content as { text: string }).text,
    (error: Error) => error.message,
  );
  const visitor = await pastCode((await person.whenAsked(1)) as never);
  // A server that stops closes its pages.
  void visitor.send({}).catch(() => {});
  await begun;
  return { mid, clock, release, result };
}

it('2026-07-28: a page that is still being finished is waited for where nothing can go on with the call later', async () => {
  const memory = memoryStore();
  const givenUp = sign();
  const store = {
    ...memory,
    async set(...[key, value, how]: Parameters<typeof memory.set>) {
      const isSet = await memory.set(key, value, how);
      if (key.startsWith('page-turn:') && value === 'withdrawn') givenUp.give();
      return isSet;
    },
  };
  const { clock, release, result } = await promptWith('2026-07-28', { maxRounds: 2, holdMs: 5 }, store);
  let isGivenUp = false;
  void givenUp.given.then(() => {
    isGivenUp = true;
  });
  while (!isGivenUp) {
    clock.move(5);
    await turn();
  }
  await turns(50);
  release();
  expect(await result).toBe('accept {"sent":true} page out-of-band');
});

it.each([
  ['2025-11-25', {}],
  ['2026-07-28', { key: undefined, store: undefined }],
] as const)('%s: a server that stops while a page is being finished says that it may be done', async (era, options) => {
  const { mid, result } = await promptWith(era, options);
  await mid.stop({ within: 60_000 });
  expect(await result).toBe(
    "This server stopped while 'Send it?' was being finished, and may be done. No step of it is done. " +
      'Find out what took effect before calling again.',
  );
});
