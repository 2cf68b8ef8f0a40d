/** Calls whose results are handed on unchanged, whatever their server answers. */
import { fileURLToPath } from 'node:url';
import { type CallProgress, Connection, type ConnectionEvent, commandTarget, type Era, Inbox } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { grown } from '../../fixtures/grown.ts';
import { few } from '../../fixtures/soak.ts';

const server = fileURLToPath(new URL('raw-server.mjs', import.meta.url));
const eras: readonly Era[] = ['2025-11-25', '2026-07-28'];

async function connected(era: Era) {
  const inbox = new Inbox();
  const target = commandTarget([process.execPath, server, era]);
  const connection = new Connection({ id: 'raw', target }, { client: { name: 't', version: '1' }, inbox, era });
  await connection.start();
  inbox.subscribe(event => {
    if (event.type === 'asked') void inbox.reply(event.question.id, { action: 'accept', content: {} }, 'web');
  });
  const events: string[] = [];
  connection.subscribe((event: ConnectionEvent) => void events.push(event.type));
  const call = (name: string, args: Readonly<Record<string, unknown>> = {}, rest = {}) => {
    const progress: CallProgress[] = [];
    const handle = connection.run(
      { kind: 'tool', name, arguments: args, rest },
      { rawResult: true, onProgress: each => progress.push(each) },
    );
    return { ...handle, progress };
  };
  /** The params of each call that the server was sent, without those that answer a round. */
  const made = async () => {
    const answer = await connection.forward({ method: 'test/said' });
    const { lines } = ('result' in answer ? answer.result : {}) as { lines: Readonly<Record<string, unknown>>[] };
    return lines.filter(each => !('inputResponses' in each));
  };
  return { connection, call, made, events, [Symbol.asyncDispose]: () => connection.stop() };
}

const completed = (result: object) => ({ how: 'completed', result });
const refused = (code: number, message: string, more = {}) => ({ how: 'refused', code, message, ...more });
const inDoubt = (why: string) => ({
  how: 'abandoned',
  message: `${why} The request may have been carried out: find out what took effect before sending it again.`,
  inDoubt: true,
});

const outcomes: readonly (readonly [name: string, outcome: unknown])[] = [
  ['plain', completed({ content: [], calls: 1 })],
  ['failing', { how: 'tool-error', result: { content: [], isError: true } }],
  ['refused', refused(-32050, 'No.', { data: { own: 1 } })],
  ['twice', completed({ content: [] })],
  ['collides', completed({ content: [], calls: 1 })],
  ['more', completed({ content: [] })],
  ['both-members', completed({ content: [] })],
  ['no-object', inDoubt('The server answered with something that is not a JSON-RPC 2.0 response.')],
  ['proto', completed(JSON.parse('{"content":[],"__proto__":{"a":1}}') as object)],
  ['proto-beside', completed({})],
  ['unlike-any-result', completed({ content: 'no list', structuredContent: [1], _meta: { own: true } })],
  ['deep', inDoubt('The server sent an answer that nests more than 1000 levels. It is not read.')],
  ['batch', completed({ content: [{ type: 'text', text: 'in a batch' }] })],
  ['huge', completed({ content: [{ type: 'text', text: 'é'.repeat(300_000) }] })],
  ['split', completed({ content: ['Zoë, 日本'] })],
  ['progress', completed({ content: [], calls: 1 })],
  ['logs', completed({ content: [], calls: 1 })],
  ['same-id', completed({ content: [], calls: 1 })],
  ['stray', completed({ content: [], calls: 1 })],
  ['asks', completed({ content: [], answered: { action: 'accept', content: {} } })],
];

describe.each(few(eras, '2026-07-28'))('a call with a raw result, server of %s,', era => {
  it.each(outcomes)("a raw call is sent once and ends with what its server answered: '%s'", async (name, outcome) => {
    await using on = await connected(era);
    const args = JSON.parse('{"a":1,"__proto__":{"b":2}}') as Readonly<Record<string, unknown>>;
    const call = on.call(name, args, { _meta: { traceparent: '00-1' }, own: [1] });
    expect(await call.outcome).toEqual(outcome);
    const sent = { name, arguments: args, own: [1], _meta: { traceparent: '00-1' } };
    expect(await on.made()).toMatchObject([sent]);
    expect(call.progress).toEqual(name === 'progress' ? [{ progress: 1, message: 'half' }] : []);
    expect(on.events.filter(each => each === 'call-started' || each === 'call-ended')).toEqual([
      'call-started',
      'call-ended',
    ]);
  });

  it('a raw call ends in doubt if its result is of a type that nobody knows, where results have types', async () => {
    await using on = await connected(era);
    const { outcome } = on.call('later');
    expect(await outcome).toMatchObject(
      era === '2026-07-28' ? { how: 'abandoned', inDoubt: true } : { how: 'completed' },
    );
  });

  it('each of several raw calls at once gets its own answer', async () => {
    await using on = await connected(era);
    const names = ['plain', 'plain', 'asks', 'failing', 'refused', 'plain', 'progress', 'huge', 'plain'];
    const ends = await Promise.all(names.map(name => on.call(name).outcome));
    expect(ends.map(({ how }) => how)).toEqual(
      names.map(name => ({ failing: 'tool-error', refused: 'refused' })[name] ?? 'completed'),
    );
    expect(await on.made()).toHaveLength(names.length);
  });

  it('a raw call that is cancelled is stopped at its server, and other calls continue', async () => {
    await using on = await connected(era);
    const [never, other] = [on.call('never'), on.call('never')];
    await grown(never.progress, list => list.length === 1);
    await grown(other.progress, list => list.length === 1);
    expect(on.connection.cancel(never.id)).toBe(true);
    expect(await never.outcome).toEqual({ how: 'cancelled' });
    expect((await on.call('plain').outcome).how).toBe('completed');
    expect(on.connection.cancel(other.id)).toBe(true);
    expect(await other.outcome).toEqual({ how: 'cancelled' });
    expect(await on.made()).toHaveLength(3);
  });

  it('a raw call ends if its server exits, and if its connection is stopped', async () => {
    await using on = await connected(era);
    expect((await on.call('exits').outcome).how).toBe('server-gone');
    await on.connection.restart();
    const { outcome } = on.call('never');
    await on.connection.stop();
    expect((await outcome).how).toBe('server-gone');
  });
});
