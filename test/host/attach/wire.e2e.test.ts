/** What goes over the wire, seen from outside: capabilities per era, list changes, and rounds taken up by another process. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attach, type ConnectionEvent, type Era, Inbox, machineDisk, OfferedRoots } from '@midcall/host';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../packages/server/src/stores/memory.ts';
import { askingServer, connected, nextQuestion, person, said } from '../person.ts';

type Frame = { readonly method?: string; readonly params?: Readonly<Record<string, unknown>> };

async function wired(era: Era) {
  const roots = new OfferedRoots({ disk: machineDisk });
  const inbox = new Inbox();
  const client = new Client(
    { name: 'plain-client', version: '1.0.0' },
    { versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } },
  );
  attach(client, { server: { id: 'asking', origin: 'node asking' }, inbox, roots });
  const transport = new StdioClientTransport({ command: process.execPath, args: [askingServer], stderr: 'ignore' });
  const sent: Frame[] = [];
  const send = transport.send.bind(transport);
  transport.send = message => {
    sent.push(message as Frame);
    return send(message);
  };
  await client.connect(transport);
  return { client, inbox, roots, sent };
}

const temporary = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'wire-')));

describe('on the wire', () => {
  it('000-02, elicit-08: the host declares roots with listChanged on 2025-11-25, and announces one change once', async () => {
    const { client, roots, sent } = await wired('2025-11-25');
    const { uri } = await roots.add(temporary());
    await roots.grant('asking', [uri]);
    await roots.grant('other', [uri]);
    await client.callTool({ name: 'plain', arguments: {} });
    await client.close();
    expect(sent.find(frame => frame.method === 'initialize')?.params).toMatchObject({
      capabilities: { elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
    });
    expect(sent.filter(frame => frame.method === 'notifications/roots/list_changed')).toHaveLength(1);
  });

  it('elicit-09: the host declares roots without listChanged in every request on 2026-07-28, and announces nothing', async () => {
    const { client, roots, sent } = await wired('2026-07-28');
    await roots.add(temporary());
    await client.callTool({ name: 'plain', arguments: {} });
    await client.close();
    const calls = sent.filter(frame => frame.method === 'tools/call');
    expect(calls).toHaveLength(1);
    const meta = calls[0]?.params?.['_meta'] as Record<string, unknown>;
    expect(meta['io.modelcontextprotocol/clientCapabilities']).toEqual({
      elicitation: { form: {}, url: {} },
      extensions: { 'io.modelcontextprotocol/tasks': {} },
      roots: {},
    });
    expect(JSON.stringify(sent)).not.toContain('listChanged');
    expect(sent.some(frame => frame.method === 'notifications/roots/list_changed')).toBe(false);
  });

  it.each<Era>(['2025-11-25', '2026-07-28'])(
    'a question of a plain client.callTool reaches the person like those of the host’s own calls, %s',
    async era => {
      const { client, inbox } = await wired(era);
      inbox.present(person(() => ({ action: 'accept', content: { colour: 'red' } })));
      const result = await client.callTool({ name: 'form', arguments: {} });
      expect(said({ how: 'completed', result } as never)).toMatchObject({ action: 'accept' });
      await client.close();
    },
  );
});

describe('a question and the process that asks it', () => {
  it('2026-07-28: another process takes a question up under the same id, and the call is retried with its answer', async () => {
    const store = memoryStore();
    const first = await connected('2026-07-28', { store, inbox: new Inbox({ store }) });
    first.connection.run({ kind: 'tool', name: 'form', arguments: { n: 7 } });
    const question = await nextQuestion(first.inbox);
    await first.connection.stop({ keepQuestions: true });
    await first.inbox.settled();

    const inbox = new Inbox({ store });
    expect((await inbox.restore()).map(each => each.id)).toEqual([question.id]);
    const { connection } = await connected('2026-07-28', { store, inbox });
    expect(await connection.resume()).toEqual([question.call?.id]);
    const ended = new Promise<Extract<ConnectionEvent, { type: 'call-ended' }>>(resolve => {
      connection.subscribe(event => event.type === 'call-ended' && resolve(event));
    });
    await inbox.reply(question.id, { action: 'accept', content: { colour: 'green' } }, 'script');
    const { call, outcome } = await ended;
    expect(call).toMatchObject({ id: question.call!.id, arguments: { n: 7 } });
    expect(said(outcome as never)).toMatchObject({ action: 'accept', content: { colour: 'green' } });
    await connection.stop();
    expect(await new Inbox({ store }).restore()).toEqual([]);
    expect(await store.get('host:rounds:asking')).toBeUndefined();
  });

  it('2025-11-25: a question ends as server-gone, since the request died with its connection', async () => {
    const store = memoryStore();
    const first = await connected('2025-11-25', { store, inbox: new Inbox({ store }) });
    first.connection.run({ kind: 'tool', name: 'form' });
    const question = await nextQuestion(first.inbox);
    await first.inbox.settled();
    const inbox = new Inbox({ store });
    expect(await inbox.restore()).toEqual([]);
    expect(inbox.ending(question.id)).toEqual({ how: 'server-gone' });
    await first.connection.stop();
  });
});
