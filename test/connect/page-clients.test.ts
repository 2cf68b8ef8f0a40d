/** How a page comes before the person on every kind of client, and how a call that waits for it goes on. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { Call } from '@midcall/server';
import { confirm, reach, secret } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { corners } from '../fixtures/corners.ts';
import { type Fixture, fixture, textOf, told } from './fixture.ts';
import { shortWaits } from './short-waits.ts';
import { allow, codeIn, visitor } from './visitor.ts';

const ticketIn = (text: string): string => /ticket "([^"]+)"/.exec(text)?.[1] ?? '';
const linkIn = (text: string): string => /http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]+/.exec(text)?.[0] ?? '';
const sure = async (call: Call) => told(await call.elicitUrl({ message: 'Sure?', page: confirm() }));

async function finish(asked: { params: Readonly<Record<string, unknown>> }): Promise<void> {
  const message = asked.params['message'] as string;
  const person = visitor((asked.params['url'] as string | undefined) ?? linkIn(message));
  await person.get();
  await person.send({ do: 'code', code: codeIn(message) });
  await person.send({});
}

/** The code the person was shown is in nothing that a model reads. */
function keepsCode({ pair, asked }: Fixture): void {
  const codes = asked.map(each => codeIn(each.params['message'] as string)).filter(code => code !== '');
  const results = pair.frames.filter(
    ({ from, message }) =>
      from === 'server' &&
      !('method' in message && message['method'] === 'elicitation/create') &&
      (message['result'] as { resultType?: unknown } | undefined)?.resultType !== 'input_required',
  );
  for (const code of codes) expect(JSON.stringify(results)).not.toContain(code);
}

describe.each(corners)('%s over %s', (era, carrier) => {
  it('a client that gives up after ten rounds gets a ticket, and the finished page is not lost', async () => {
    const ran: string[] = [];
    const made = await fixture({
      era,
      carrier,
      midcall: { holdMs: 15, clock: shortWaits() },
      ...(carrier === 'http' ? { connect: {} } : {}),
      handler: async call => {
        await call.step('prepare', () => ran.push('prepare'));
        const answer = await call.elicitUrl({ message: 'Sure?', page: confirm(), assurance: 'in-band' });
        await call.step('act', () => ran.push('act'));
        return told(answer);
      },
    });
    const text = await made.call({ a: 1 });
    expect(text).toContain('call the tool "resume"');
    const asked = await made.whenAsked(1);
    const legs = made.pair.frames.filter(
      ({ from, message }) => from === 'client' && message['method'] === 'tools/call',
    );
    expect(legs.length).toBeLessThanOrEqual(era === '2026-07-28' ? 10 : 1);
    const again = textOf(await made.callTool('resume', { ticket: ticketIn(text) }));
    expect(again).toContain('call the tool "resume"');
    expect(ticketIn(again)).not.toBe(ticketIn(text));
    if (carrier === 'memory') await finish(asked);
    else {
      await allow(asked.params['url'] as string);
    }
    const end = textOf(await made.callTool('resume', { ticket: ticketIn(again) }));
    expect(end).toMatch(/^accept \{"approved":true\} page /);
    expect(ran).toEqual(['prepare', 'act']);
    expect(textOf(await made.callTool('resume', { ticket: ticketIn(again) }))).toBe(end);
    expect(ran).toEqual(['prepare', 'act']);
    expect(made.asked).toHaveLength(1);
    keepsCode(made);
  });

  it('a call that was gone on with may still ask the host', async () => {
    const made = await fixture({
      era,
      carrier,
      capabilities: { elicitation: { url: {}, form: {} } },
      answers: [{ action: 'accept' }, { action: 'accept', content: { value: 'green' } }],
      midcall: { holdMs: 15, clock: shortWaits() },
      handler: async call => {
        const answer = await call.elicitUrl({ message: 'Sure?', page: confirm(), assurance: 'in-band' });
        const colour = await call.elicit({ message: 'Which?', form: ['red', 'green'] });
        return `${answer.action} ${colour.action === 'accept' ? colour.content : colour.action}`;
      },
    });
    const text = await made.call();
    const asked = await made.whenAsked(1);
    if (carrier === 'memory') await finish(asked);
    else {
      await allow(asked.params['url'] as string);
    }
    expect(textOf(await made.callTool('resume', { ticket: ticketIn(text) }))).toBe('accept green');
  });

  it('elicit-url-01: a client without elicitation gets the link with a ticket, and no secret is taken that way', async () => {
    const made = await fixture({
      era,
      carrier,
      capabilities: {},
      handler: async (call, { key }) =>
        key
          ? told(await call.elicitUrl({ message: 'Key?', page: secret({ name: 'weather', label: 'API key' }) }))
          : told(await call.elicitUrl({ message: 'Sure?', page: confirm(), assurance: 'in-band' })),
    });
    const text = await made.call({});
    expect(text).toContain('Do not open the link yourself');
    const person = visitor(linkIn(text));
    expect((await person.get()).title).toBe('Allow this call?');
    await person.send({});
    expect(textOf(await made.callTool('resume', { ticket: ticketIn(text) }))).toBe(
      'accept {"approved":true} page in-band',
    );
    expect(await made.call({ key: true })).toBe('cancel unavailable native in-band');
  });

  it('001-18: a client without URL mode is unavailable where pages are switched off for an ask', async () => {
    const made = await fixture({
      era,
      carrier,
      capabilities: { elicitation: {} },
      handler: async call =>
        told(await call.elicitUrl({ message: 'Sure?', page: confirm(), channels: ['native'], assurance: 'in-band' })),
    });
    expect(await made.call()).toBe('cancel unavailable native in-band');
  });
});

describe.each(['2025-11-25', '2026-07-28'] as const)('%s', era => {
  it('a handler that cannot go on without a page ends with what the client lacks', async () => {
    const made = await fixture({
      era,
      capabilities: {},
      midcall: { channels: ['native'] },
      handler: async call => told(await call.elicitUrl({ message: 'Sure?', page: confirm(), required: true })),
    });
    const got = (await made.callTool('act', {}).catch(error => error)) as { code?: number; isError?: boolean };
    if (era === '2026-07-28') expect(got.code).toBe(-32021);
    else expect(got.isError).toBe(true);
  });

  it('a client with forms only is shown the link in one form and the code in the next', async () => {
    const made = await fixture({
      era,
      capabilities: { elicitation: { form: {} } },
      answers: [{ action: 'accept', content: {} }],
      handler: sure,
    });
    const result = made.call();
    const [first, second] = [await made.whenAsked(1), await made.whenAsked(2)];
    for (const { params } of [first, second]) expect(params['mode'] ?? 'form').toBe('form');
    expect(linkIn(second.params['message'] as string)).toBe('');
    const person = visitor(linkIn(first.params['message'] as string));
    await person.get();
    await person.send({ do: 'code', code: codeIn(second.params['message'] as string) });
    await person.send({});
    expect(await result).toBe('accept {"approved":true} page out-of-band');
    keepsCode(made);
  });

  it('a browser on this machine is opened where the host can show nothing, and that is in-band', async () => {
    const opened: string[] = [];
    const made = await fixture({
      era,
      capabilities: {},
      connect: {
        reach: { kind: 'here', browser: true },
        openBrowser: async url => {
          opened.push(url);
          await allow(url);
          return true;
        },
      },
      handler: async call => told(await call.elicitUrl({ message: 'Sure?', page: confirm(), assurance: 'in-band' })),
    });
    expect(await made.call()).toBe('accept {"approved":true} page in-band');
    expect(opened).toHaveLength(1);
  });

  it('001-18: the operator is told where nobody can open a page, and the answer is unavailable', async () => {
    const made = await fixture({ era, connect: { reach: { kind: 'nobody', why: 'it runs in CI' } }, handler: sure });
    expect(await made.call()).toBe('cancel unavailable native in-band');
    expect(made.warned.join()).toContain('Give connect a baseUrl');
    expect(made.pages.port).toBeUndefined();
  });

  it('the operator is told where another process has the port that was named, and the answer is unavailable', async () => {
    const other = createServer();
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const made = await fixture({ era, connect: { port }, handler: sure });
    expect(await made.call()).toBe('cancel unavailable native in-band');
    expect(made.warned.join()).toContain(`port ${port} is in use by another process`);
  });

  it('a link over SSH and in containers comes with the way to reach it', async () => {
    const made = await fixture({ era, connect: { reach: { kind: 'elsewhere', how: 'ssh' } }, handler: sure });
    const result = made.call();
    const asked = await made.whenAsked(1);
    expect(asked.params['message']).toContain(`ssh -L ${made.pages.port}:127.0.0.1:${made.pages.port}`);
    await finish(asked);
    expect(await result).toContain('accept');
  });

  it('two pages in one round are both waited for', async () => {
    const made = await fixture({
      era,
      handler: async call => {
        const both = await Promise.all([
          call.elicitUrl({ message: 'One?', page: confirm() }),
          call.elicitUrl({ message: 'Two?', page: confirm() }),
        ]);
        return both.map(told).join();
      },
    });
    const result = made.call();
    await made.whenAsked(2);
    await finish(made.asked[1] as never);
    await finish(made.asked[0] as never);
    expect(await result).toBe(Array(2).fill('accept {"approved":true} page out-of-band').join());
  });

  it('a client that asked for progress hears that the call is alive, without the code', async () => {
    const made = await fixture({ era, handler: sure });
    const heard: unknown[] = [];
    const result = made.call({}, { onprogress: (progress: unknown) => heard.push(progress) });
    await finish(await made.whenAsked(1));
    await result;
    expect(JSON.stringify(heard)).toContain('Waiting until the page is finished.');
    keepsCode(made);
  });
});

it.each([
  ['a desktop', { DISPLAY: ':0' }, false, { kind: 'here', browser: true }],
  ['a terminal without a display', {}, false, { kind: 'here', browser: false }],
  ['a session over SSH, with a display of its own', { SSH_CONNECTION: 'x', DISPLAY: ':10' }, false, 'ssh'],
  ['a container', { DISPLAY: ':0' }, true, 'container'],
  ['a pod', { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, false, 'container'],
  ['CI, also in a container', { CI: 'true' }, true, { kind: 'nobody' }],
  ['CI that is switched off by name', { CI: 'false' }, false, { kind: 'here' }],
] as const)('the way to a page is judged from the environment of %s', (_, environment, container, expected) => {
  const judged = reach({ environment, platform: 'linux', container });
  expect(judged).toMatchObject(typeof expected === 'string' ? { kind: 'elsewhere', how: expected } : expected);
});

it.each(['2025-11-25', '2026-07-28'] as const)(
  'on %s a step before a page runs once, also where the page would end the call with an error',
  async era => {
    const ran: string[] = [];
    const made = await fixture({
      era,
      midcall: { holdMs: 5, clock: shortWaits() },
      handler: async call => {
        const ask = (message: string) =>
          call.elicitUrl({ message, page: confirm(), asError: true, assurance: 'in-band' });
        const one = await ask('One?');
        await call.step('act', () => ran.push('act'));
        const two = await ask('Two?');
        return `${one.action} ${two.action}`;
      },
    });
    /** Makes the call as a client does: again after an error, and on with a ticket. */
    const end = async (): Promise<string> => {
      const result = await made.call().catch((error: { data: { elicitations: { url: string }[] } }) => error);
      if (typeof result === 'string') return result;
      await allow(result.data.elicitations[0]!.url);
      return end();
    };
    const text = end();
    const asked = era === '2025-11-25' ? 1 : 2;
    for (let n = 1; n <= asked; n++) await finish(await made.whenAsked(n));
    const first = await text;
    const last = ticketIn(first) ? textOf(await made.callTool('resume', { ticket: ticketIn(first) })) : first;
    expect(last).toBe('accept accept');
    expect(ran).toEqual(['act']);
  },
);

describe('-32042 (2025-11-25)', () => {
  const handler = async (call: Call) =>
    told(await call.elicitUrl({ message: 'Sure?', page: confirm(), asError: true, assurance: 'in-band' }));

  it('elicit-38, elicit-url-21, elicit-url-28, elicit-url-30, elicit-url-31, elicit-url-32, elicit-url-33: the error lists the page, its end is announced to the client, and the same call then has the answer', async () => {
    const made = await fixture({ era: '2025-11-25', handler });
    const failed = (await made.call().catch(error => error)) as { code: number; data: { elicitations: never[] } };
    expect(failed.code).toBe(-32042);
    const [page] = failed.data.elicitations as { mode: string; url: string; elicitationId: string; message: string }[];
    expect(Object.keys(page!).sort()).toEqual(['elicitationId', 'message', 'mode', 'url']);
    expect(page!.mode).toBe('url');
    const again = (await made.call().catch(error => error)) as typeof failed;
    expect(again.data.elicitations).toEqual(failed.data.elicitations);
    await allow(page!.url);
    expect(await made.call()).toBe('accept {"approved":true} page in-band');
    const completes = made.pair.frames.filter(each => each.message['method'] === 'notifications/elicitation/complete');
    expect(completes.map(each => each.message['params'])).toEqual([{ elicitationId: page!.elicitationId }]);
    // The yes was for one call.
    expect(((await made.call().catch(error => error)) as { code: number }).code).toBe(-32042);
  });

  it('what lies in the place of an asked page and cannot be opened is an error, and opens no page', async () => {
    const store = memoryStore();
    const set = store.set.bind(store);
    store.set = (name, value, how) => set(name, name.startsWith('page-asked:') ? 'changed' : value, how);
    const made = await fixture({ era: '2025-11-25', handler, midcall: { store } });
    expect(await made.call().catch(error => error)).toMatchObject({ code: -32042 });
    const writes = vi.spyOn(store, 'set');
    expect(await made.call()).toContain('cannot be opened with the keys of this server');
    expect(writes.mock.calls.filter(([name]) => name.startsWith('page:'))).toEqual([]);
  });

  it('one finished page answers one call, however many come for the answer at once', async () => {
    const made = await fixture({ era: '2025-11-25', handler });
    type Failed = { code: number; data: { elicitations: { url: string }[] } };
    const first = await Promise.all(Array.from({ length: 5 }, () => made.call().catch((error: Failed) => error)));
    const urls = new Set(first.map(each => (each as Failed).data.elicitations[0]!.url));
    expect(urls.size).toBe(1);
    await allow([...urls][0]!);
    const ends = await Promise.all(Array.from({ length: 5 }, () => made.call().catch((error: Failed) => error)));
    expect(ends.filter(each => each === 'accept {"approved":true} page in-band')).toHaveLength(1);
    expect(ends.filter(each => (each as Failed).code === -32042)).toHaveLength(4);
  });

  it('two pages are both answered, one after the other', async () => {
    const made = await fixture({
      era: '2025-11-25',
      handler: async call => {
        const ask = (message: string) =>
          call.elicitUrl({ message, page: confirm(), asError: true, assurance: 'in-band' });
        return `${(await ask('One?')).action} ${(await ask('Two?')).action}`;
      },
    });
    const told = async () => {
      const failed = (await made.call().catch(error => error)) as {
        data: { elicitations: { url: string; message: string }[] };
      };
      const [page] = failed.data.elicitations;
      await allow(page!.url);
      return page!.message;
    };
    expect(await told()).toContain('One?');
    expect(await told()).toContain('Two?');
    expect(await made.call()).toBe('accept accept');
    expect(await told()).toContain('One?');
  });

  it('elicit-url-27, elicit-url-34: a finished page is not used for another call, nor on 2026-07-28', async () => {
    const made = await fixture({ era: '2026-07-28', handler, midcall: { holdMs: 5, clock: shortWaits() } });
    const result = made.call();
    const asked = await made.whenAsked(1);
    expect(asked.params['elicitationId']).toBeUndefined();
    await finish(asked);
    expect(await result).toContain('accept');
    expect(JSON.stringify(made.pair.frames)).not.toContain('-32042');
  });
});
