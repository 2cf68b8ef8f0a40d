/** Several forms as one question, asked by processes over standard input and output and over HTTP, in both eras. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Era, eras, negotiation } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { travelCommand } from '../../fixtures/travel-server.ts';

interface AskedForm {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Readonly<Record<string, { readonly default?: unknown }>> };
}
type Answer = { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: Record<string, unknown> };
type Person = (asked: AskedForm, index: number) => Answer | Promise<Answer>;

const accept = (content: Record<string, unknown>): Answer => ({ action: 'accept', content });

/** A server over HTTP in a process of its own. */
async function httpServer(env: NodeJS.ProcessEnv = {}): Promise<{ readonly url: URL; readonly child: ChildProcess }> {
  const { command, args } = travelCommand('--http');
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return { url: new URL(line), child };
}

const carriers = {
  stdio: async () => new StdioClientTransport({ ...travelCommand(), stderr: 'ignore' }),
  http: async () => new StreamableHTTPClientTransport((await httpServer()).url),
};

/** A client whose person can be another for each call. */
async function traveller(era: Era, transport: StdioClientTransport | StreamableHTTPClientTransport) {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: negotiation(era) },
  );
  let ask: (asked: AskedForm) => Answer | Promise<Answer>;
  client.setRequestHandler(
    'elicitation/create',
    async ({ params }) => (await ask(params as unknown as AskedForm)) as never,
  );
  await client.connect(transport);
  onTestFinished(() => client.close());
  return async (person: Person) => {
    const asked: AskedForm[] = [];
    ask = question => person(question, asked.push(question) - 1);
    const { content } = await client.callTool({ name: 'trip_plan', arguments: {} }, { timeout: 600_000 });
    return { text: (content as { text: string }[])[0]!.text, asked };
  };
}

const answers =
  (all: readonly Answer[]): Person =>
  (_, index) =>
    all[index]!;

const processes = eras.flatMap(era => (['stdio', 'http'] as const).map(carrier => [era, carrier] as const));

it.each(processes)(
  'wizard-W1, wizard-W2, wizard-W3, wizard-W4: %s over %s: a wizard goes forwards and back through the forms of a process, and ends in the middle',
  async (era, carrier) => {
    const plan = await traveller(era, await carriers[carrier]());
    const { text, asked } = await plan(
      answers([
        accept({ day: '2027-03-01', return: false }),
        accept({ seat: '1A' }),
        accept({ seat: '2B' }),
        accept({ next: 'dates' }),
        accept({ day: '2027-03-02', return: true }),
        accept({ day: '2027-03-08' }),
        accept({ next: '.send' }),
      ]),
    );
    expect(text).toBe('Seat 2B, out on 2027-03-02, back on 2027-03-08.');
    expect(asked.map(({ message }) => message.split('\n\n').slice(1).join(' '))).toEqual([
      'Step 1 of 2: Dates',
      'Step 2 of 2: Seat',
      'Step 2 of 2: Seat The last answer did not fit. 1A has just been taken.',
      'Check your answers.\nDates: Departure: 2027-03-01, With a return flight: no\nSeat: Seat: 2B',
      'Step 1 of 2: Dates',
      'Step 2 of 3: Return',
      'Check your answers.\nDates: Departure: 2027-03-02, With a return flight: yes\nReturn: Return: 2027-03-08\nSeat: Seat: 2B',
    ]);
    const { day } = asked[4]!.requestedSchema.properties;
    expect(day?.default).toBe('2027-03-01');

    const mended = await plan(
      answers([
        accept({ day: '2027-12-01', return: true }),
        accept({ day: '2027-03-08' }),
        accept({ day: '2027-03-08', change: 'dates' }),
        accept({ day: '2027-03-01', return: true }),
        accept({ seat: '1B' }),
        accept({ next: '.send' }),
      ]),
    );
    expect(mended.text).toBe('Seat 1B, out on 2027-03-01, back on 2027-03-08.');

    const declined = await plan(answers([accept({ day: '2027-03-01', return: false }), { action: 'decline' }]));
    expect([declined.text, declined.asked.length]).toEqual([
      expect.stringMatching(/^No trip was planned: the person said no/),
      2,
    ]);
  },
);

it('wizard-W5: a wizard goes on in another process with all that was answered, where the one that asked is killed', async () => {
  const env = { MIDCALL_KEY: randomBytes(32).toString('base64') };
  let server = await httpServer(env);
  const transport = new StreamableHTTPClientTransport(server.url, {
    fetch: (url, init) => fetch(new URL(new URL(url).pathname, server.url), init),
  });
  const plan = await traveller('2026-07-28', transport);
  const { text } = await plan(async (_, index) => {
    if (index !== 2) return [accept({ day: '2027-03-01', return: false }), accept({ seat: '1B' })][index]!;
    const gone = once(server.child, 'exit');
    server.child.kill('SIGKILL');
    await gone;
    server = await httpServer(env);
    return accept({ next: '.send' });
  });
  expect(text).toBe('Seat 1B, out on 2027-03-01, one way.');
});
