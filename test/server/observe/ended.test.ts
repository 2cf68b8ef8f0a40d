/** The audit says how every call ended, and of a question that it was asked only where it left; `onError` gets the error. */

import { type AuditEvent, type Call, type CallRef, type MidcallOptions, midcall } from '@midcall/server';
import { confirm, connect } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { connectPair, pairings, type Scripted, scriptedPerson } from '@midcall/testing';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { grown } from '../../fixtures/grown.ts';
import { rawClient, textOf } from '../raw-client.ts';

const yes: Scripted = { action: 'accept', content: { value: true } };
const canary = 'what-the-person-typed';
const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const sure = { message: 'Sure?', form: Boolean } as const;

/** A record of everything an operator is told. */
function operator() {
  const audit: AuditEvent[] = [];
  const errors: { readonly error: unknown; readonly call: CallRef | undefined }[] = [];
  const warned: string[] = [];
  return {
    audit,
    errors,
    warned,
    options: {
      audit: (event: AuditEvent) => void audit.push(event),
      onError: (error: unknown, call: CallRef | undefined) => void errors.push({ error, call }),
      warn: (message: string) => void warned.push(message),
    } satisfies MidcallOptions,
    ended: () => audit.flatMap(event => (event.kind === 'ended' ? [pick(event)] : [])),
    asked: () => audit.flatMap(event => (event.kind === 'asked' ? [event.channel] : [])),
  };
}

const pick = ({ outcome, code, isError }: AuditEvent & { kind: 'ended' }) => ({
  outcome,
  ...(code === undefined ? {} : { code }),
  ...(isError ? { isError } : {}),
});

interface Setup {
  readonly options?: MidcallOptions;
  readonly answers?: readonly Scripted[];
  readonly capabilities?: object;
}

describe.each(pairings)('%s over %s', (era, carrier) => {
  async function connected(handler: (call: Call) => unknown, { options, answers = [yes], capabilities }: Setup = {}) {
    const told = operator();
    const key = new Uint8Array(32).fill(7);
    const mid = midcall({ key, suspectBelowMs: 0, ...told.options, ...options });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', { inputSchema: z.object({ n: z.number().optional() }) }, async (_, call) => {
        const result = await handler(call);
        return (typeof result === 'string' ? says(result) : result) as never;
      });
      mid.tool(server, 'typed', { outputSchema: z.object({ n: z.number() }) }, () => ({
        ...says('typed'),
        structuredContent: { n: 'not a number' },
      }));
      server.registerTool('plain', {}, () => ({ ...says('plain'), isError: true }));
      mid.prompt(server, 'act', {}, async (_, call) => (await handler(call)) as never);
      return server;
    };
    const person = scriptedPerson(answers, { repeat: true });
    const pair = await connectPair(factory, { era, carrier, person, ...(capabilities ? { capabilities } : {}) });
    const call = (name = 'act', args: Record<string, unknown> = {}, signal?: AbortSignal) =>
      pair.client.callTool({ name, arguments: args }, signal ? { signal } : {}).then(
        ({ content }) => (content as { text: string }[])[0]?.text ?? '',
        (error: Error) => `error: ${error.message}`,
      );
    return { ...told, call, person, pair, mid };
  }

  it('a call that asks ends once, with its last round', async () => {
    const made = await connected(async call => {
      const answer = await call.elicit(sure);
      await call.step('do', () => 1);
      return answer.action;
    });
    expect(await made.call()).toBe('accept');
    expect(made.audit.map(({ kind }) => kind)).toEqual(['asked', 'answered', 'step-begun', 'step-ended', 'ended']);
    expect(new Set(made.audit.map(({ call }) => call.flow)).size).toBe(1);
    expect(made.ended()).toEqual([{ outcome: 'done' }]);
    expect(made.errors).toEqual([]);
    await made.pair.close();
  });

  it('an error that a handler returns itself is audited as done, and is no error of ours', async () => {
    const made = await connected(() => ({ ...says('No such note.'), isError: true }));
    await made.call();
    expect(made.ended()).toEqual([{ outcome: 'done', isError: true }]);
    expect(made.errors).toEqual([]);
    await made.pair.close();
  });

  it('a handler that throws shows with its stack, and without its text in the audit', async () => {
    const thrown = Object.assign(new Error(`Cannot use ${canary}`), { code: 'EACCES' });
    const made = await connected(async call => {
      await call.elicit(sure);
      throw thrown;
    });
    expect(await made.call()).toContain(canary);
    expect(made.ended()).toEqual([{ outcome: 'failed', code: 'EACCES' }]);
    expect(made.errors).toEqual([{ error: thrown, call: expect.objectContaining({ name: 'act' }) }]);
    expect((made.errors[0]!.error as Error).stack).toContain('ended.test.ts');
    expect(made.errors[0]!.call).toEqual(made.audit.at(-1)!.call);
    expect(JSON.stringify(made.audit)).not.toContain(canary);
    await made.pair.close();
  });

  it.each<[what: string, thrown: unknown]>([
    ['nothing', undefined],
    ['a text', canary],
    ['an error whose code is a text of the person', Object.assign(new Error('no'), { code: `${canary} and more` })],
    [
      'an object that throws when it is asked',
      {
        get code() {
          throw new Error('no');
        },
      },
    ],
  ])('a handler that throws %s shows with its stack, too, and without its text in the audit', async (_, thrown) => {
    const made = await connected(() => {
      throw thrown;
    });
    await made.call();
    expect(made.ended()).toEqual([{ outcome: 'failed', code: 'error' }]);
    expect(made.errors).toHaveLength(1);
    expect(JSON.stringify(made.audit)).not.toContain(canary);
    await made.pair.close();
  });

  it('what a step threw is the cause of what the handler threw', async () => {
    const made = await connected(call =>
      call.step('send', () => {
        throw new RangeError('too far');
      }),
    );
    await made.call();
    expect((made.errors[0]!.error as Error).cause).toBeInstanceOf(RangeError);
    await made.pair.close();
  });

  it('a mistake is told once, whether or not the handler lets it end the call', async () => {
    for (const swallowed of [false, true]) {
      const made = await connected(async call => {
        try {
          return (await call.elicit({ ...sure, timeout: 5 } as never)).action;
        } catch (error) {
          if (!swallowed) throw error;
          return 'went on';
        }
      });
      const text = await made.call();
      expect(made.errors.map(({ error }) => String(error))).toEqual([
        expect.stringContaining("call.elicit: there is no option 'timeout'. Did you mean 'timeoutMs'?"),
      ]);
      if (swallowed) expect(text).toBe('went on');
      expect(made.ended()).toEqual([swallowed ? { outcome: 'done' } : { outcome: 'failed', code: 'error' }]);
      await made.pair.close();
    }
  });

  // Nothing is replayed on 2025-11-25.
  if (era === '2026-07-28')
    it('a handler that diverges is audited as failed, and told', async () => {
      let n = 0;
      const made = await connected(async call => (await call.elicit({ message: `Pay ${n++}?`, form: Boolean })).action);
      await made.call();
      expect(made.ended()).toEqual([{ outcome: 'failed', code: 'ask/diverged' }]);
      expect(made.errors).toMatchObject([{ error: { code: 'ask/diverged' } }]);
      await made.pair.close();
    });

  it('a call that never reaches a handler ends too, and one that is not ours is not told', async () => {
    const made = await connected(() => 'ran');
    await made.call('act', { n: 'not a number' });
    await made.call('plain');
    await made.call('nobody');
    expect(made.ended()).toEqual([{ outcome: 'failed', code: -32602 }]);
    await made.mid.stop();
    await made.call();
    expect(made.ended().slice(1)).toEqual([{ outcome: 'failed', code: 'call/closed' }]);
    await made.pair.close();
  });

  it('a result that the SDK refuses has failed', async () => {
    const made = await connected(() => 'ran');
    await made.call('typed');
    expect(made.ended()).toEqual([{ outcome: 'failed', code: -32602 }]);
    expect(made.errors).toHaveLength(1);
    await made.pair.close();
  });

  it('a prompt that fails shows like a tool', async () => {
    const made = await connected(() => {
      throw new Error('no');
    });
    await made.pair.client.getPrompt({ name: 'act' }).catch(() => {});
    expect(made.audit.at(-1)).toMatchObject({ kind: 'ended', outcome: 'failed', call: { method: 'prompts/get' } });
    expect(made.errors).toHaveLength(1);
    await made.pair.close();
  });

  it.each<[what: string, onError: () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error(canary);
      },
    ],
    ['rejects', () => Promise.reject(new Error(canary))],
  ])('an onError that %s changes nothing, and is warned of without its text', async (_, onError) => {
    const made = await connected(
      () => {
        throw new Error('mine');
      },
      { options: { onError } },
    );
    expect(await made.call()).toContain('mine');
    expect(made.ended()).toEqual([{ outcome: 'failed', code: 'error' }]);
    expect(made.warned).toEqual(['midcall: onError failed itself (Error).']);
    await made.pair.close();
  });

  const fails = (how: string) => (): void | Promise<void> => {
    if (how === 'rejects') return Promise.reject(new Error(canary));
    throw new Error(canary);
  };

  it.each(['throws', 'rejects'])('an audit that %s changes nothing, and onError is told for every event', async how => {
    const made = await connected(async call => (await call.elicit(sure)).action, { options: { audit: fails(how) } });
    expect(await made.call()).toBe('accept');
    await grown(made.errors, all => all.length >= 3);
    expect(new Set(made.errors.map(({ error }) => (error as Error).message))).toEqual(new Set([canary]));
    expect(made.errors[0]?.call).toMatchObject({ method: 'tools/call', name: 'act' });
    expect(made.warned).toEqual([]);
    await made.pair.close();
  });

  it('an audit that throws while a call is cancelled changes nothing either', async () => {
    const audit: AuditEvent[] = [];
    const made = await connected(call => call.step('wait', () => new Promise<string>(() => {})), {
      options: {
        audit: event => {
          audit.push(event);
          throw new Error(canary);
        },
      },
    });
    const gone = new AbortController();
    const calling = made.call('act', {}, gone.signal);
    await grown(audit, all => all.some(({ kind }) => kind === 'step-begun'));
    gone.abort();
    await calling;
    await grown(audit, all => all.some(({ kind }) => kind === 'disconnected'));
    await made.pair.close();
  });

  it('a cancelled call is cancelled, and no error', async () => {
    const made = await connected(
      async call => {
        await call.step('wait', () => new Promise<void>(() => {}));
        return 'never';
      },
      { answers: ['never'] },
    );
    const gone = new AbortController();
    const told = (kind: string) => grown(made.audit, all => all.some(event => event.kind === kind));
    const calling = made.call('act', {}, gone.signal);
    await told('step-begun');
    gone.abort();
    await calling;
    await told('disconnected');
    expect(made.errors).toEqual([]);
    await made.pair.close();
  });

  it('a relayed call ends with the relay and again with the ticket, under one flow; each question is told as it is put', async () => {
    const relay = { channels: ['native', 'relay'] } as const;
    const made = await connected(
      async call => {
        const both = await Promise.all([
          call.elicit({ message: 'One?', form: Boolean, ...relay }),
          call.elicit({ message: 'Two?', form: Boolean, ...relay }),
        ]);
        return both.map(({ action }) => action).join();
      },
      { options: relay, capabilities: {} },
    );
    const answer = async (text: string) =>
      made.call('resume', { ticket: /ticket "([^"]+)"/.exec(text)?.[1], action: 'accept', content: { value: true } });
    const one = await made.call();
    expect(one).toContain('> One?');
    expect(made.asked()).toEqual(['relay']);
    const two = await answer(one);
    expect(two).toContain('> Two?');
    expect(made.asked()).toEqual(['relay', 'relay']);
    expect(await answer(two)).toBe('accept,accept');
    expect(made.ended()).toEqual([{ outcome: 'relayed' }, { outcome: 'relayed' }, { outcome: 'done' }]);
    const asks = made.audit.flatMap(event => (event.kind === 'asked' ? [event.ask] : []));
    const answered = made.audit.flatMap(event => (event.kind === 'answered' ? [event.ask] : []));
    expect(answered.toSorted()).toEqual(asks.toSorted());
    expect(new Set(made.audit.map(({ call }) => call.flow)).size).toBe(1);
    await made.pair.close();
  });

  it('a call that waits on a page is parked, and its question is told once, whatever announces it', async () => {
    const pages = connect({ name: 'Shop', reach: { kind: 'here', browser: false } });
    const made = await connected(
      async call => (await call.elicitUrl({ message: 'Sure?', page: confirm(), assurance: 'in-band' })).action,
      { options: { pages }, capabilities: {} },
    );
    expect(await made.call()).toContain('call the tool "resume"');
    expect(made.ended()).toEqual([{ outcome: 'parked' }]);
    expect(made.asked()).toEqual(['page']);
    await made.pair.close();
    await pages.close();
  });

  // A state means nothing on 2025-11-25.
  if (era === '2026-07-28')
    it('a refused state, and an answer given twice, end as what they are', async () => {
      const told = operator();
      const mid = midcall({ key: new Uint8Array(32).fill(7), suspectBelowMs: 0, ...told.options });
      const factory = () => {
        const server = new McpServer({ name: 'test', version: '1.0.0' });
        mid.tool(server, 'act', {}, async (_, call) => says((await call.elicit(sure)).action));
        return server;
      };
      await using client = await rawClient(factory, carrier);
      const { requestState } = (await client.act()).result!;
      const retry = { requestState, inputResponses: { elicit: yes } };
      expect(textOf(await client.act(retry))).toBe('accept');
      expect(textOf(await client.act(retry))).toBe('accept');
      expect((await client.act({ requestState: 'm1.forged' })).error?.code).toBe(-32602);
      expect(told.ended()).toEqual([{ outcome: 'done' }, { outcome: 'failed', code: -32602 }]);
    });

  // Nothing is kept on 2025-11-25.
  if (era === '2026-07-28')
    it('a question whose round cannot be kept never left', async () => {
      const store = memoryStore();
      const made = await connected(async call => (await call.elicit(sure)).action, {
        options: {
          store: { ...store, set: () => Promise.reject(new Error('The disk is full.')) },
          maxStateLength: 64,
        },
      });
      await made.call();
      expect(made.asked()).toEqual([]);
      expect(made.person.asked).toEqual([]);
      expect(made.ended()).toMatchObject([{ outcome: 'failed' }]);
      await made.pair.close();
    });

  it('a relayed question whose ticket cannot be kept never left', async () => {
    const relay = { channels: ['native', 'relay'] } as const;
    const store = memoryStore();
    const made = await connected(async call => (await call.elicit({ ...sure, ...relay })).action, {
      options: { ...relay, store: { ...store, set: () => Promise.reject(new Error('The disk is full.')) } },
      capabilities: {},
    });
    await made.call();
    expect(made.asked()).toEqual([]);
    expect(made.ended()).toMatchObject([{ outcome: 'failed' }]);
    await made.pair.close();
  });
});

it('a request that the transport does not take never left (2025-11-25)', async () => {
  const told = operator();
  const mid = midcall({ suspectBelowMs: 0, ...told.options });
  const send = InMemoryTransport.prototype.send;
  const factory = () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_, call) => {
      const answer = await call.elicit(sure);
      return says(answer.action === 'cancel' ? answer.reason : answer.action);
    });
    return server;
  };
  const person = scriptedPerson([yes]);
  InMemoryTransport.prototype.send = function (message, options) {
    if ((message as { method?: string }).method === 'elicitation/create') return Promise.reject(new Error('broken'));
    return send.call(this, message, options);
  };
  try {
    await using pair = await connectPair(factory, { era: '2025-11-25', person });
    const { content } = await pair.client.callTool({ name: 'act', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: 'error' }]);
  } finally {
    InMemoryTransport.prototype.send = send;
  }
  expect(told.asked()).toEqual([]);
  expect(told.audit.map(({ kind }) => kind)).toEqual(['answered', 'ended']);
});
