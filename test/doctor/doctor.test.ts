/** The doctor examines hosts of every kind, in both eras. */

import { systemClock } from '@midcall/core/time';
import { eras, pairings } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { doctorServer, type Report } from '../../packages/midcall/src/doctor/index.ts';
import { clinic, everything, filledIn, obliging, outcomesOf, said } from './fixture.ts';

const allOf = (outcome: string, ...rows: readonly string[]) => Object.fromEntries(rows.map(row => [row, outcome]));
const fields = ['fields.text', 'fields.number', 'fields.boolean', 'fields.choice', 'fields.choices'];
const questions = ['form', ...fields, 'decline', 'dismiss'];

describe.each(pairings)('%s over %s', (era, carrier) => {
  it('the doctor finds that a host works where a person answers as asked, and says what to do next', async () => {
    const host = await clinic({ era, carrier, host: obliging, roots: ['file:///data'] });
    const report = await host.report();
    expect(outcomesOf(report)).toEqual({
      ...allOf('works', ...questions, 'page', 'roots'),
      ...allOf('not-tried', 'sampling', 'timeout', 'timeout.progress'),
    });
    expect(report.host).toEqual({ name: 'midcall-testing', version: '1.0.0', revision: era });
    expect(report.declares).toEqual(['forms', 'pages (URL mode)', 'roots, announcing changes', 'sampling']);
    expect(report.hearsProgress).toBe(false);
    expect(report.next).toContain('doctor_timeout');
    expect(host.asked.filter(each => each.method === 'elicitation/create')).toHaveLength(5);
    expect(host.found.length).toBeGreaterThan(5);
    expect(host.found.at(-1)?.[0]?.checks).toEqual(report.checks);
  });

  it('the doctor finds that a host accepts by itself', async () => {
    const host = await clinic({
      era,
      carrier,
      host: () => ({ action: 'accept', content: {} }),
      capabilities: { elicitation: {} },
    });
    const report = await host.report();
    expect(outcomesOf(report)).toMatchObject(allOf('answers-by-itself', ...questions));
    expect(outcomesOf(report)).toMatchObject(allOf('not-declared', 'page', 'roots', 'sampling'));
    expect(host.asked).toHaveLength(4);
  });

  it.each(['decline', 'cancel'])(
    'the doctor finds that a host answers every question with %s by itself',
    async action => {
      const host = await clinic({
        era,
        carrier,
        host: () => ({ action }),
        capabilities: { elicitation: { form: {}, url: {} } },
      });
      const report = await host.report();
      expect(outcomesOf(report)).toMatchObject(allOf('answers-by-itself', ...questions, 'page'));
      expect(report.checks.find(each => each.check === 'form')?.advice).toContain('out-of-band');
    },
  );

  it('the doctor asks nothing where nothing is declared, and says so', async () => {
    const host = await clinic({ era, carrier, capabilities: {} });
    const report = await host.report();
    expect(outcomesOf(report)).toEqual({
      ...allOf('not-declared', ...questions, 'page', 'roots', 'sampling'),
      ...allOf('not-tried', 'timeout', 'timeout.progress'),
    });
    expect(report.checks.find(each => each.check === 'form')).toMatchObject({ declared: false, ms: 0 });
  });

  it('the doctor tries the model only where it is named', async () => {
    const host = await clinic({ era, carrier, host: obliging, capabilities: { sampling: {} } });
    expect(outcomesOf(await host.report())['sampling']).toBe('not-tried');
    expect(host.asked).toEqual([]);
    const report = await host.report('doctor', { checks: ['sampling'] });
    expect(outcomesOf(report)['sampling']).toBe('works');
    expect(host.asked).toHaveLength(1);
  });

  it('the doctor names each field that arrives otherwise than it was filled in', async () => {
    const host = await clinic({
      era,
      carrier,
      capabilities: { elicitation: {} },
      host(asked, clock) {
        clock.now += 4_000;
        const { number, choices, ...rest } = filledIn(String(asked.params['message']));
        return {
          action: 'accept',
          content: { ...rest, text: '', number: String(number), choices: (choices as string[])[0] },
        };
      },
    });
    const report = await host.report('doctor', { checks: ['fields'] });
    expect(outcomesOf(report)).toMatchObject({
      'fields.text': 'wrong',
      'fields.number': 'wrong',
      'fields.boolean': 'works',
      'fields.choice': 'works',
      'fields.choices': 'wrong',
    });
    expect(said(report, 'fields.number')).toContain('arrived as text');
    expect(host.asked).toHaveLength(1);
  });

  it('the doctor notices a decline and a dismissal that arrive as each other', async () => {
    const host = await clinic({
      era,
      carrier,
      capabilities: { elicitation: {} },
      host(asked, clock) {
        clock.now += 4_000;
        return { action: String(asked.params['message']).includes('Decline') ? 'cancel' : 'decline' };
      },
    });
    const report = await host.report('doctor', { checks: ['decline', 'dismiss', 'form'] });
    expect(outcomesOf(report)).toMatchObject({ form: 'refused', decline: 'wrong', dismiss: 'wrong' });
  });

  it('the doctor tells a yes to a link from a finished page', async () => {
    let agreed = false;
    const host = await clinic({
      era,
      carrier,
      capabilities: { elicitation: { url: {} } },
      host: () => {
        agreed = true;
        return { action: 'accept' };
      },
      // From the yes on, whatever is waited for passes at once.
      after(ms, fn) {
        let due = true;
        const pass = (): void => {
          if (!due) return;
          host.clock.now += ms;
          fn();
        };
        if (agreed && ms <= 90_000) setImmediate(pass);
        return () => {
          due = false;
        };
      },
    });
    const report = await host.report('doctor', {}, { onprogress: () => {} });
    expect(outcomesOf(report)).toMatchObject({ page: 'wrong', form: 'not-declared' });
    expect(said(report, 'page')).toContain('nobody finished the page within 90.0 s');
  });

  it('the doctor notes what a host drops, and goes on with the rest when it is called again', async () => {
    const host = await clinic({
      era,
      carrier,
      capabilities: { elicitation: {} },
      host: (asked, clock) =>
        String(asked.params['message']).includes('Decline this') ? 'never' : obliging(asked, clock),
    });
    const stop = new AbortController();
    const cut = host.report('doctor', {}, { signal: stop.signal });
    await host.whenAsked(3);
    stop.abort(new Error('cut off'));
    cut.catch(() => {});
    const before = await host.report('doctor_report');
    expect(outcomesOf(before)).toMatchObject({ form: 'works', decline: 'dropped', dismiss: 'not-tried' });
    expect(before.next).toContain('continues with dismiss');
    const after = await host.report();
    expect(outcomesOf(after)).toMatchObject({ form: 'works', decline: 'dropped', dismiss: 'works' });
    expect(host.asked).toHaveLength(4);
  });

  it('the doctor tries again what is named', async () => {
    let no = true;
    const host = await clinic({
      era,
      carrier,
      capabilities: { elicitation: {} },
      host(asked, clock) {
        clock.now += 4_000;
        return no ? { action: 'decline' } : obliging(asked, clock);
      },
    });
    expect(outcomesOf(await host.report('doctor', { checks: ['form'] }))['form']).toBe('refused');
    no = false;
    expect(outcomesOf(await host.report('doctor', { checks: ['form'] }))['form']).toBe('works');
  });

  it('the doctor says of roots that cannot be used which and why', async () => {
    const host = await clinic({
      era,
      carrier,
      host: obliging,
      capabilities: { roots: {} },
      roots: ['file:///data', 'file:///data/..'],
    });
    const report = await host.report();
    expect(outcomesOf(report)['roots']).toBe('wrong');
    expect(said(report, 'roots')).toContain("'file:///data/..'");
  });
});

describe.each(eras)('%s', era => {
  it('the doctor goes on after a host that declares forms and has none', async () => {
    const host = await clinic({ era, capabilities: { elicitation: {} } });
    // On 2026-07-28 the client ends the call itself; what was put is known all the same.
    for (let call = 0; call < 4; call++) await host.report().catch(() => undefined);
    const report = await host.report('doctor_report');
    expect(outcomesOf(report)).toMatchObject(allOf('dropped', ...questions));
  });

  it('the report says that the host hears of progress where it asks for it', async () => {
    const host = await clinic({ era, capabilities: {} });
    const report = await host.report('doctor', {}, { onprogress: () => {} });
    expect(report.hearsProgress).toBe(true);
  });

  it('the doctor offers no page where nobody could open one, and says why', async () => {
    const doctor = { pages: { reach: { kind: 'nobody', why: 'it runs in CI' } } } as const;
    const host = await clinic({ era, host: obliging, capabilities: { elicitation: { url: {} } }, doctor });
    const report = await host.report();
    expect(outcomesOf(report)['page']).toBe('not-tried');
    expect(said(report, 'page')).toContain('CI');
    expect(host.asked).toEqual([]);
    expect(report.next).not.toContain('goes on');
  });
});

it('2025-11-25: the doctor says how long a host kept the question open before it gave the call up', async () => {
  const host = await clinic({ era: '2025-11-25', host: () => 'never', capabilities: { elicitation: {} } });
  const stop = new AbortController();
  const cut = host.report('doctor', {}, { signal: stop.signal });
  await host.whenAsked(1);
  host.clock.now += 60_000;
  stop.abort(new Error('Request timed out'));
  await expect(cut).rejects.toThrow();
  const report = await host.report('doctor_report');
  expect(said(report, 'form')).toBe('The host gave the call up after 60.0 s, with the question open.');
});

it('2025-11-25: the doctor ends a question that nobody answers, and puts the next', async () => {
  const timers: (() => void)[] = [];
  const host = await clinic({
    era: '2025-11-25',
    host: () => 'never',
    capabilities: { elicitation: {} },
    after(_ms, fn) {
      timers.push(fn);
      return () => {};
    },
  });
  const report = host.report('doctor', { checks: ['form', 'decline'] });
  for (const question of [1, 2]) {
    await host.whenAsked(question);
    host.clock.now += 120_000;
    for (const fire of timers.splice(0)) fire();
  }
  expect(outcomesOf(await report)).toMatchObject({ form: 'dropped', decline: 'dropped' });
});

it('the doctor lists its tools, with a schema of the report that they give', async () => {
  const host = await clinic({ era: '2026-07-28', host: obliging, capabilities: everything });
  const tools = await host.tools();
  expect(tools.map(({ name }) => name)).toEqual(['doctor', 'doctor_report', 'doctor_timeout', 'resume']);
  const given = expect.objectContaining({ checks: expect.anything(), next: expect.anything() });
  for (const { name, outputSchema } of tools.slice(0, 3))
    expect({ name, properties: outputSchema?.['properties'] }).toEqual({ name, properties: given });
});

it('2025-06-18: the doctor examines a host whose forms have neither titled choices nor lists, in its own words', async () => {
  let now = 0;
  const { factory, stop } = doctorServer({ clock: { ...systemClock, now: () => now }, warn: () => {} });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(factory, { transport: far });
  const client = new Client(
    { name: 'earlier', version: '1.0.0' },
    { capabilities: { elicitation: {} }, supportedProtocolVersions: ['2025-06-18'] },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    now += 4_000;
    const { message, requestedSchema } = params as unknown as {
      message: string;
      requestedSchema: { properties: Record<string, { title: string }> };
    };
    const { choices, ...content } = filledIn(message);
    for (const [name, { title }] of Object.entries(requestedSchema.properties)) {
      const animal = /^Animals: (\w+)$/.exec(title)?.[1];
      if (animal) content[name] = (choices as string[]).includes(animal.toLowerCase());
    }
    return { action: 'accept', content } as never;
  });
  await client.connect(near);
  onTestFinished(async () => {
    await client.close();
    await handle.close();
    await stop();
  });
  const { structuredContent } = await client.callTool({ name: 'doctor', arguments: { checks: ['fields'] } });
  const report = structuredContent as unknown as Report;
  expect(report.host).toEqual({ name: 'earlier', version: '1.0.0', revision: '2025-06-18' });
  expect(outcomesOf(report)).toMatchObject(allOf('works', ...fields));
});
