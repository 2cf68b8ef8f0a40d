/** The recipes of docs/mount.md for Bun and Deno, in those runtimes: npm has their programs for Linux. */
import { spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { eras, negotiation, scriptedPerson } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../tools/places.ts';
import { fromNpm } from '../fixtures/from-npm.ts';

const runtimes = {
  bun: { from: '@oven/bun-linux-x64', program: 'bin/bun', args: ['run'] },
  deno: {
    from: '@deno/linux-x64-glibc',
    program: 'deno',
    args: ['run', '--allow-net', '--allow-env', '--allow-read', '--node-modules-dir=manual'],
  },
} as const;

describe.each(Object.keys(runtimes) as (keyof typeof runtimes)[])('examples/mount/%s.ts', name => {
  it.runIf(process.platform === 'linux' && process.arch === 'x64').each(eras)(
    'an endpoint on another runtime asks a client of %s',
    async era => {
      const { from, program, args } = runtimes[name];
      const path = fromNpm(`runtimes/${name}`, from, `${from}/${program}`);
      expect(path).toBeDefined();
      chmodSync(path!, 0o755);
      const child = spawn(path!, [...args, `examples/mount/${name}.ts`], {
        cwd: root,
        env: { ...process.env, PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const url = await new Promise<URL>((resolve, reject) => {
        createInterface(child.stdout).on('line', line => line.startsWith('http') && resolve(new URL('mcp', line)));
        child.once('exit', code => reject(new Error(`${name} ended with ${code}`)));
      });
      const capabilities = { elicitation: {} };
      const person = scriptedPerson([{ action: 'accept', content: { value: 'red' } }]);
      const client = new Client(
        { name: 'test', version: '1.0.0' },
        { capabilities, versionNegotiation: negotiation(era) },
      );
      person.attach(client, capabilities);
      await client.connect(new StreamableHTTPClientTransport(url));
      const { content } = await client.callTool({ name: 'wall_paint' });
      expect((content[0] as { text: string }).text).toBe('Painted 12 m red.');
      await client.close();
    },
  );
});
