/** Questions on pages, in both eras and over both carriers, without a browser. */
import { confirm, formPage, secret } from '@midcall/server/connect';
import { pairings } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { fixture, told } from './fixture.ts';
import { codeIn, pastCode, visitor } from './visitor.ts';

const inMemory = pairings.filter(([, carrier]) => carrier === 'memory');
const urlOf = (asked: { params: Readonly<Record<string, unknown>> }) => asked.params['url'] as string;

describe.each(inMemory)('%s over %s', (era, carrier) => {
  it('000-10, elicit-url-06, elicit-url-07, elicit-url-19, elicit-url-21, elicit-url-27: a page is announced by URL mode, opened with the code, finished, and its answer is out of band', async () => {
    const { call, whenAsked, pair } = await fixture({
      era,
      carrier,
      handler: async c => told(await c.elicitUrl({ message: 'Delete it all?', page: confirm() })),
    });
    const result = call({ folder: 'work' });
    const { params } = await whenAsked(1);
    expect(params['mode']).toBe('url');
    expect('elicitationId' in params).toBe(era === '2025-11-25');
    const url = urlOf({ params });
    expect(new URL(url).pathname).toMatch(/^\/connect\/[\w-]{32}$/);
    expect(new URL(url).search + new URL(url).hash).toBe('');
    const person = visitor(url);
    expect((await person.get()).title).toBe('Enter your code');
    const page = await person.send({ do: 'code', code: codeIn(params['message'] as string).toLowerCase() });
    expect(page.title).toBe('Allow this call?');
    expect(page.text).toContain('work');
    expect((await person.send({})).title).toBe('This is done');
    expect(await result).toBe('accept {"approved":true} page out-of-band');
    const completes = pair.frames.filter(({ message }) => message['method'] === 'notifications/elicitation/complete');
    expect(completes.map(({ message }) => message['params'])).toEqual(
      era === '2025-11-25' ? [{ elicitationId: params['elicitationId'] }] : [],
    );
  });

  it('004-13, elicit-33, elicit-url-01, elicit-url-04, elicit-url-41, elicit-url-42: a secret reaches the vault and nothing else', async () => {
    const canary = 'sk-canary-8f3a91c7';
    const { call, whenAsked, pair, vault, store, audit, warned } = await fixture({
      era,
      carrier,
      handler: async c => {
        const page = secret({ name: 'weather', label: 'API key' });
        return told(await c.elicitUrl({ message: 'Your weather key, please.', page }));
      },
    });
    const result = call();
    const person = await pastCode(await whenAsked(1));
    expect((await person.send({ secret: '' })).text).toContain('Nothing was entered.');
    await person.send({ secret: canary });
    expect(await result).toBe('accept {"secret":"weather"} page out-of-band');
    expect([...vault.values()]).toEqual([canary]);
    const everywhere = JSON.stringify([pair.frames, [...store], audit, warned, await result]);
    expect(everywhere).not.toContain(canary);
  });

  it('a decline or dismissal in the host, and a decline on the page, are told apart, and each voids the link', async () => {
    const ask = async (answers: readonly object[]) =>
      fixture({
        era,
        carrier,
        answers: answers as never,
        handler: async c => told(await c.elicitUrl({ message: 'Sure?', page: confirm() })),
      });
    for (const [answer, expected] of [
      [{ action: 'decline' }, 'decline native in-band'],
      [{ action: 'cancel' }, 'cancel dismissed native in-band'],
    ] as const) {
      const { call, asked } = await ask([answer]);
      expect(await call()).toBe(expected);
      expect((await visitor(urlOf(asked[0]!)).get()).title).toBe('This is no longer needed');
    }
    const { call, whenAsked } = await ask([{ action: 'accept' }]);
    const result = call();
    const person = await pastCode(await whenAsked(1));
    expect((await person.send({ do: 'decline' })).title).toBe('You declined');
    expect(await result).toBe('decline page out-of-band');
  });

  it('001-18, elicit-url-15: an answer says that the person agreed and did not finish; a late completion has no effect, and the page says so', async () => {
    const { call, whenAsked, clock, audit } = await fixture({
      era,
      carrier,
      still: true,
      handler: async c => told(await c.elicitUrl({ message: 'Sure?', page: confirm(), timeoutMs: 60_000 })),
      midcall: { clock: { now: () => clock.now, after: (_ms, fn) => quick(fn) } },
    });
    const result = call();
    const person = await pastCode(await whenAsked(1));
    clock.now += 60_001;
    expect(await result).toBe('cancel unfinished native in-band');
    expect((await person.send({})).title).toBe('This link has expired');
    expect(audit.filter(event => event.kind === 'page-finished')).toEqual([]);
  });

  it('an ordinary question that demands more than the host can give goes by page by itself', async () => {
    const { call, whenAsked } = await fixture({
      era,
      carrier,
      capabilities: { elicitation: { form: {}, url: {} } },
      handler: async c =>
        told(
          await c.elicit({
            message: 'How many?',
            form: { count: { type: 'integer', minimum: 1 }, why: String },
            assurance: 'out-of-band',
          } as never),
        ),
    });
    const result = call();
    const { params } = await whenAsked(1);
    expect(params['mode']).toBe('url');
    const person = await pastCode({ params });
    expect((await person.send({ q0: '0', q1: 'x' })).status).toBe(422);
    await person.send({ q0: '3', q1: 'because' });
    expect(await result).toBe('accept {"count":3,"why":"because"} page out-of-band');
  });

  it('a form of groups, lists and dependent questions comes back typed', async () => {
    const page = formPage({
      title: 'Travel',
      items: {
        kind: { kind: 'select', label: 'Kind', choices: ['private', 'business'] },
        cost: { kind: 'text', label: 'Cost centre', when: { field: 'kind', is: 'business' } },
        people: { kind: 'list', label: 'Traveller', min: 1, items: { name: { kind: 'text', label: 'Name' } } },
        notes: { kind: 'text', label: 'Notes', long: true, required: false },
      },
    });
    const { call, whenAsked } = await fixture({
      era,
      carrier,
      handler: async c => {
        const answer = await c.elicitUrl({ message: 'Book', page });
        return answer.action === 'accept'
          ? `${answer.content.kind} ${answer.content.people.map(each => each.name).join('+')} ${answer.content.cost}`
          : answer.action;
      },
    });
    const result = call();
    const { params } = await whenAsked(1);
    const person = visitor(urlOf({ params }));
    await person.get();
    const first = await person.send({ do: 'code', code: codeIn(params['message'] as string) });
    expect(first.text).not.toContain('Cost centre');
    const changed = await person.send({ kind: 'business', 'people.0.name': 'Ada' });
    expect(changed.text).toContain('Cost centre');
    const more = await person.send({ do: 'add:people', kind: 'business', cost: '7', 'people.0.name': 'Ada' });
    expect(more.text).toContain('name="people.1.name"');
    const gone = await person.send({
      do: 'remove:people:0',
      kind: 'business',
      cost: '7',
      'people.0.name': 'Ada',
      'people.1.name': 'Bob',
    });
    expect(gone.text).toContain('value="Bob"');
    await person.send({ kind: 'business', cost: '7', 'people.0.name': 'Bob' });
    expect(await result).toBe('business Bob 7');
  });
});

/** Runs what is due soon at once, so that a clock which stands still is looked at often. */
function quick(fn: () => void): () => void {
  const timer = setImmediate(fn);
  return () => clearImmediate(timer);
}
