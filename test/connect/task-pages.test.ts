/** Tasks that ask on pages, and are cancelled: the page goes with them, and the record says so, whatever was waited for. */
import { type AuditEvent, midcall } from '@midcall/server';
import { confirm, connect, type SignIn } from '@midcall/server/connect';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { type Carrier, rawClient } from '../server/raw-client.ts';

const key = 'MtZ4E5jHpHZERtR5RS2mCJoBHbWIULrRYPXZURNuBAM=';
const capabilities = { elicitation: { url: {}, form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };
const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const ada = { issuer: 'https://login.example', subject: 'ada' };
/** Everybody who opens a page is Ada. */
const signIn: SignIn = {
  issuer: ada.issuer,
  principal: async () => ada,
  begin: () => Promise.reject(new Error('Ada is signed in.')),
  mount() {},
};

async function waiting(carrier: Carrier) {
  const events: AuditEvent[] = [];
  const pages = connect({
    name: 'Notes',
    reach: { kind: 'here', browser: false },
    ...(carrier === 'http' && { signIn }),
  });
  const mid = midcall({
    key,
    pages,
    channels: ['native'],
    principal: () => ada,
    warn: () => {},
    audit: event => events.push(event),
  });
  open.push({ [Symbol.asyncDispose]: () => mid.stop() });
  let steps = 0;
  const made = await rawClient(
    () => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      mid.tool(server, 'wipe', { task: 'always' }, async (_, call) => {
        await call.elicitUrl({ message: 'Wipe it all?', page: confirm() });
        await call.step('after', () => ++steps);
        return 'over';
      });
      return server;
    },
    carrier,
    {},
  );
  open.push(made);
  // biome-ignore lint/suspicious/noExplicitAny: whatever is answered
  const send = async (method: string, params: object): Promise<any> =>
    (await made.send(method, params as never, { capabilities })).result;
  const { taskId } = await send('tools/call', { name: 'wipe', arguments: {} });
  // biome-ignore lint/suspicious/noExplicitAny: whatever is answered
  let task: any;
  const until = (status: string) =>
    eventually(async () => {
      task = await send('tasks/get', { taskId });
      return task.status === status;
    });
  await until('input_required');
  const [asked = ''] = Object.keys(task.inputRequests);
  const url = String(task.inputRequests[asked].params.url);
  const page = async () => (await fetch(url)).text();
  const consent = () => send('tasks/update', { taskId, inputResponses: { [asked]: { action: 'accept' } } });
  return {
    mid,
    events,
    page,
    consent,
    until,
    said: () => task.statusMessage,
    cancel: () => send('tasks/cancel', { taskId }),
    steps: () => steps,
  };
}

describe.each(['memory', 'http'] as const)('a task over %s that is cancelled', carrier => {
  it('a cancelled task withdraws the page that its person was asked to open', async () => {
    const { mid, events, page, until, cancel, steps } = await waiting(carrier);
    expect((await mid.calls()).map(({ kind }) => kind).sort()).toEqual(['page', 'task']);
    await cancel();
    await until('cancelled');
    expect(await page()).toContain('This is no longer needed');
    expect([await mid.calls(), steps()]).toEqual([[], 0]);
    expect(events.flatMap(event => (event.kind === 'ended' ? [event.outcome] : []))).toEqual(['cancelled']);
  });

  it('a cancelled task withdraws the page that its person is on', async () => {
    const { mid, events, page, consent, until, cancel, steps } = await waiting(carrier);
    await consent();
    await until('working');
    await cancel();
    await until('cancelled');
    await eventually(async () => (await page()).includes('This is no longer needed'));
    await eventually(async () => (await mid.calls()).length === 0);
    await eventually(() => events.some(({ kind }) => kind === 'ended'));
    expect(events.flatMap(event => (event.kind === 'ended' ? [event.outcome] : []))).toEqual(['cancelled']);
    expect(steps()).toBe(0);
  });

  it('a task that is ended by whoever runs the server withdraws its page, too', async () => {
    const { mid, page, consent, until, said, steps } = await waiting(carrier);
    await consent();
    await until('working');
    const task = (await mid.calls()).find(({ kind }) => kind === 'task')!;
    expect(await mid.cancel(task.id)).toBe(true);
    await until('cancelled');
    expect(said()).toBe('This task was ended by whoever runs the server.');
    await eventually(async () => (await page()).includes('This is no longer needed'));
    expect(steps()).toBe(0);
  });
});

describe.each(eras)('a task over HTTP, on %s', era => {
  it('a task over HTTP gives nobody a page that whoever reads the link could finish', async () => {
    const pages = connect({ name: 'Notes', reach: { kind: 'here', browser: false } });
    const warned: string[] = [];
    const mid = midcall({ key, pages, warn: message => warned.push(message) });
    open.push({ [Symbol.asyncDispose]: () => mid.stop() });
    const person = scriptedPerson([]);
    const pair = await connectPair(
      () => {
        const server = new McpServer({ name: 'notes', version: '1.0.0' });
        mid.tool(server, 'wipe', { task: 'always' }, async (_, call) => {
          const answer = await call.elicitUrl({ message: 'Wipe it all?', page: confirm() });
          return answer.action === 'cancel' ? answer.reason : answer.action;
        });
        return server;
      },
      { era, carrier: 'http', tasks: true, person, capabilities: { elicitation: { form: {}, url: {} } } },
    );
    open.push(pair);
    const result = await pair.client.callTool({ name: 'wipe' });
    expect(result.content).toEqual([{ type: 'text', text: 'unavailable' }]);
    expect(person.asked).toEqual([]);
    expect(warned).toEqual([expect.stringContaining('Give connect() a baseUrl and signIn')]);
  });
});
