/** Rules about calls as a person uses them: real processes, over standard input and output, and over HTTP. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Connection, commandTarget, Inbox, type Reply, type ServerTarget, urlTarget } from '@midcall/host';
import { eras } from '@midcall/testing';
import { expect, it, onTestFinished } from 'vitest';
import { ownEnvironment } from '../fixtures/own-environment.ts';
import { few } from '../fixtures/soak.ts';

const main = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));
const script = fileURLToPath(new URL('../fixtures/silent-server.mjs', import.meta.url));
const folder = (): string => mkdtempSync(join(tmpdir(), 'midcall-rules-'));
const endless = 2 ** 31 - 1;

/** The command line of the server, and what it has removed so far. */
function server() {
  const list = join(folder(), 'removed');
  writeFileSync(list, '');
  return { words: ['--', process.execPath, script, list], removed: () => readFileSync(list, 'utf8') };
}

function file(content: unknown): string {
  const path = join(folder(), 'file.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const run = (words: readonly string[]) =>
  new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>(resolve => {
    const child = spawn(process.execPath, [main, ...words], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: ownEnvironment(),
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', chunk => (out += chunk));
    child.stderr.on('data', chunk => (err += chunk));
    child.on('close', code => resolve({ code, out, err }));
  });

/** A host whose person gives the same reply to each question. */
async function host(target: ServerTarget, era: (typeof eras)[number], reply: Reply) {
  const inbox = new Inbox();
  const asked: string[] = [];
  inbox.present({
    via: 'test',
    show(question, controls) {
      if ('message' in question) asked.push(question.message);
      void controls.reply(reply);
    },
  });
  const client = { name: 'test-host', version: '1.0.0' };
  const times = { startTimeoutMs: endless, callTimeoutMs: endless };
  const connection = new Connection({ id: 'bridge', target }, { client, inbox, era, ...times });
  const logged: string[] = [];
  connection.subscribe(event => event.type === 'stderr' && logged.push(event.line));
  await connection.start();
  onTestFinished(() => connection.stop());
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const outcome = await connection.run({ kind: 'tool', name, arguments: args }).outcome;
    const { content, _meta } = ('result' in outcome ? outcome.result : {}) as {
      content?: readonly { readonly text: string }[];
      _meta?: Record<string, unknown>;
    };
    return [content?.[0]?.text, _meta?.['io.github.midcall/disposition']];
  };
  return { asked, call, logged };
}

const ways = eras.flatMap(era => (['accept', 'decline'] as const).map(action => [era, action] as const));
it.each(few(ways, ['2025-11-25', 'accept'], ['2026-07-28', 'decline']))(
  'midcall bridge --ask destructive asks a host of %s before what is not annotated as harmless: %s',
  async (era, action) => {
    const { words, removed } = server();
    const bridge = commandTarget([process.execPath, main, 'bridge', '--trust-host', '--ask', 'destructive', ...words]);
    const reply: Reply = action === 'accept' ? { action, content: {} } : { action };
    const on = await host({ ...bridge, env: ownEnvironment() } as ServerTarget, era, reply);
    expect(await on.call('look')).toEqual(['seen', undefined]);
    expect(on.asked).toEqual([]);
    const [text, disposition] = await on.call('remove', { name: 'a' });
    expect(on.asked).toEqual([expect.stringContaining('name: a')]);
    if (action === 'accept') expect([text, disposition, removed()]).toEqual(['removed a', 'executed', 'a\n']);
    else expect([text, disposition, removed()]).toEqual([expect.stringMatching(/^Not done\./), 'not-executed', '']);
    expect(on.logged.join('\n')).toContain('what it says of its tools is trusted');
  },
);

it.each(few(eras, '2026-07-28'))(
  'midcall bridge --http judges the calls of a host of %s by a file of rules, also after it has changed',
  async era => {
    const { words, removed } = server();
    const rules = file([{ server: '*', tools: '*', effect: 'refuse' }]);
    const child = spawn(process.execPath, [main, 'bridge', '--http', '0', '--trust-host', '--rules', rules, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: ownEnvironment(),
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines: string[] = [];
    const url = await new Promise<string>(resolve =>
      createInterface({ input: child.stderr }).on('line', line => {
        lines.push(line);
        const at = / at (http:\S+)/.exec(line)?.[1];
        if (at !== undefined) resolve(at);
      }),
    );
    const on = await host(urlTarget(url), era, { action: 'accept', content: {} });
    expect(await on.call('remove', { name: 'a' })).toEqual([
      expect.stringContaining('A rule of the operator'),
      'not-executed',
    ]);
    writeFileSync(rules, '[{ "server": "*", "tools": "*", "effect": "ask", "labels": { "name": "Note to delete" } }]');
    expect(await on.call('remove', { name: 'b' })).toEqual(['removed b', 'executed']);
    expect(on.asked).toEqual([expect.stringContaining('Note to delete: b')]);
    writeFileSync(
      rules,
      '[{ "server": "*", "tools": "*", "effect": "allow", "where": { "properties": { "name": {} } } }]',
    );
    expect(await on.call('remove', { name: 'c' })).toEqual(['removed c', 'executed']);
    expect(on.asked).toHaveLength(2);
    expect(lines.join('\n')).toMatch(/RULES NOT CHANGED\. .*"name" must have a "type"/);
    expect(removed()).toBe('b\nc\n');
  },
);

it('midcall call asks by a rule, in the terminal or by an answers file, and makes the call after a yes', async () => {
  const { words, removed } = server();
  const rules = file([{ server: '*', tools: ['remove'], effect: 'ask' }]);
  const call = (answers: unknown) =>
    run(['call', 'remove', 'name=a', '--rules', rules, '--answers', file(answers), ...words]);
  const refused = await call([{ action: 'decline' }]);
  expect(refused.out).toMatch(/^Not done\. The person said no\./);
  expect(removed()).toBe('');
  expect((await call([])).out).not.toContain('removed');
  expect(removed()).toBe('');
  expect(await call([{ action: 'accept' }])).toMatchObject({ code: 0, out: 'removed a\n' });
  expect(removed()).toBe('a\n');
});

it('midcall call --observe makes every call, and says what the rules would have done', async () => {
  const { words, removed } = server();
  const rules = file([{ server: '*', tools: ['remove'], effect: 'refuse' }]);
  const observed = await run([
    'call',
    'remove',
    'name=a',
    '--rules',
    rules,
    '--observe',
    '--answers',
    file([]),
    ...words,
  ]);
  expect(observed).toMatchObject({ code: 0, out: 'removed a\n' });
  expect(observed.err).toContain('The rules are only observed: no call is held, and none is refused.');
  expect(observed.err).toContain("'remove' was called; they would have refused it, because rule 1 says refuse");
  expect(removed()).toBe('a\n');
});

it('midcall rules init proposes rules, and rules test says which of them decides; neither calls a tool', async () => {
  const { words, removed } = server();
  const init = await run(['rules', 'init', ...words]);
  expect(JSON.parse(init.out)).toEqual([
    { server: 'silent-server', tools: ['look'], effect: 'allow' },
    { server: 'silent-server', tools: '*', effect: 'ask' },
  ]);
  const none = join(folder(), 'rules.json');
  expect(await run(['rules', 'test', 'look', '--rules', none, ...words])).toEqual({
    code: 2,
    out: '',
    err: `midcall: There are no rules in ${none}. To see some to begin with: midcall rules init -- <command>\n`,
  });
  const rules = file(init.out);
  const test = (...call: readonly string[]) => run(['rules', 'test', ...call, '--rules', rules, ...words]);
  expect((await test('look')).out).toBe('rule 1 decides: allow\nallow: because rule 1 says allow\n');
  expect((await test('remove', 'name=a')).out).toBe(
    'rule 1 is passed over: it is about other tools\nrule 2 decides: ask\nask: because rule 2 says ask\n',
  );
  expect(removed()).toBe('');
});

it.each([['call', 'remove', 'name=a'], ['bridge'], ['desk', '--no-keep']])(
  'no command starts anything with rules that cannot be understood: %s',
  async (...command) => {
    const { words, removed } = server();
    const rules = file([{ server: '*', tools: '*', effect: 'ask', from: 'finance' }]);
    const ran = await run([...command, '--rules', rules, ...words]);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain('Rule 1 asks people in their inboxes, which only a bridge with --inbox has.');
    expect(removed()).toBe('');
  },
);
