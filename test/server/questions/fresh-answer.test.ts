/**
 * What a schema library says of an answer is asked once for each answer that arrives, and recorded: a handler that books the
 * seat it asked for would else be told by the next replay that the seat is taken; see packages/server/src/questions/validated.ts.
 */

import { type FormInput, form } from '@midcall/core/form';
import { systemClock } from '@midcall/core/time';
import { type AuditEvent, type Call, type MidcallOptions, midcall } from '@midcall/server';
import { confirm, connect } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { connectPair, pairings, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { visitor } from '../../connect/visitor.ts';
import { rawClient, textOf } from '../raw-client.ts';

const turn = () => new Promise<void>(resolve => setImmediate(resolve));
const accept = (content: object): Scripted => ({ action: 'accept', content: { ...content } });
const yes = accept({ value: true });

/** A plane, and how often somebody looked whether a seat of it is free. */
function plane() {
  const taken = new Set<string>();
  const looked: string[] = [];
  const free = (seat: string): boolean => {
    looked.push(seat);
    return !taken.has(seat);
  };
  return { taken, looked, free };
}
type Plane = ReturnType<typeof plane>;

const libraries: readonly (readonly [string, (of: Plane) => FormInput])[] = [
  ['Zod', ({ free }) => z.object({ seat: z.string().refine(free, 'This seat is taken.') })],
  [
    'Zod, asynchronously',
    ({ free }) =>
      z.object({
        seat: z.string().refine(async seat => {
          await turn();
          return free(seat);
        }, 'This seat is taken.'),
      }),
  ],
  [
    'Zod, around a compiled form',
    ({ free }) => form(z.object({ seat: z.string() }).refine(({ seat }) => free(seat), 'This seat is taken.')),
  ],
  [
    'Valibot',
    ({ free }) =>
      toStandardJsonSchema(v.object({ seat: v.pipe(v.string(), v.check(free, 'This seat is taken.')) })) as FormInput,
  ],
  [
    'ArkType',
    ({ free }) =>
      type({ seat: 'string' }).narrow(
        ({ seat }, context) => free(seat) || context.mustBe('free'),
      ) as unknown as FormInput,
  ],
];

interface Setup {
  readonly answers: readonly Scripted[];
  readonly options?: MidcallOptions;
  readonly capabilities?: object;
}

describe.each(pairings)('%s over %s', (era, carrier) => {
  async function connected(handler: (call: Call) => Promise<string>, { answers, options, capabilities }: Setup) {
    const mid = midcall({ suspectBelowMs: 0, warn: () => {}, ...options });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => ({ content: [{ type: 'text', text: await handler(call) }] }));
      return server;
    };
    const person = scriptedPerson(answers, { repeat: true });
    const pair = await connectPair(factory, { era, carrier, person, ...(capabilities ? { capabilities } : {}) });
    const call = async (name = 'act', args: Record<string, unknown> = {}) =>
      ((await pair.client.callTool({ name, arguments: args })).content[0] as { text: string }).text;
    return { call, person, close: () => pair.close() };
  }
  async function act(handler: (call: Call) => Promise<string>, setup: Setup): Promise<string> {
    const { call, close } = await connected(handler, setup);
    const text = await call();
    await close();
    return text;
  }

  /** Asks for a seat, books it, and asks two things more, so that the whole is replayed. */
  const booking =
    (of: Plane, input: FormInput, asked: { seat?: unknown } = {}) =>
    async (call: Call) => {
      const answer = await call.elicit({ message: 'Which seat?', form: input });
      if (answer.action !== 'accept') return `no seat: ${answer.action}`;
      asked.seat = answer.content;
      const { seat } = answer.content as { seat: string };
      await call.step('book', () => void of.taken.add(seat));
      const meal = await call.elicit({ message: 'With a meal?', form: Boolean });
      const bag = await call.elicit({ message: 'With a bag?', form: Boolean });
      return `${seat} ${meal.action} ${bag.action}`;
    };

  it.each(libraries)(
    '%s is asked once about an answer, and what the handler took since is its own',
    async (_, make) => {
      const of = plane();
      expect(await act(booking(of, make(of)), { answers: [accept({ seat: '12A' }), yes] })).toBe('12A accept accept');
      expect(of.looked).toEqual(['12A']);
    },
  );

  it.each(libraries)('%s is asked once about each answer, and a bad one is asked again', async (_, make) => {
    const of = plane();
    of.taken.add('1A');
    const answers = [accept({ seat: '1A' }), accept({ seat: '12A' }), yes];
    expect(await act(booking(of, make(of)), { answers })).toBe('12A accept accept');
    expect(of.looked).toEqual(['1A', '12A']);
  });

  it('what a library makes of an answer is recorded with it', async () => {
    let ran = 0;
    const seats = z.object({
      seat: z.string().transform(seat => {
        ran += 1;
        return { row: Number.parseInt(seat, 10), drawn: ran };
      }),
    });
    const text = await act(
      async call => {
        const answer = await call.elicit({ message: 'Which seat?', form: seats });
        await call.elicit({ message: 'With a meal?', form: Boolean });
        return JSON.stringify(answer.action === 'accept' && answer.content);
      },
      { answers: [accept({ seat: '12A' }), yes] },
    );
    expect(text).toBe('{"seat":{"row":12,"drawn":1}}');
    expect(ran).toBe(1);
  });

  it('what a library makes of an answer is refused where JSON would lose it, with its path', async () => {
    const when = z.object({ when: z.iso.date().transform(text => new Date(text)) });
    const text = await act(async call => (await call.elicit({ message: 'When?', form: when })).action, {
      answers: [accept({ when: '2026-08-01' })],
    });
    expect(text).toContain('makes a Date at content.when, which JSON cannot carry');
  });

  it('a library that fails is asked once about an answer, too', async () => {
    let asked = 0;
    const failing = z.object({
      seat: z.string().refine(() => {
        asked += 1;
        throw new Error('The airline does not answer.');
      }),
    });
    const text = await act(
      async call => {
        const failed = await call.elicit({ message: 'Which seat?', form: failing }).catch((error: Error) => error);
        await call.elicit({ message: 'With a meal?', form: Boolean });
        return failed instanceof Error ? failed.message : failed.action;
      },
      { answers: [accept({ seat: '12A' }), yes] },
    );
    expect(text).toBe('The airline does not answer.');
    expect(asked).toBe(1);
  });

  it('a question beside another does not leave while the library is looking', async () => {
    const of = plane();
    let release = (): void => {};
    const looking = new Promise<void>(resolve => {
      release = resolve;
    });
    const slow = z.object({
      seat: z.string().refine(async seat => {
        await looking;
        return of.free(seat);
      }),
    });
    const { call, person, close } = await connected(
      async each => {
        const seat = each.elicit({ message: 'Which seat?', form: slow });
        const both = await Promise.all([
          seat,
          seat.then(() => each.elicit({ message: 'With a meal?', form: Boolean })),
        ]);
        return both.map(({ action }) => action).join();
      },
      { answers: [accept({ seat: '12A' }), yes] },
    );
    const result = call();
    await person.whenAsked(1);
    for (let n = 0; n < 20; n++) await turn();
    expect(person.asked).toHaveLength(1);
    release();
    expect(await result).toBe('accept,accept');
    expect(of.looked).toEqual(['12A']);
    await close();
  });

  it('the audit has the handler’s steps alone, and no word of the question', async () => {
    const of = plane();
    const audit: AuditEvent[] = [];
    const input = z.object({ seat: z.string().refine(of.free) });
    await act(booking(of, input), { answers: [accept({ seat: '12A' }), yes], options: { audit: e => audit.push(e) } });
    const steps = audit.flatMap(event => ('step' in event ? [event.step] : []));
    expect(new Set(steps)).toEqual(new Set(['book']));
    expect(JSON.stringify(audit)).not.toContain('seat');
  });

  it('an answer that comes with a ticket is judged once, in whichever request', async () => {
    const of = plane();
    const input = z.object({ seat: z.string().refine(of.free) });
    const relay = { channels: ['native', 'relay'] } as const;
    const { call, close } = await connected(
      async each => {
        const first = await each.elicit({ message: 'Which seat?', form: input, ...relay });
        if (first.action !== 'accept') return first.action;
        await each.step('book', () => void of.taken.add(first.content.seat));
        const second = await each.elicit({ message: 'With a meal?', form: Boolean, ...relay });
        return `${first.content.seat} ${second.action}`;
      },
      { answers: [], options: relay, capabilities: {} },
    );
    const ticketIn = (text: string) => /ticket "([^"]+)"/.exec(text)?.[1];
    const seat = { ticket: ticketIn(await call()), action: 'accept', content: { seat: '12A' } };
    const meal = { ticket: ticketIn(await call('resume', seat)), action: 'accept', content: { value: true } };
    expect(await call('resume', meal)).toBe('12A accept');
    expect(of.looked).toEqual(['12A']);
    await close();
  });

  if (carrier !== 'http')
    it('an answer that comes from a page is judged once', async () => {
      const of = plane();
      const input = z.object({ seat: z.string().refine(of.free) });
      const pages = connect({ name: 'Air', reach: { kind: 'here', browser: false } });
      const finish: Scripted = async ({ params }) => {
        const person = visitor(params['url'] as string);
        await person.get();
        const code = /code for the page: ([A-Z0-9-]+)/.exec(params['message'] as string)?.[1] ?? '';
        await person.send({ do: 'code', code });
        await person.send({ q0: '12A' });
        return { action: 'accept' };
      };
      const text = await act(
        async call => {
          const answer = await call.elicit({ message: 'Which seat?', form: input, assurance: 'out-of-band' });
          if (answer.action !== 'accept') return answer.action;
          await call.step('book', () => void of.taken.add(answer.content.seat));
          const sure = await call.elicitUrl({ message: 'Sure?', page: confirm() });
          return `${answer.content.seat} ${sure.action}`;
        },
        {
          answers: [
            finish,
            async ({ params }) => {
              const person = visitor(params['url'] as string);
              await person.get();
              const code = /code for the page: ([A-Z0-9-]+)/.exec(params['message'] as string)?.[1] ?? '';
              await person.send({ do: 'code', code });
              await person.send({});
              return { action: 'accept' };
            },
          ],
          options: { pages },
          capabilities: { elicitation: { form: {}, url: {} } },
        },
      );
      await pages.close();
      expect(text).toBe('12A accept');
      expect(of.looked).toEqual(['12A']);
    });
});

it('a process that died after the handler acted leaves the record to the next attempt', async () => {
  let now = 1_000_000;
  const store = memoryStore({ clock: { now: () => now } });
  const of = plane();
  let begin = (): void => {};
  const begun = new Promise<void>(resolve => {
    begin = resolve;
  });
  const input = z.object({ seat: z.string().refine(of.free, 'This seat is taken.') });
  const process = (dies: boolean) => {
    const mid = midcall({
      key: new Uint8Array(32).fill(7),
      store,
      suspectBelowMs: 0,
      warn: () => {},
      // What died shows no presence any more.
      clock: { ...systemClock, now: () => now, ...(dies && { after: () => () => {} }) },
    });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => {
        const answer = await call.elicit({ message: 'Which seat?', form: input });
        if (answer.action !== 'accept') return { content: [{ type: 'text', text: answer.action }] };
        await call.step('book', () => void of.taken.add(answer.content.seat), { idempotent: true });
        begin();
        if (dies) await new Promise(() => {});
        return { content: [{ type: 'text', text: `booked ${answer.content.seat}` }] };
      });
      return server;
    };
    return factory;
  };
  await using first = await rawClient(process(true), 'memory');
  const { requestState } = (await first.act()).result!;
  const retry = { requestState, inputResponses: { elicit: { action: 'accept', content: { seat: '12A' } } } };
  void first.act(retry);
  await begun;
  now += 60_000;
  await using second = await rawClient(process(false), 'memory');
  expect(textOf(await second.act(retry))).toBe('booked 12A');
  expect(of.looked).toEqual(['12A']);
});
