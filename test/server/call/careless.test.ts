/** Handlers that no guide allows: each ends with a result or a clear error, on every wire, and the server lives on. */

import { type Call, midcall } from '@midcall/server';
import { connectPair, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { corners } from '../../fixtures/corners.ts';

const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const turn = () => new Promise<void>(resolve => setImmediate(resolve));
const yes = { action: 'accept', content: { value: true } } as const;
const sure = { message: 'Sure?', form: Boolean } as const;
const tooLong = { message: 'x'.repeat(3_000), form: Boolean } as const;

describe.each(corners)('%s over %s', (era, carrier) => {
  async function connect(handler: (call: Call) => unknown) {
    const told: string[] = [];
    const onError = (error: unknown): void => void told.push((error as Error).message);
    const mid = midcall({ suspectBelowMs: 0, warn: () => {}, onError });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => {
        const result = await handler(call);
        return (typeof result === 'string' ? says(result) : result) as never;
      });
      mid.prompt(server, 'act', {}, async (_, call) => (await handler(call)) as never);
      mid.tool(server, 'fine', {}, async () => says('fine'));
      return server;
    };
    const person = scriptedPerson([yes], { repeat: true });
    const pair = await connectPair(factory, { era, carrier, person });
    const act = () =>
      pair.client.callTool({ name: 'act' }).then(
        result => ({ text: (result.content as { text: string }[])[0]?.text, isError: result.isError ?? false }),
        (error: Error) => ({ text: error.message, isError: true }),
      );
    const prompt = () =>
      pair.client.getPrompt({ name: 'act' }).then(
        () => 'given',
        (error: Error) => error.message,
      );
    return {
      act,
      prompt,
      person,
      /** The messages of what `onError` was given. */
      told,
      /** Every call has ended, and others are served as before. */
      async [Symbol.asyncDispose]() {
        const fine = await pair.client.callTool({ name: 'fine' });
        expect(fine.content).toEqual([{ type: 'text', text: 'fine' }]);
        await pair.close();
        await mid.stop();
      },
    };
  }

  it.each([
    [
      'at once',
      async () => {
        throw undefined;
      },
    ],
    [
      'after an answer',
      async (call: Call) => {
        await call.elicit(sure);
        throw undefined;
      },
    ],
    [
      'null, in a step',
      async (call: Call) => {
        await call.elicit(sure);
        await call.step('s', () => {
          throw null;
        });
      },
    ],
  ])('throwing nothing %s is an error like any other', async (_, handler) => {
    await using made = await connect(handler as never);
    expect(await made.act()).toMatchObject({ isError: true });
    expect(await made.prompt()).not.toBe('given');
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
  ])('returning %s is an error that says what to return', async (what, returned) => {
    await using made = await connect((() => returned) as never);
    const said = JSON.stringify(await made.act());
    expect(said).toContain(`returned ${what}. Return a string or { content: [`);
    expect(said).toContain('isError');
    expect(await made.prompt()).not.toBe('given');
  });

  const circular = () => {
    const result: Record<string, unknown> = says('round');
    result['_meta'] = { result };
    return result;
  };
  it.each<[string, () => unknown]>([
    ['goes in circles', circular],
    ['holds a bigint', () => ({ content: [], structuredContent: { n: 1n } })],
    [
      'throws when it is read',
      () => ({
        content: [],
        get structuredContent() {
          throw new Error('no');
        },
      }),
    ],
    [
      'throws when it is written',
      () => ({
        content: [],
        structuredContent: {
          toJSON() {
            throw new Error('no');
          },
        },
      }),
    ],
  ])('a result that %s is an error, at once and after an answer', async (_, result) => {
    await using atOnce = await connect(result);
    expect(await atOnce.act()).toMatchObject({ isError: true, text: expect.stringContaining('JSON') });
    expect(await atOnce.prompt()).not.toBe('given');
    await using later = await connect(async call => {
      await call.elicit(sure);
      return result();
    });
    expect(await later.act()).toMatchObject({ isError: true, text: expect.stringContaining('JSON') });
    expect(await later.prompt()).not.toBe('given');
  });

  it('an operation that fails while another is awaited takes no process along', async () => {
    await using made = await connect(async call => {
      const [first, second] = [call.elicit(sure), call.elicit(tooLong)];
      await first;
      return (await second).action;
    });
    expect(await made.act()).toMatchObject({ isError: true, text: expect.stringContaining('2000 characters') });
  });

  it('an operation that fails and that nobody awaited is told, instead of success', async () => {
    await using made = await connect(async call => {
      void call.step('delete', () => {
        throw new Error('no disk');
      });
      await turn();
      return 'Deleted.';
    });
    expect(await made.act()).toMatchObject({ isError: true, text: expect.stringMatching(/step 'delete'.*no disk/) });
  });

  it('an operation whose failure was caught is the handler’s own business', async () => {
    await using made = await connect(async call => {
      const [kept] = await Promise.allSettled([call.step('delete', () => Promise.reject(new Error('no disk')))]);
      return `${kept.status}, ${await call.elicit(tooLong).catch(() => 'caught')}`;
    });
    expect(await made.act()).toEqual({ text: 'rejected, caught', isError: false });
  });

  it('asks in finally, in a getter, in a proxy and in an async generator are asks like any other', async () => {
    await using made = await connect(async call => {
      const got: string[] = [];
      const ask = async (n: number) => (await call.elicit({ message: `Sure ${n}?`, form: Boolean })).action;
      try {
        got.push(
          await {
            get answer() {
              return ask(1);
            },
          }.answer,
        );
        got.push(await (new Proxy({}, { get: () => ask(2) }) as { any: Promise<string> }).any);
        async function* each() {
          try {
            yield await ask(3);
            yield await ask(4);
          } finally {
            got.push(await ask(5));
          }
        }
        for await (const one of each()) {
          got.push(one);
          break;
        }
        throw new Error('away');
      } catch {
        got.push('caught');
      } finally {
        got.push(await ask(6));
      }
      return got.join();
    });
    expect(await made.act()).toEqual({ text: 'accept,accept,accept,accept,caught,accept', isError: false });
    expect(made.person.asked).toHaveLength(5);
  });

  it.each<[string, (answer: { readonly action: string; readonly content: { readonly value: boolean } }) => unknown]>([
    ['action', answer => answer.action],
    ['content', answer => answer.content.value],
  ])(
    'a handler that forgets to await a question, and reads %s of its promise, does not act as after a yes',
    async (member, read) => {
      for (const ask of [
        (call: Call) => call.elicit(sure),
        (call: Call) => call.wizard({ message: 'Sure?', forms: { sure: { title: 'Sure?', form: Boolean } } }),
      ]) {
        let deleted = 0;
        await using made = await connect(async call => {
          const answer = ask(call) as never as Parameters<typeof read>[0];
          if (read(answer) === 'decline') return 'Kept.';
          if (read(answer) === 'cancel') return 'Kept.';
          await call.step('delete', () => ++deleted);
          return 'Deleted.';
        });
        const { text, isError } = await made.act();
        expect(text).toMatch(
          new RegExp(`read '${member}' from the promise that call\\.(elicit|wizard).*Write 'await'`),
        );
        expect({ isError, deleted, asked: made.person.asked }).toEqual({ isError: true, deleted: 0, asked: [] });
      }
    },
  );

  it('a handler that takes a promise for its value is told what it did not await, not only that undefined has no properties', async () => {
    await using made = await connect(async call => {
      const found = call.step('find', async () => [turn()].length) as never as readonly { readonly id: string }[];
      return found[0]!.id;
    });
    const said = await made.act();
    expect(said).toMatchObject({
      isError: true,
      text: expect.stringMatching(/while step 'find' was open and not awaited/),
    });
    expect(said.text).toContain('undefined');
  });

  it('an error of a handler that awaits all of its operations is told as it is', async () => {
    await using made = await connect(async call => {
      const fails = async () => {
        await call.step('look', () => 1);
        throw new TypeError('wrong type');
      };
      await Promise.all([call.elicit(sure), fails()]);
    });
    expect(await made.act()).toEqual({ text: 'wrong type', isError: true });
  });

  it('a call that is used after its end starts nothing, and nothing is asked', async () => {
    let kept: Call | undefined;
    const ran: string[] = [];
    await using made = await connect(async call => {
      kept = call;
      return 'ended';
    });
    expect((await made.act()).text).toBe('ended');
    const { step, elicit } = kept!;
    void step('late', () => ran.push('late'));
    void elicit(sure);
    void kept!.files().then(files => files.write('/tmp/x', 'x'));
    kept!.defer(() => void ran.push('deferred'));
    for (let n = 0; n < 10; n++) await turn();
    expect(ran).toEqual(['deferred']);
    expect(made.person.asked).toEqual([]);
    expect(made.told).toEqual([
      expect.stringMatching(/^The handler had returned when 'late' was begun, so nothing was done/),
    ]);
  });

  it('a branch that goes on after another has failed is not reported', async () => {
    const ran: string[] = [];
    await using made = await connect(async call => {
      const slow = async () => {
        await turn();
        await call.step('slow', () => ran.push('slow'));
      };
      await Promise.all([slow(), Promise.reject(new Error('no disk'))]);
    });
    expect(await made.act()).toEqual({ text: 'no disk', isError: true });
    for (let n = 0; n < 5; n++) await turn();
    expect(ran).toEqual([]);
    expect(made.told).toEqual(['no disk']);
  });

  it('equal steps in a row are each done once, in order', async () => {
    let n = 0;
    await using made = await connect(async call => {
      const first = await call.step('same', () => ++n);
      await call.elicit(sure);
      return `${first},${await call.step('same', () => ++n)},${await call.step('same', () => ++n)}`;
    });
    expect((await made.act()).text).toBe('1,2,3');
  });
});

it('a server that is wrapped too late is told so, also where a factory hides the error', () => {
  const warned: string[] = [];
  const told: unknown[] = [];
  const mid = midcall({ warn: text => warned.push(text), onError: error => void told.push(error) });
  const server = new McpServer({ name: 's', version: '1.0.0' });
  server.registerTool('plain', {}, () => says('plain'));
  expect(() => mid.tool(server, 'asks', {}, () => says('asked'))).toThrow('call mid.wrap(server) before');
  expect(told).toEqual([
    expect.objectContaining({
      message: expect.stringContaining('call mid.wrap(server) before the first registration'),
    }),
  ]);
  expect(warned).toEqual([]);
});
