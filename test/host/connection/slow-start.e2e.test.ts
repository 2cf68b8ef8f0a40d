/** Servers that are slow to start, have not got the revision, or are no MCP servers at all: they are told apart. */
import { Connection, commandTarget, Inbox } from '@midcall/host';
import { expect, it } from 'vitest';
import { openTransport } from '../../../packages/host/src/connection/transport.ts';
import { LintSession } from '../../../packages/midcall/src/design/lint-session.ts';
import { handClock } from '../clock.ts';

const era = '2026-07-28';
const client = { name: 'test', version: '1.0.0' };
const script = (body: string) => commandTarget([process.execPath, '--input-type=module', '-e', body]);
/** Reads, and says nothing. */
const silent = script('process.stdin.resume()');
const old = script(`import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', line => {
  const { id } = JSON.parse(line);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }));
});`);

function connection(target: ReturnType<typeof script>, onSilent?: (message: string) => void) {
  const clock = handClock();
  const inbox = new Inbox({ clock });
  const made = new Connection({ id: 'slow', target }, { client, inbox, clock, era, ...(onSilent && { onSilent }) });
  return { made, clock };
}

it('a server that does not answer is said to be silent, and not to lack the revision', async () => {
  const { made, clock } = connection(silent);
  const started = made.start();
  expect(clock.waiting).toBe(1);
  clock.move(60_000);
  await expect(started).rejects.toThrow(/could not be started .*: it did not answer in time\.$/);
  expect([made.state, clock.waiting]).toEqual(['failed', 0]);
});

it('a server that answers without the revision is said to lack it', async () => {
  const { made, clock } = connection(old);
  await expect(made.start()).rejects.toThrow(/: it answers, but does not offer revision 2026-07-28\.$/);
  expect(clock.waiting).toBe(0);
});

it('the person is told once of a server that has not answered for 10 seconds, and never of one that ended before', async () => {
  const told: string[] = [];
  const { made, clock } = connection(silent, message => told.push(message));
  const started = made.start();
  clock.move(10_000);
  clock.move(50_000);
  await expect(started).rejects.toThrow(/it did not answer in time/);
  expect(told).toEqual([expect.stringMatching(/^The server 'slow' \(.*\) has not answered for 10 seconds\.$/)]);
  const early = connection(old, message => told.push(message));
  await expect(early.made.start()).rejects.toThrow();
  early.clock.move(10_000);
  expect(told).toHaveLength(1);
});

it('a program that writes something else than MCP is shown with what it wrote, drawn safely', async () => {
  const { made } = connection(script(`console.log('  Listening on\\u001B[2J port 3000\\n  ');`));
  await expect(made.start()).rejects.toThrow(
    "it ended before it answered. Its standard output is not MCP: 'Listening on⟦U+001B⟧[2J port 3000'. " +
      'Does this command serve MCP over standard input and output?',
  );
});

it('the person is told to run a program by itself that ends without a word', async () => {
  const { made } = connection(script('process.exit(0)'));
  await expect(made.start()).rejects.toThrow(/: it ended before it answered\. Run the command by itself to see why\.$/);
});

it('the linter, too, tells apart a silent server, one without the revision and one that ends', async () => {
  const clock = handClock();
  const options = {
    era,
    client,
    startTimeoutMs: 30_000,
    waitMs: 1_000,
    clock,
    roots: [],
    elicitation: undefined,
  } as const;
  const opened = LintSession.open(openTransport(silent), options);
  clock.move(30_000);
  await expect(opened).rejects.toThrow(/could not be reached on 2026-07-28: it did not answer in time\./);
  await expect(LintSession.open(openTransport(old), options)).rejects.toThrow(/does not offer that revision/);
  await expect(LintSession.open(openTransport(script('process.exit(0)')), options)).rejects.toThrow(
    'The server could not be reached on 2026-07-28: it ended before it answered.',
  );
});
