/** The examples as users start them, in a process of their own over standard input and output, in both eras. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Era, eras, negotiation, type Scripted, scriptedPerson } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { asResult } from '../sources/stage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = ['--import', join(root, 'tools/load-typescript.mjs'), join(root, 'tools/example.ts')];
const run = promisify(execFile);

let directory: string;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'midcall-examples-')), 'data');
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  await rm(join(directory, '..'), { recursive: true });
});

const accept = (content: object) => ({ action: 'accept', content });
const fileOf = async (name: string) => JSON.parse(await readFile(join(directory, name), 'utf8'));

interface Command {
  readonly command: string;
  readonly args: readonly string[];
}
const example = (...args: string[]): Command => ({
  command: process.execPath,
  args: [...script, ...args, '--data', directory],
});

async function start(
  command: Command,
  era: Era,
  answers: readonly Scripted[] = [],
  capabilities: object = { elicitation: {} },
) {
  const person = scriptedPerson(answers);
  const client = new Client({ name: 'e2e', version: '1.0.0' }, { capabilities, versionNegotiation: negotiation(era) });
  person.attach(client, capabilities);
  const transport = new StdioClientTransport({ ...command, args: [...command.args], cwd: root, stderr: 'ignore' });
  await client.connect(transport);
  open.push(client);
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    asResult(await client.callTool({ name, arguments: args }));
  return { call, person, client };
}

describe.each(few(eras, '2026-07-28'))('%s', era => {
  it('the example serves tasks: preferences, a batch with a person’s yes, and nothing without one', async () => {
    const approve = { action: 'approve', confirm_via_elicitation: true };
    const { call, person } = await start(example('tasks'), era, [
      accept({ include_hints: false }),
      { action: 'decline' },
      accept({ proceed: true }),
    ]);
    const primed = await call('session', { action: 'prime', ask_preferences: true });
    expect(primed.data).toMatchObject({ tasks: { total: 6 }, elicitation: 'ok' });
    expect(JSON.parse(primed.text)).toEqual(primed.data);
    const before = await fileOf('tasks.json');
    expect((await call('task_workflow', approve)).data).toMatchObject({ success: false, cancelled: true });
    expect(await fileOf('tasks.json')).toEqual(before);
    expect((await call('task_workflow', approve)).data).toEqual({ success: true, approved: ['T-2', 'T-3', 'T-6'] });
    const { tasks } = await fileOf('tasks.json');
    expect(tasks.filter((task: { status: string }) => task.status === 'Review')).toEqual([]);
    expect((await call('task_workflow', { action: 'delete', task_id: 'T-99' })).isError).toBe(true);
    expect(person.asked).toHaveLength(3);
  });

  it('the example ends a task’s question when its time is up', async () => {
    const command = example('tasks', '--preference-timeout', '1');
    // The server set the time before the question came here, by the same clock: once it shows later, the answer is late.
    const late = async () => {
      const due = Date.now() + 1;
      while (Date.now() <= due) await setImmediate();
      return accept({ include_tasks: false });
    };
    const { call } = await start(command, era, [era === '2025-11-25' ? 'never' : late]);
    const { data } = await call('session', { action: 'prime', ask_preferences: true });
    expect(data).toMatchObject({ elicitation: 'timeout', tasks: { total: 6 } });
  });

  it('the example serves payments: the person picks the account, and the ledger shows one payment', async () => {
    const pay = { amount: 12.5, recipient: 'Ada' };
    const { call, person } = await start(example('payments'), era, [
      accept({ account_id: 'ACC-00982211', confirmed: true }),
      { action: 'cancel' },
    ]);
    const paid = await call('process_payment', pay);
    expect(paid.text).toMatch(/^Payment TX-[0-9A-F]{8} processed successfully\.$/);
    expect((await call('process_payment', pay)).text).toBe('Payment cancelled by user.');
    const { payments } = await fileOf('ledger.json');
    expect(payments).toMatchObject([{ transaction_id: paid.data['transaction_id'], account_id: 'ACC-00982211' }]);
    expect((await call('process_payment', { amount: -1, recipient: 'Ada' })).isError).toBe(true);
    expect((await call('delete_record', { id: 'REC-1', confirm: false })).text).toBe('Set confirm=true to proceed.');
    expect((await call('delete_record', { id: 'REC-1', confirm: true })).text).toBe('Deleted REC-1');
    expect(person.asked).toHaveLength(2);
  });

  it('the canonical example serves clients that can be asked and clients that cannot', async () => {
    const able = await start(example('canonical'), era, [{ action: 'decline' }]);
    expect((await able.call('delete_all', { confirm: true })).text).toBe('Cancelled.');
    const unable = await start(example('canonical'), era, [], {});
    expect((await unable.call('delete_all')).text).toMatch(/^Confirmation required\. Please ask the user: '/);
    expect((await unable.call('list_items')).data['items']).toHaveLength(5);
    expect((await unable.call('delete_all', { confirm: true })).data).toEqual({ outcome: 'deleted', deleted: 5 });
    expect((await able.call('list_items')).data['items']).toEqual([]);
  });

  it('the example says what is wrong with a ledger that is damaged, locked or cannot grow, and leaves it whole', async () => {
    const yes = accept({ account_id: 'ACC-00417729', confirmed: true });
    const pay = { amount: 1, recipient: 'Ada' };
    // A limit on the size of files, as a disk that is nearly full has: a write stops in the middle.
    const full = {
      command: 'bash',
      args: ['-c', 'ulimit -f 16 && exec "$0" "$@"', process.execPath, ...example('payments').args],
    };
    const { call } = await start(full, era, [yes, yes, yes]);
    const path = join(directory, 'ledger.json');
    const good = await fileOf('ledger.json');
    const earlier = { transaction_id: 'TX-0', key: '0', account_id: 'ACC-00417729', amount_cents: 1 };
    const grown = JSON.stringify({ ...good, payments: [{ ...earlier, recipient: 'x'.repeat(16_000) }] });
    await writeFile(path, grown);
    const stopped = await call('process_payment', pay);
    expect([stopped.text.split('(')[0], stopped.isError]).toEqual(['ledger.json could not be written ', true]);
    expect(await readFile(path, 'utf8')).toBe(grown);

    await writeFile(path, JSON.stringify(good));
    await writeFile(`${path}.lock`, '');
    expect((await call('process_payment', pay)).text).toMatch(/^ledger\.json is locked/);
    await rm(`${path}.lock`);
    expect((await readdir(directory)).toSorted()).toEqual(['ledger.json', 'records.json']);
    expect((await call('process_payment', pay)).data['outcome']).toBe('paid');

    await writeFile(path, '{"accounts": [');
    const { text, isError } = await call('process_payment', pay);
    expect([text, isError]).toEqual([expect.stringMatching(/^ledger\.json is damaged/), true]);
    expect(await readFile(path, 'utf8')).toBe('{"accounts": [');
  });
});

it('001-07: the example runs the handlers of tasks from a command line, where nothing is asked', async () => {
  const on = (...args: string[]) => run(process.execPath, [...script, 'tasks', '--data', directory, 'run', ...args]);
  const primed = await on('session', '{"action": "prime", "ask_preferences": true}');
  expect(JSON.parse(primed.stdout)).toMatchObject({ success: true, tasks: { total: 6 } });
  const approved = await on('task_workflow', '{"action": "approve"}');
  expect(JSON.parse(approved.stdout)).toEqual({ success: true, approved: ['T-2', 'T-3', 'T-6'] });
  await expect(on('task_workflow', '{"action": "delete", "task_id": "T-99"}')).rejects.toMatchObject({
    code: 1,
    stderr: "There is no task 'T-99'. Nothing was changed.\n",
  });
});

it('an example starts through npm with nothing but the protocol on standard output', async () => {
  const child = spawn('npm', ['run', '--silent', 'example', '--', 'canonical', '--data', directory], { cwd: root });
  const version = '2025-11-25';
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'bare', version: '1.0.0' } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    if (said.includes('\n')) break;
  }
  expect(JSON.parse(said)).toMatchObject({
    id: 1,
    result: { protocolVersion: version, serverInfo: { title: 'Items' } },
  });
  const gone = once(child, 'exit');
  child.stdin.end();
  await gone;
});

it('an example fills a missing or an empty directory, and never one that holds something', async () => {
  await mkdir(directory);
  await start(example('payments'), '2025-11-25');
  expect((await readdir(directory)).toSorted()).toEqual(['ledger.json', 'records.json']);
  const { call } = await start(example('canonical'), '2025-11-25');
  expect((await readdir(directory)).toSorted()).toEqual(['ledger.json', 'records.json']);
  const { text, isError } = await call('list_items');
  expect([text, isError]).toEqual(['items.json cannot be read (ENOENT). Nothing was changed.', true]);
});

it('the starter of examples says how it is used', async () => {
  for (const args of [['nothing'], ['tasks', '--confirm-timeout', '-1']]) {
    const failed = run(process.execPath, [...script, ...args]);
    await expect(failed).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/Usage|timeout/) });
  }
});
