/** `midcall desk` on the command line: what it is given, what it says, what it leaves behind. */
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'midcall-desk-'));

/** Runs a desk that is expected to end by itself. */
function ended(args: readonly string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [main, 'desk', '--no-keep', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.on('data', chunk => (said.out += chunk));
  child.stderr.on('data', chunk => (said.err += chunk));
  return new Promise(resolve => child.once('exit', code => resolve({ code, ...said })));
}

describe('bad input', () => {
  it.each([
    ['a port that is none', ['--port', '70000'], /0 to 65535/],
    ['a missing mcp.json', ['--config', join(place, 'none.json')], /There is no file/],
    ['a URL that is none', ['--url', 'nonsense'], /not a complete web address/],
    ['a root that is not there', ['--root', join(place, 'none')], /no directory/],
    ['an era that is none', ['--era', '1999'], /--era must be auto/],
  ])('%s is named, and nothing is started', async (_, args, message) => {
    const { code, out, err } = await ended(args);
    expect(err).toMatch(message);
    expect(out).toBe('');
    expect(code).not.toBe(0);
  });

  it('a port that is taken is named', async () => {
    const taken = createServer();
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, err } = await ended(['--port', String(port)]);
    expect(err).toMatch(`Port ${port} on 127.0.0.1 is taken`);
    expect(code).toBe(3);
    taken.close();
  });
});

describe('several servers', () => {
  let child: ReturnType<typeof spawn>;
  let url: string;
  let cookie: string;

  beforeAll(async () => {
    const config = join(place, 'mcp.json');
    const notes = { command: process.execPath, args: [main, 'notes'] };
    writeFileSync(config, JSON.stringify({ mcpServers: { one: notes, two: { command: '/no/such/program' } } }));
    child = spawn(
      process.execPath,
      [main, 'desk', '--no-keep', '--config', config, '--root', place, '--', process.execPath, main, 'notes'],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    url = await new Promise<string>(resolve => {
      createInterface({ input: child.stdout! }).once('line', line => resolve(/^Midcall desk: (\S+)$/.exec(line)![1]!));
    });
    const entered = await fetch(url, { redirect: 'manual' });
    cookie = entered.headers.get('set-cookie')!.split(';')[0]!;
    url = new URL(entered.headers.get('location')!, url).href;
  });
  afterAll(async () => {
    child.kill('SIGTERM');
    await new Promise(resolve => child.once('exit', resolve));
  });

  it('several servers are all on the desk, with the folder that was granted; one that does not start says why', async () => {
    const events = await fetch(new URL('events?since=0', url), { headers: { cookie } });
    const reader = events.body!.getReader();
    const home = async () => (await fetch(url, { headers: { cookie } })).text();
    let text = await home();
    while ((text.match(/server-row-trouble|server-row-counts"><span/g)?.length ?? 0) < 3) {
      await reader.read();
      text = await home();
    }
    await reader.cancel();
    expect(text).toContain('row-trouble">There is no program');
    const [one] = /servers\/one/.exec(text)!;
    const page = await fetch(new URL(one, url), { headers: { cookie } });
    expect(await page.text()).toContain(place);
  });
});
