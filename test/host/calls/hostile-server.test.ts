/** A server that floods, takes back and answers late, seen from the host: nothing is kept, nothing hangs, the rest goes on. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Audit, Inbox, machineDisk, OfferedRoots, Policy } from '@midcall/host';
import { memoryStore } from '@midcall/server/stores/memory';
import { eras } from '@midcall/testing';
import { InMemoryTransport, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Calls } from '../../../packages/host/src/calls/calls.ts';
import { Tap, type TapOptions } from '../../../packages/host/src/calls/tap.ts';
import { grown } from '../../fixtures/grown.ts';
import { handClock } from '../clock.ts';
import { nextQuestion } from '../person.ts';
import { type Tool, wired } from '../wire-server.ts';

const form = (more: object = {}) => ({
  message: 'Which colour?',
  requestedSchema: { type: 'object', properties: { colour: { type: 'string', ...more } } },
});

/** A promise and what settles it. */
function signal() {
  let fire = (): void => {};
  const fired = new Promise<void>(resolve => {
    fire = resolve;
  });
  return { fired, fire };
}

describe.each(eras)('%s', era => {
  it('a form that asks for no object is refused, and the record says why', async () => {
    const audit = new Audit();
    const tool: Tool = wire => wire.ask({ ...form(), requestedSchema: { type: ['array'] } });
    const host = await wired(era, { tool, audit });
    const outcome = await host.call();
    if (era === '2025-11-25') expect(outcome).toMatchObject({ error: { code: -32602 } });
    else expect(outcome).toMatchObject({ code: 'host/invalid-request' });
    expect(audit.entries().map(entry => entry.event)).toContainEqual(
      expect.objectContaining({
        type: 'refused',
        by: 'host',
        why: expect.stringContaining('an answer is always an object'),
      }),
    );
  });
});

describe.each(eras)('%s', era => {
  it('the record has one line of a long message, whatever blanks are in it', async () => {
    const audit = new Audit();
    const tool: Tool = wire => wire.ask({ ...form(), message: `Sure?\n\n${' '.repeat(19_000)}\u00A0x \n \n y` });
    const host = await wired(era, { tool, audit });
    const outcome = host.call();
    const question = await nextQuestion(host.inbox);
    await host.inbox.reply(question.id, { action: 'decline' }, 'script');
    await outcome;
    const asked = audit.entries().flatMap(({ event }) => (event.type === 'asked' ? [event.about] : []));
    expect(asked).toEqual(['Sure? x y [colour]']);
  });
});

describe('2026-07-28', () => {
  it('a call whose round asks more than a person could look at ends, and none of it is asked', async () => {
    const audit = new Audit();
    const requests = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`q${at}`, { method: 'elicitation/create', params: form() }]),
      );
    const host = await wired('2026-07-28', { tool: () => new Promise(() => {}), audit });
    const result = host.call();
    await new Promise(setImmediate);
    await host.respond({ resultType: 'input_required', requestState: 's', inputRequests: requests(101) });
    expect(await result).toMatchObject({ code: 'host/invalid-request' });
    expect(host.shown).toEqual([]);
    expect(audit.entries().map(entry => entry.event)).toContainEqual(
      expect.objectContaining({ type: 'refused', kind: 'round', by: 'host' }),
    );
  });

  it('a round of many questions is asked without a warning on the terminal', async () => {
    const warned: unknown[] = [];
    const hear = (warning: Error) => warned.push(warning.message);
    process.on('warning', hear);
    onTestFinished(() => void process.off('warning', hear));
    const inputRequests = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`q${at}`, { method: 'elicitation/create', params: form() }]),
    );
    const host = await wired('2026-07-28', { tool: () => new Promise(() => {}) });
    void host.call();
    await new Promise(setImmediate);
    await host.respond({ resultType: 'input_required', requestState: 's', inputRequests });
    await new Promise(setImmediate);
    expect(host.inbox.list()).toHaveLength(40);
    await new Promise(setImmediate);
    expect(warned).toEqual([]);
  });

  it('a round that arrives when its call is over is not kept', async () => {
    const store = memoryStore();
    const late = signal();
    const tool: Tool = async wire => {
      await late.fired;
      return wire.ask(form());
    };
    const host = await wired('2026-07-28', { tool, store });
    const result = host.call({}, { id: 'c' });
    await new Promise(setImmediate);
    host.attachment.cancel('c');
    expect(await result).toMatchObject({ code: 'host/cancelled' });
    late.fire();
    await new Promise(setImmediate);
    await host.attachment.keepQuestions();
    expect(await store.get('host:rounds:notes')).toBeUndefined();
    expect(host.shown).toEqual([]);
  });
});

describe('2025-11-25', () => {
  it('the host takes as little of the name a server gives itself as a name needs', async () => {
    const host = await wired('2025-11-25', { tool: wire => wire.ask(form()), serverName: 'n'.repeat(1_000_000) });
    void host.call();
    const { asker } = await nextQuestion(host.inbox);
    expect(asker.name).toBe('n'.repeat(200));
  });

  it('calls go out when the server takes its question about roots back', async () => {
    const roots = new OfferedRoots({ disk: machineDisk });
    await roots.add(realpathSync(mkdtempSync(join(tmpdir(), 'hostile-server-'))));
    const inbox = new Inbox();
    const host = await wired('2025-11-25', { tool: async () => 'done', roots, inbox });
    void host.wire.request('roots/list');
    const question = await nextQuestion(inbox);
    const result = host.call();
    await host.wire.notify('notifications/cancelled', { requestId: 's0' });
    expect(await result).toBe('done');
    expect(inbox.ending(question.id)).toEqual({ how: 'withdrawn' });
  });

  it('the wait for the person to grant roots does not count as time of the server', async () => {
    const roots = new OfferedRoots({ disk: machineDisk });
    await roots.add(realpathSync(mkdtempSync(join(tmpdir(), 'hostile-server-'))));
    const inbox = new Inbox();
    const clock = handClock();
    const host = await wired('2025-11-25', { tool: async () => 'done', roots, inbox, clock });
    void host.wire.request('roots/list');
    const question = await nextQuestion(inbox);
    const result = host.call();
    await new Promise(setImmediate);
    clock.move(61_000);
    const uris = roots.list().map(root => root.uri);
    await inbox.reply(question.id, { action: 'accept', content: { uris } }, 'script');
    expect(await result).toBe('done');
  });
});

it('a server that asks at length has sixteen million characters wait at most, and asks again when one has ended', async () => {
  const host = await wired('2025-11-25', { tool: async () => 'done', policy: new Policy({ limits: { open: 1_000 } }) });
  const ask = () => host.wire.request('elicitation/create', { ...form(), message: 'x'.repeat(900_000) });
  const asked = Array.from({ length: 18 }, ask);
  await grown(host.shown, shown => shown.length === 18);
  expect(await ask()).toMatchObject({ result: { action: 'cancel' } });
  const [first, ...others] = host.inbox.list();
  await host.inbox.reply(first!.id, { action: 'decline' }, 'script');
  expect(await asked[0]).toMatchObject({ result: { action: 'decline' } });
  asked.push(ask());
  await grown(host.shown, shown => shown.length === 19);
  expect(host.inbox.list()).toHaveLength(others.length + 1);
});

describe('a server that is refused over and over', () => {
  it('the record has a minute of refusals at most of a server refused over and over, and the number of the others', async () => {
    const clock = handClock();
    const audit = new Audit({ clock });
    const host = await wired('2025-11-25', { tool: async () => 'done', clock, audit });
    const told: unknown[] = [];
    host.attachment.subscribe(event => event.type === 'refused' && told.push(event));
    const refusals = () => audit.entries().flatMap(({ event }) => (event.type === 'refused' ? [event.why] : []));
    for (let at = 0; at < 500; at += 1) {
      const { error } = await host.wire.request('elicitation/create', { message: at });
      expect(error?.code).toBe(-32602);
    }
    expect([refusals().length, told.length]).toEqual([60, 60]);
    expect(refusals().at(-1)).toBe(
      'The message must be text. This happens so often that further refusals are only counted.',
    );
    clock.move(60_000);
    await host.wire.request('elicitation/create', { message: 1 });
    await host.wire.request('elicitation/create', { message: 1 });
    expect(refusals().slice(60)).toEqual([
      'The message must be text. 440 refusals before this one went unrecorded.',
      'The message must be text.',
    ]);
  });
});

describe('what the tap keeps', () => {
  const tapped = async (more: Partial<TapOptions> = {}) => {
    const refused: string[] = [];
    const calls = new Calls();
    const tap = new Tap({
      calls,
      newId: () => 'id',
      placeholder: {},
      roots: true,
      onRefused: (_, why) => refused.push(why),
      ...more,
    });
    const [near, far] = InMemoryTransport.createLinkedPair();
    tap.onto(near);
    near.onmessage = () => {};
    await near.start();
    return { tap, near, far, refused };
  };

  it('tap-T4: the tap keeps nothing of a request that was taken back', async () => {
    const { near, far, refused } = await tapped();
    await far.send({ jsonrpc: '2.0', id: 7, method: 'elicitation/create', params: form() } as JSONRPCMessage);
    await far.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    await near.send({ jsonrpc: '2.0', id: 7, error: { code: -32603, message: 'late' } });
    expect(refused).toEqual([]);
  });

  it('tap-T5: the tap keeps every response until those before it are gone', async () => {
    const leaving: { readonly id: unknown; gone(): void }[] = [];
    const transport: Transport = {
      start: async () => {},
      close: async () => {},
      send: message => new Promise(gone => leaving.push({ id: 'id' in message && message.id, gone: () => gone() })),
    };
    const tap = new Tap({ calls: new Calls(), newId: () => 'id', placeholder: {}, roots: false });
    tap.onto(transport);
    const sent = Array.from({ length: 100 }, (_, id) => transport.send({ jsonrpc: '2.0', id, result: {} }));
    expect(leaving).toHaveLength(32);
    void transport.send({ jsonrpc: '2.0', id: 'own', method: 'ping' });
    expect(leaving.at(-1)?.id).toBe('own');
    for (let at = 0; at < leaving.length; at += 1) {
      leaving[at]!.gone();
      await new Promise(setImmediate);
    }
    await Promise.all(sent);
    expect(leaving.map(({ id }) => id).filter(id => id !== 'own')).toEqual(Array.from({ length: 100 }, (_, id) => id));
  });
});
