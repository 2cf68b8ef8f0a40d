/** Runs the code of docs/elicitation.md, docs/deploy.md and docs/observability.md. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { form } from '@midcall/core/form';
import { Audit, auditFile } from '@midcall/host';
import { type AuditEvent, type MidcallOptions, midcall } from '@midcall/server';
import { connectPair, type Era, eras, negotiation, type Scripted, scriptedPerson } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { startReplica } from '../../examples/docs/deploy.ts';
import { forms, shopServer, titled } from '../../examples/docs/elicitation.ts';
import { audited, checked, reported } from '../../examples/docs/observe.ts';
import { workshop } from '../../examples/docs/page-kind.ts';
import { librarian } from '../../examples/docs/tool-with-files.ts';
import { codeIn, visitor } from '../connect/visitor.ts';

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]!.text;
const yes = (value: string | boolean) => ({ action: 'accept' as const, content: { value } });

describe.each(eras)('docs/elicitation.md, %s', era => {
  async function call(
    name: string,
    answers: readonly Scripted[],
    capabilities: object = { elicitation: {} },
    options: MidcallOptions = {},
  ) {
    const cancelled: string[] = [];
    const mid = midcall({ suspectBelowMs: 0, warn: () => {}, ...options });
    const person = scriptedPerson(answers);
    const shop = {
      cancel: (order: string) => void cancelled.push(order),
      terms: () => 'Seven days.',
      accept: (_order: string, digest: string | undefined) => void cancelled.push(digest ?? ''),
    };
    await using pair = await connectPair(() => shopServer(mid, shop), { era, person, capabilities });
    const called = pair.client.callTool({ name, arguments: { order: 'o1' } });
    return { result: await called.catch((error: { code: number }) => ({ refused: error.code })), cancelled };
  }

  it('the documented form is acted on with a yes, and with nothing else', async () => {
    const accept = { action: 'accept' as const, content: { refund: 'card', sure: true } };
    const agreed = await call('order_cancel', [accept]);
    expect([textOf(agreed.result), agreed.cancelled]).toEqual(['Cancelled; refund by card.', ['o1']]);
    for (const [answer, said] of [
      [
        { action: 'accept', content: { refund: 'card', sure: false } },
        'The order stands: the person answered without confirming.',
      ],
      [{ action: 'decline' }, 'The order stands: the person said no.'],
      [{ action: 'cancel' }, 'The order stands: the person closed the question'],
    ] as const) {
      const { result, cancelled } = await call('order_cancel', [answer]);
      expect([textOf(result), cancelled]).toEqual([expect.stringContaining(said), []]);
    }
  });

  it('the documented terms say what was shown when they were accepted', async () => {
    const { result, cancelled } = await call('order_terms', [yes(true)]);
    const digest = createHash('sha256').update('Seven days.').digest('hex');
    expect([textOf(result), cancelled]).toEqual(['Accepted.', [digest]]);
  });

  it('the documented yes or no is asked, and acted on with the yes alone', async () => {
    const agreed = await call('order_drop', [yes(true)]);
    expect([textOf(agreed.result), agreed.cancelled]).toEqual(['Cancelled order o1.', ['o1']]);
    const refused = await call('order_drop', [yes(false)]);
    expect([textOf(refused.result), refused.cancelled]).toEqual([expect.stringContaining('The order stands'), []]);
  });

  it('there are three ways on where nobody can be asked: leave it out, a harmless default, or an error', async () => {
    expect(textOf((await call('order_note', [], {})).result)).toBe('Saved o1 without a note.');
    expect(textOf((await call('orders_list', [], {})).result)).toBe('Listing open orders (nobody was asked).');
    const required = (await call('orders_purge', [], {})).result;
    if (era === '2026-07-28') expect(required).toEqual({ refused: -32021 });
    else expect(required).toMatchObject({ isError: true });
  });

  it('the documented check asks again for what the server does not take', async () => {
    const slot = (time: string) => ({ action: 'accept' as const, content: { slot: time, floor: 2 } });
    expect(textOf((await call('order_slot', [slot('09:00'), slot('11:00')])).result)).toBe('Comes at 11:00.');
    expect(textOf((await call('order_slot', [{ action: 'decline' }])).result)).toBe('No time was chosen.');
  });

  it('a question is relayed through the model only where that is switched on', async () => {
    const { result } = await call('order_ship', [], {}, { channels: ['native', 'relay'] });
    expect(textOf(result)).toContain('Put this question to the person in these words');
    expect(textOf((await call('order_ship', [], {})).result)).toBe('Not shipped.');
    expect(textOf((await call('order_ship', [yes(true)])).result)).toBe('Shipped, on the word of the host.');
  });
});

it('docs/elicitation.md: titles in shorthands are the labels of fields and of choices', () => {
  const { fields } = form(titled);
  expect(fields.map(({ title }) => title)).toEqual(['Reason', undefined, undefined, undefined]);
  expect(fields.flatMap(each => ('choices' in each ? each.choices.map(({ title }) => title) : []))).toEqual([
    'To the card you paid with',
    'As a voucher',
    'The meal',
    'The bag',
  ]);
});

it('docs/elicitation.md: the three spellings of the form ask for the same fields', () => {
  const names = Object.values(forms).map(each => form(each).fields.map(field => field.name));
  expect(names).toEqual(Array(3).fill(['reason', 'refund', 'sure']));
});

/** As much of Redis as the store sends. */
function tinyRedis() {
  const data = new Map<string, string>();
  return {
    call: async (command: string, key: string, value?: string, ...flags: string[]) => {
      if (command === 'GET' || command === 'GETDEL') {
        const found = data.get(key) ?? null;
        if (command === 'GETDEL') data.delete(key);
        return found;
      }
      if (command === 'DEL') return data.delete(key) ? 1 : 0;
      if (flags.includes('NX') && data.has(key)) return null;
      data.set(key, value!);
      return 'OK';
    },
  };
}

describe('docs/deploy.md', () => {
  const verify = async (token: string): Promise<AuthInfo> => ({
    token,
    clientId: 'app',
    scopes: [],
    expiresAt: Date.now() / 1000 + 600,
    extra: { iss: 'https://id.example.com', sub: token },
  });
  const cluster = () => {
    const events: AuditEvent[] = [];
    const shared = {
      redis: tinyRedis(),
      key: randomBytes(32).toString('base64'),
      verify,
      publicHost: 'parcels.example.com',
    };
    return { ...shared, events, audit: (event: AuditEvent) => void events.push(event) };
  };

  /** A client whose requests go wherever `to` says at the moment. */
  async function through(to: () => URL, era: Era, token: string, answer: () => Promise<void> = async () => {}) {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { capabilities: { elicitation: {} }, versionNegotiation: negotiation(era) },
    );
    client.setRequestHandler('elicitation/create', async () => {
      await answer();
      return yes(true);
    });
    const transport = new StreamableHTTPClientTransport(to(), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      fetch: (_, init) => fetch(to(), init),
    });
    await client.connect(transport);
    return client;
  }

  it('2026-07-28: a call goes on at another replica, also when the first has stopped, and repeats no step', async () => {
    const shared = cluster();
    const [first, second] = [await startReplica(shared), await startReplica(shared)];
    let to = first.url;
    const client = await through(
      () => to,
      '2026-07-28',
      'ann',
      async () => {
        to = second.url;
        await first.stop();
      },
    );
    expect(textOf(await client.callTool({ name: 'parcel_send' }))).toMatch(/^P-\d+ sent for ann$/u);
    expect(shared.events.filter(event => event.kind === 'step-begun')).toHaveLength(1);
    expect(new Set(shared.events.map(event => event.call.flow)).size).toBe(1);
    await client.close();
    await second.stop();
  });

  it('2025-11-25: a session lives in one replica; another does not know it', async () => {
    const shared = cluster();
    const [first, second] = [await startReplica(shared), await startReplica(shared)];
    let to = first.url;
    const client = await through(() => to, '2025-11-25', 'ann');
    expect(textOf(await client.callTool({ name: 'parcel_send' }))).toMatch(/sent for ann$/u);
    to = second.url;
    await expect(client.callTool({ name: 'parcel_send' })).rejects.toThrow(/Session not found/u);
    await client.close();
    await Promise.all([first.stop(), second.stop()]);
  });

  it('a replica lets nobody in without a token', async () => {
    const replica = await startReplica(cluster());
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    expect((await fetch(replica.url, { method: 'POST', headers, body: '{}' })).status).toBe(401);
    await replica.stop();
  });
});

describe('docs/observability.md', () => {
  it('the audit tells of every question and step of a server, and nothing of what was said', async () => {
    const lines: string[] = [];
    const shop = { cancel: () => {}, terms: () => '', accept: () => {} };
    const person = scriptedPerson([{ action: 'accept', content: { refund: 'card', sure: true, reason: 'canary' } }]);
    const mid = audited(line => lines.push(line));
    await using pair = await connectPair(() => shopServer(mid, shop), { era: '2026-07-28', person });
    await pair.client.callTool({ name: 'order_cancel', arguments: { order: 'canary' } });
    const kinds = lines.map(line => (JSON.parse(line) as AuditEvent).kind);
    expect(kinds).toEqual(['asked', 'answered', 'step-begun', 'step-ended', 'ended']);
    expect(lines.join()).not.toContain('canary');
  });

  it('the error of a call that failed is reported, with its stack', async () => {
    const failures: { tool: string | undefined; flow: string | undefined; stack: string }[] = [];
    const shop = {
      cancel: () => {
        throw new Error('The till is closed.');
      },
      terms: () => '',
      accept: () => {},
    };
    const person = scriptedPerson([{ action: 'accept', content: { refund: 'card', sure: true } }]);
    const mid = reported(failure => failures.push(failure));
    await using pair = await connectPair(() => shopServer(mid, shop), { era: '2026-07-28', person });
    await pair.client.callTool({ name: 'order_cancel', arguments: { order: 'o1' } });
    expect(failures).toMatchObject([{ tool: 'order_cancel', stack: expect.stringContaining('The till is closed.') }]);
  });

  it('the log of a host shows a change in it', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'midcall-audit-')), 'audit.jsonl');
    const audit = new Audit({ sink: auditFile(file) });
    audit.record({ type: 'policy', what: 'one' });
    audit.record({ type: 'policy', what: 'two' });
    expect(checked(file)).toBe('2 entries, none changed');
    writeFileSync(file, readFileSync(file, 'utf8').replace('one', 'won'));
    expect(checked(file)).toBe('line 1: This entry was changed after it was written.');
  });
});

it.each(eras)('docs/connect.md, %s: a page of an author’s own kind is shown and finished', async era => {
  const { factory, pages } = workshop({ kind: 'here', browser: false }, { warn: () => {} });
  const person = scriptedPerson([{ action: 'accept' }]);
  await using pair = await connectPair(factory, { era, person, capabilities: { elicitation: { url: {} } } });
  const result = pair.client.callTool({ name: 'join' });
  const { params } = await person.whenAsked(1);
  const who = visitor(params['url'] as string);
  await who.get();
  const page = await who.send({ do: 'code', code: codeIn(params['message'] as string) });
  expect(page.text).toContain('Wear goggles.');
  expect((await who.send({ name: ' ' })).text).toContain('Please write your name.');
  await who.send({ name: 'Ada <b>' });
  expect(textOf(await result)).toBe('Signed by Ada <b>.');
  await pages.close();
});

describe.each(eras)('docs/roots.md and docs/sampling.md, %s', era => {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-docs-'));
  writeFileSync(join(folder, 'boat.md'), 'Mend the boat.');
  const says = (content: unknown, stopReason = 'endTurn') => ({
    role: 'assistant',
    model: 'test',
    content,
    stopReason,
  });
  const done = says({ type: 'text', text: 'A boat.' });

  async function call(name: string, args: Record<string, unknown>, answers: readonly Scripted[] = []) {
    const searched: string[] = [];
    const find = async (words: string) => [`${searched.push(words)} note`];
    const capabilities = { roots: {}, sampling: { tools: {} } };
    const roots = () => [{ uri: pathToFileURL(folder).href }];
    const person = scriptedPerson(answers, { roots });
    const factory = librarian(folder, find, { warn: () => {}, suspectBelowMs: 0 });
    await using pair = await connectPair(factory, { era, person, capabilities });
    return { result: await pair.client.callTool({ name, arguments: args }), searched };
  }

  it('a note is read inside the boundary, and refused outside', async () => {
    expect(textOf((await call('note_read', { path: 'boat.md' })).result)).toBe('Mend the boat.');
    expect((await call('note_read', { path: '/etc/hostname' })).result).toMatchObject({ isError: true });
  });

  it('the client’s model is asked, once and with tools', async () => {
    expect(textOf((await call('note_summarize', { path: 'boat.md' }, [done])).result)).toBe('A boat.');
    const use = says([{ type: 'tool_use', id: '1', name: 'search_notes', input: { words: 'boat' } }], 'toolUse');
    const { result, searched } = await call('notes_ask', { question: 'What is to be mended?' }, [use, done]);
    expect([textOf(result), searched]).toEqual(['A boat.', ['boat']]);
  });
});
