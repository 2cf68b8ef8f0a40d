/** How calls end that do not end well: cancelled, disconnected, timed out, unanswerable, closed; over every wire. */

import { systemClock } from '@midcall/core/time';
import { type AuditEvent, type Call, type MidcallOptions, midcall } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { connectPair, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { corners } from '../../fixtures/corners.ts';
import { grown } from '../../fixtures/grown.ts';
import { type RawClient, rawClient, textOf } from '../raw-client.ts';

const yes = { action: 'accept', content: { value: true } } as const;
const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const turns = async () => {
  for (let n = 0; n < 20; n++) await new Promise<void>(resolve => setImmediate(resolve));
};

function deferred<T = void>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>(done => {
    resolve = done;
  });
  return { promise, resolve };
}

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

describe.each(corners)('%s over %s', (era, carrier) => {
  async function connect(
    handler: (call: Call) => Promise<string>,
    setup: { answers?: readonly Scripted[]; options?: MidcallOptions; capabilities?: object } = {},
  ) {
    const events: AuditEvent[] = [];
    const mid = midcall({ suspectBelowMs: 0, warn: () => {}, audit: event => events.push(event), ...setup.options });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => says(await handler(call)));
      mid.prompt(server, 'act', {}, async (_, call) => ({
        messages: [{ role: 'user', content: { type: 'text', text: await handler(call) } }],
      }));
      return server;
    };
    const person = scriptedPerson(setup.answers ?? []);
    const capabilities = setup.capabilities ?? { elicitation: {} };
    const pair = await connectPair(factory, { era, carrier, person, capabilities });
    open.push(pair);
    const act = async (signal?: AbortSignal) => {
      const result = await pair.client.callTool({ name: 'act' }, signal ? { signal } : {});
      return { text: (result.content[0] as { text: string }).text, isError: result.isError ?? false };
    };
    return { act, pair, person, events, mid };
  }

  it('a client that cannot be asked means unavailable, and -32021 or an error only where the handler says required', async () => {
    const asks = (required: boolean) => async (call: Call) => {
      const answer = await call.elicit({ message: 'Sure?', form: Boolean, required });
      return `${answer.action} ${'reason' in answer ? answer.reason : ''}`;
    };
    const may = await connect(asks(false), { capabilities: { elicitation: { url: {} } } });
    expect(await may.act()).toEqual({ text: 'cancel unavailable', isError: false });
    const must = await connect(asks(true), { capabilities: {} });
    if (era === '2026-07-28') {
      await expect(must.act()).rejects.toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
      await expect(must.pair.client.getPrompt({ name: 'act' })).rejects.toMatchObject({ code: -32021 });
    } else {
      expect(await must.act()).toMatchObject({ isError: true, text: expect.stringContaining('cannot show a form') });
    }
  });

  it('a demand no switched-on channel can meet asks nobody, and is no missing capability', async () => {
    const demand = (required: boolean) => async (call: Call) => {
      const answer = await call.elicit({ message: 'Sure?', form: Boolean, assurance: 'out-of-band', required });
      return `${answer.action} ${'reason' in answer ? answer.reason : ''}`;
    };
    const may = await connect(demand(false));
    expect(await may.act()).toEqual({ text: 'cancel unavailable', isError: false });
    expect(may.person.asked).toEqual([]);
    const must = await connect(demand(true));
    expect(await must.act()).toMatchObject({ isError: true, text: expect.stringContaining('no enabled channel') });
  });

  it('an answer that must be verified is refused where nobody knows whose call it is', async () => {
    const { act, person } = await connect(
      async call => (await call.elicit({ message: 'Sure?', form: Boolean, assurance: 'verified' })).action,
    );
    const { text, isError } = await act();
    expect(person.asked).toEqual([]);
    // In one process the person is the one who runs it; over HTTP without the option it is nobody.
    if (carrier === 'http')
      expect({ text, isError }).toMatchObject({ isError: true, text: expect.stringContaining('principal') });
    else expect({ text, isError }).toEqual({ text: 'cancel', isError: false });
  });

  it('an answer too fast for a person is marked, and does not count where a level is demanded', async () => {
    const asks = (assurance?: 'in-band') => async (call: Call) => {
      const answer = await call.elicit({ message: 'Sure?', form: Boolean, ...(assurance ? { assurance } : {}) });
      return JSON.stringify([answer.action, 'reason' in answer ? answer.reason : '', answer.by.suspect ?? '']);
    };
    const options = { suspectBelowMs: 1e9 };
    expect((await (await connect(asks(), { answers: [yes], options })).act()).text).toBe('["accept","","too-fast"]');
    expect((await (await connect(asks('in-band'), { answers: [yes], options })).act()).text).toBe(
      '["cancel","suspect","too-fast"]',
    );
    for (const action of ['decline', 'cancel'] as const) {
      const reason = action === 'cancel' ? 'dismissed' : '';
      const said = async (assurance?: 'in-band') =>
        (await (await connect(asks(assurance), { answers: [{ action }], options })).act()).text;
      expect(await said()).toBe(JSON.stringify([action, reason, 'too-fast']));
      expect(await said('in-band')).toBe('["cancel","suspect","too-fast"]');
    }
  });

  it('a handler that loops until somebody agrees ends, also where nobody can be asked or a decline stands', async () => {
    const insist = async (call: Call) => {
      for (;;) {
        const answer = await call.elicit({ message: 'Agree?', form: Boolean });
        if (answer.action === 'accept') return 'agreed';
      }
    };
    const nobody = await connect(insist, { capabilities: {} });
    expect(await nobody.act()).toMatchObject({ isError: true, text: expect.stringContaining('asked twice') });
    const declined = await connect(insist, { answers: [{ action: 'decline' }] });
    expect(await declined.act()).toMatchObject({ isError: true, text: expect.stringContaining('asked twice') });
    expect(declined.person.asked).toHaveLength(1);
  });

  it('a decline heard while a step beside it ran is the same on replay', async () => {
    const { act, person } = await connect(
      async call => {
        const both = await Promise.all([
          call.elicit({ message: 'Q?', form: Boolean }),
          call.step('slow', turns).then(() => call.elicit({ message: 'Q?', form: Boolean })),
        ]);
        const last = await call.elicit({ message: 'Last?', form: Boolean });
        return [...both, last].map(each => each.action).join();
      },
      { answers: [{ action: 'decline' }, { action: 'decline' }, yes] },
    );
    expect((await act()).text).toBe('decline,decline,accept');
    expect(person.asked).toHaveLength(3);
  });

  it('what a handler changes in an answer or a step’s result changes nothing that was recorded', async () => {
    const { act } = await connect(
      async call => {
        const list = (await call.step('list', () => [1, 2])) as number[];
        list.push(3);
        const answer = await call.elicit({
          message: 'Which?',
          form: {
            type: 'object',
            properties: { tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } },
          },
        });
        if (answer.action === 'accept') (answer.content as { tags: string[] }).tags.push('b');
        await call.elicit({ message: 'Sure?', form: Boolean });
        return JSON.stringify([list, answer.action === 'accept' && answer.content]);
      },
      { answers: [{ action: 'accept', content: { tags: ['a'] } }, yes] },
    );
    expect((await act()).text).toBe('[[1,2,3],{"tags":["a","b"]}]');
  });

  it('a question or a step inside a step is an error that says so', async () => {
    const { act } = await connect(call =>
      call.step('outer', async () => (await call.elicit({ message: 'Inner?', form: Boolean })).action).catch(String),
    );
    expect((await act()).text).toContain("step 'outer' called for elicit 'Inner?'");
  });

  it('a step that is not awaited is an error that names it', async () => {
    const { act } = await connect(async call => {
      void call.step('log', turns);
      return 'done';
    });
    expect(await act()).toMatchObject({ isError: true, text: expect.stringContaining("before step 'log' had ended") });
  });

  // On 2026-07-28 nothing of the call is here while the person thinks.
  if (era === '2025-11-25')
    it('a call cancelled with its question open never goes on: its signal stays silent, and what it deferred runs', async () => {
      const ran: string[] = [];
      const deferredRan = deferred();
      const { act, person, events, pair } = await connect(
        async call => {
          call.defer(() => {
            ran.push('defer');
            deferredRan.resolve();
          });
          try {
            const beside = new Promise<never>((_, reject) =>
              call.signal.addEventListener('abort', () => reject(new Error('aborted'))),
            );
            await Promise.all([call.elicit({ message: 'Sure?', form: Boolean }), beside]);
            ran.push('after');
          } catch {
            ran.push('catch');
            await call.step('undo', () => ran.push('undo'));
          } finally {
            ran.push('finally');
            await call.step('tidy', () => ran.push('tidy'));
          }
          return 'done';
        },
        { answers: ['never'] },
      );
      const gone = new AbortController();
      const calling = act(gone.signal).catch(() => 'cancelled');
      await person.whenAsked(1);
      gone.abort();
      expect(await calling).toBe('cancelled');
      await deferredRan.promise;
      await turns();
      expect(ran).toEqual(['defer']);
      expect(events.map(each => each.kind)).toEqual(['asked', 'disconnected', 'ended']);
      expect(events.at(-1)).toMatchObject({ outcome: 'cancelled' });
      // The question is withdrawn from the client as well.
      const withdrawn = () =>
        pair.frames.filter(frame => frame.from === 'server' && frame.message['method'] === 'notifications/cancelled');
      await grown(pair.frames, () => withdrawn().length > 0);
      expect(withdrawn()).toHaveLength(1);
    });

  // A broken stream over HTTP ends nothing; see http.test.ts.
  if (era === '2025-11-25' && carrier !== 'http')
    it('a call whose client disconnects with its question open never goes on, and what it deferred runs', async () => {
      const ran: string[] = [];
      const deferredRan = deferred();
      const { act, person, pair } = await connect(
        async call => {
          call.defer(() => deferredRan.resolve());
          await call.elicit({ message: 'Sure?', form: Boolean }).finally(() => ran.push('finally'));
          return 'done';
        },
        { answers: ['never'] },
      );
      const calling = act().catch(() => 'gone');
      await person.whenAsked(1);
      await pair.client.close();
      expect(await calling).toBe('gone');
      await deferredRan.promise;
      await turns();
      expect(ran).toEqual([]);
    });

  // The deadline of 2026-07-28 is in the state; see state.test.ts.
  if (era === '2025-11-25')
    it('a question not answered in time ends as cancel/timeout, and on 2025-11-25 it is withdrawn', async () => {
      let expire = (): void => {};
      const options: MidcallOptions = {
        clock: {
          ...systemClock,
          after: (ms, fn) => {
            if (ms === 5_000) expire = fn;
            return () => {};
          },
        },
      };
      const { act, person, pair } = await connect(
        async call => {
          const answer = await call.elicit({ message: 'Sure?', form: Boolean, timeoutMs: 5_000 });
          return `${answer.action} ${'reason' in answer ? answer.reason : ''}`;
        },
        { answers: ['never'], options },
      );
      const calling = act();
      await person.whenAsked(1);
      expire();
      expect((await calling).text).toBe('cancel timeout');
      const asked = pair.frames.find(frame => frame.message['method'] === 'elicitation/create');
      const withdrawn = pair.frames.find(
        frame => frame.from === 'server' && frame.message['method'] === 'notifications/cancelled',
      );
      expect(withdrawn?.message['params']).toMatchObject({ requestId: asked?.message['id'] });
    });

  if (era === '2025-11-25')
    it('a state on the 2025 wire is ignored', async () => {
      const { pair, person } = await connect(
        async call => (await call.elicit({ message: 'Sure?', form: Boolean })).action,
        {
          answers: [{ action: 'decline' }],
        },
      );
      const params = { name: 'act', requestState: 'm1.forged', inputResponses: { elicit: yes } };
      const result = await pair.client.callTool(params);
      expect((result.content[0] as { text: string }).text).toBe('decline');
      expect(person.asked).toHaveLength(1);
    });

  it('stop-S1, stop-S3: a stop lets a call that works end, and refuses new ones', async () => {
    const [begun, goOn] = [deferred<string>(), deferred<string>()];
    const { act, mid } = await connect(async call => {
      await call.step('commit', () => {
        begun.resolve('');
        return goOn.promise;
      });
      return 'committed';
    });
    const calling = act();
    await begun.promise;
    let stopped = false;
    const stopping = mid.stop().then(() => {
      stopped = true;
    });
    expect(await act()).toMatchObject({ isError: true, text: expect.stringContaining('stopping') });
    expect(stopped).toBe(false);
    goOn.resolve('');
    expect((await calling).text).toBe('committed');
    await stopping;
  });

  it('stop-S2: a stop does not wait for a person, and says what was done', async () => {
    const answered = deferred<typeof yes>();
    const { act, person, mid } = await connect(
      async call => {
        await call.step('prepare', () => 1);
        return (await call.elicit({ message: 'Sure?', form: Boolean })).action;
      },
      { answers: [() => answered.promise] },
    );
    const calling = act();
    await person.whenAsked(1);
    await mid.stop({ within: Number.MAX_SAFE_INTEGER });
    // On 2026-07-28 nothing of the call is in progress here: its retry is a new request, which is refused.
    answered.resolve(yes);
    const words =
      era === '2025-11-25'
        ? /took the question back\. Done: prepare\. Find out/u
        : /what that call did before stays done/u;
    expect(await calling).toMatchObject({ isError: true, text: expect.stringMatching(words) });
  });

  it('stop-S2: a call that asks while its server stops ends with words that say so', async () => {
    const [begun, goOn] = [deferred<string>(), deferred<string>()];
    const { act, person, mid } = await connect(async call => {
      await call.step('prepare', () => {
        begun.resolve('');
        return goOn.promise;
      });
      return (await call.elicit({ message: 'Sure?', form: Boolean })).action;
    });
    const calling = act();
    await begun.promise;
    const stopping = mid.stop({ within: Number.MAX_SAFE_INTEGER });
    goOn.resolve('');
    expect(await calling).toMatchObject({ isError: true, text: expect.stringMatching(/took the question back/u) });
    expect(person.asked).toHaveLength(0);
    await stopping;
  });

  it('stop-S4: a call that works on when its time is over ends with what is done and what is in doubt', async () => {
    const begun = deferred<string>();
    const { act, mid } = await connect(async call => {
      await call.step('prepare', () => 1);
      await call.step('commit', () => {
        begun.resolve('');
        return new Promise<string>(() => {});
      });
      return 'never';
    });
    const calling = act();
    await begun.promise;
    await mid.stop({ within: 0 });
    expect(await calling).toMatchObject({
      isError: true,
      text: expect.stringMatching(/Done: prepare\. In doubt: step 'commit'\. Find out/u),
    });
  });
});

describe.each(['memory', 'http'] as const)('a retry that is cut off, over %s', carrier => {
  async function serve(handler: (call: Call) => Promise<string>, options: MidcallOptions = {}) {
    const mid = midcall({ key: new Uint8Array(32).fill(3), suspectBelowMs: 0, warn: () => {}, ...options });
    const client = await rawClient(() => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => says(await handler(call)));
      return server;
    }, carrier);
    open.push(client);
    return client;
  }
  const retryOf = async (client: RawClient) => ({
    requestState: (await client.act()).result?.requestState,
    inputResponses: { elicit: yes },
  });
  /** A retry whose client goes away once it has begun. */
  const cutOff = async (client: RawClient, begun: Promise<unknown>, aborted: Promise<unknown>) => {
    const retry = await retryOf(client);
    const gone = new AbortController();
    const cut = client.act(retry, { signal: gone.signal }).catch(() => 'cut');
    await begun;
    gone.abort();
    await aborted;
    return { retry, cut };
  };

  it('a retry that is cut off fires its signal, starts nothing more, and does each step once when the client comes back', async () => {
    const [begun, aborted, ended] = [deferred(), deferred(), deferred()];
    const ran: string[] = [];
    const client = await serve(async call => {
      const answer = await call.elicit({ message: 'Sure?', form: Boolean });
      call.signal.addEventListener('abort', () => aborted.resolve());
      await call.step('one', async () => {
        ran.push('one');
        begun.resolve();
        await ended.promise;
      });
      await call.step('two', () => ran.push('two'));
      return answer.action;
    });
    const { retry, cut } = await cutOff(client, begun.promise, aborted.promise);
    const back = client.act(retry);
    await turns();
    expect(ran).toEqual(['one']);
    ended.resolve();
    expect(textOf(await back)).toBe('accept');
    expect(ran).toEqual(['one', 'two']);
    if (carrier === 'http') expect(await cut).toBe('cut');
  });

  it('a retry that is cut off goes on with the answer that was in time, though its question is over by then', async () => {
    const [begun, aborted, ended] = [deferred(), deferred(), deferred()];
    const ran: string[] = [];
    let laterMs = 0;
    const client = await serve(
      async call => {
        const answer = await call.elicit({ message: 'Sure?', form: Boolean, timeoutMs: 60_000 });
        if (answer.action !== 'accept') return `Not charged: ${answer.action}.`;
        call.signal.addEventListener('abort', () => aborted.resolve());
        await call.step('charge', async () => {
          ran.push('charge');
          begun.resolve();
          await ended.promise;
        });
        await call.step('tell', () => ran.push('tell'));
        return 'Charged.';
      },
      { clock: { ...systemClock, now: () => Date.now() + laterMs } },
    );
    const { retry, cut } = await cutOff(client, begun.promise, aborted.promise);
    laterMs = 90_000;
    const back = client.act(retry);
    await turns();
    ended.resolve();
    expect(textOf(await back)).toBe('Charged.');
    if (carrier === 'http') expect(await cut).toBe('cut');
    expect(ran).toEqual(['charge', 'tell']);
  });

  it('a retry that is cut off is not run again while a step of it is under way: the duplicate is told what is in doubt', async () => {
    const [begun, ended] = [deferred(), deferred()];
    const ran: string[] = [];
    const client = await serve(
      async call => {
        await call.elicit({ message: 'Sure?', form: Boolean });
        await call.step('find', () => ran.push('find'));
        await call.step('charge', async () => {
          ran.push('charge');
          begun.resolve();
          await ended.promise;
        });
        return 'done';
      },
      { duplicateWaitMs: 1_000 },
    );
    const retry = await retryOf(client);
    const first = client.act(retry);
    await begun.promise;
    const duplicate = await client.act(retry);
    expect(duplicate.result?.isError).toBe(true);
    expect(textOf(duplicate)).toContain('has not ended; nothing was run again. Done: find. In doubt: charge.');
    ended.resolve();
    expect(textOf(await first)).toBe('done');
    expect(textOf(await client.act(retry))).toBe('done');
    expect(ran).toEqual(['find', 'charge']);
  });

  it('a retry that another process has followed meanwhile is not said to be made again', async () => {
    const [begun, ended] = [deferred(), deferred()];
    let laterMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + laterMs, after: () => () => {} };
    const options = { clock, store: memoryStore({ clock }) };
    const charge = async (call: Call) => {
      await call.elicit({ message: 'Sure?', form: Boolean });
      await call.step('charge', async () => {
        begun.resolve();
        await ended.promise;
      });
      return 'done';
    };
    const [slow, other] = [await serve(charge, options), await serve(charge, options)];
    const retry = await retryOf(slow);
    const first = slow.act(retry);
    await begun.promise;
    laterMs = 60_000;
    expect(textOf(await other.act(retry))).toContain('In doubt: charge.');
    ended.resolve();
    const told = textOf(await first);
    expect(told).toContain('another went on with this call');
    expect(told).toContain('Find out what took effect before calling again.');
  });
});
