/** Frames are seen wherever they pass between processes. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compileTaps } from '../../tools/compile-taps.ts';
import type { Frame } from '../../tools/frames-judge.ts';
import { preloading } from '../../tools/tap.ts';

const tap = join(await compileTaps(), 'frames-tap.cjs');

/** Runs a program with the tap on, and gives what it recorded. */
async function tapped(program: string): Promise<Frame[]> {
  const directory = mkdtempSync(join(tmpdir(), 'midcall-tap-'));
  const env = {
    ...process.env,
    NODE_OPTIONS: preloading(tap),
    MIDCALL_FRAMES_DIR: directory,
    MIDCALL_FRAMES_TEST: 'a',
  };
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', chunk => {
    said += chunk;
  });
  const code = await new Promise(resolve => child.on('close', resolve));
  expect({ code, said }).toEqual({ code: 0, said: '' });
  const written = readdirSync(directory).map(name => readFileSync(join(directory, name), 'utf8'));
  return written.flatMap(text => text.split('\n').filter(Boolean)).map(line => JSON.parse(line) as Frame);
}

const seen = (frames: readonly Frame[]) =>
  frames.map(({ test, from, over, frame, text }) => [test, from, over, (frame as { id?: number })?.id ?? text]);

it('the tap records both sides of a child process, and what is no JSON-RPC once it has spoken', async () => {
  const frames = await tapped(`
    import { spawn } from 'node:child_process';
    const echo = "process.stdout.write('starting\\\\n');process.stdin.on('data',d=>process.stdout.write(d.toString().replace('1}','2}')))";
    const child = spawn(process.execPath, ['-e', echo], { stdio: ['pipe', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', chunk => {
      text += chunk;
      if (text.endsWith('oops\\n')) child.kill();
      else if (text.endsWith('2}\\n')) child.stdin.end('oops\\n');
      else if (text.endsWith('starting\\n')) child.stdin.write('{"jsonrpc":"2.0",'), child.stdin.write('"id":1}\\n');
    });
  `);
  expect(seen(frames)).toEqual([
    ['a', 'client', 'stdio', 1],
    ['a', 'server', 'stdio', 2],
    ['a', 'client', 'stdio', 'oops'],
    ['a', 'server', 'stdio', 'oops'],
  ]);
});

it('the tap records both sides of an HTTP server: JSON, events, and a body that is neither', async () => {
  const frames = await tapped(`
    import { createServer } from 'node:http';
    const server = createServer((req, res) => {
      req.resume().on('end', () => {
        if (req.url === '/events') res.write('data: {"jsonrpc":"2.0","id":4}\\n\\ndata: {"jsonr'), res.end('pc":"2.0","id":5}\\n\\n');
        else res.end('{"jsonrpc":"2.0","id":2}');
      });
    }).listen(0, async () => {
      const base = 'http://127.0.0.1:' + server.address().port;
      const post = async (path, body) => (await fetch(base + path, { method: 'POST', body })).text();
      await post('/mcp', '{"jsonrpc":"2.0","id":1}');
      await post('/events', '{"jsonrpc":"2.0","id":3}');
      await post('/mcp', 'oops');
      server.close();
      server.closeAllConnections();
    });
  `);
  expect(seen(frames).map(([, ...rest]) => rest)).toEqual([
    ['client', 'http', 1],
    ['server', 'http', 2],
    ['client', 'http', 3],
    ['server', 'http', 4],
    ['server', 'http', 5],
    ['client', 'http', 'oops'],
    ['server', 'http', 2],
  ]);
});

it('the tap writes down a thousand of a letter that makes a frame long, and all of what stands around', async () => {
  const frames = await tapped(`
    import { createServer } from 'node:http';
    const server = createServer((req, res) => req.resume().on('end', () => res.end('{"jsonrpc":"2.0","id":2}')));
    server.listen(0, async () => {
      const method = 'tools/' + 'x'.repeat(12_000_000) + 'canary' + ' '.repeat(2_000);
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method });
      await (await fetch('http://127.0.0.1:' + server.address().port + '/mcp', { method: 'POST', body })).text();
      server.close();
      server.closeAllConnections();
    });
  `);
  const [asked] = frames.map(({ frame }) => (frame as { method: string }).method);
  expect(asked).toBe(`tools/${'x'.repeat(1_000)}canary${' '.repeat(2_000)}`);
});
