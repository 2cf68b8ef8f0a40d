/** `midcall notes` as users start it: the first-run page of a real process, and its end. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eras, negotiation } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeIn, visitor } from '../connect/visitor.ts';
import { few } from '../fixtures/soak.ts';
import { main } from './fixture.ts';

let top: string;
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'midcall-setup-e2e-')));
  await mkdir(join(top, 'notes'));
  await writeFile(join(top, 'notes', 'a.md'), '# Alpha\n');
});
afterEach(() => rm(top, { recursive: true, force: true }));

describe.each(few(eras, '2025-11-25'))('%s', era => {
  async function start(onPage: (params: { url: string; message: string }) => void, args: readonly string[] = []) {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { capabilities: { elicitation: { url: {} } }, versionNegotiation: negotiation(era) },
    );
    client.setRequestHandler('elicitation/create', request => {
      onPage(request.params as unknown as { url: string; message: string });
      return { action: 'accept' as const };
    });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [main, 'notes', ...args],
      env: { PATH: process.env['PATH'] ?? '', HOME: top, XDG_CONFIG_HOME: join(top, 'config') },
      stderr: 'pipe',
    });
    let said = '';
    transport.stderr?.on('data', (chunk: Buffer) => {
      said += String(chunk);
    });
    await client.connect(transport);
    const call = async (name: string) =>
      ((await client.callTool({ name, arguments: {} })).content[0] as { text: string }).text;
    return { client, transport, call, said: () => said };
  }

  it('000-12, 000-13: the server is set up once, on a page of its own process, and remembers it', async () => {
    const visited: Promise<string>[] = [];
    const first = await start(params => {
      const visit = async () => {
        const who = visitor(params.url);
        await who.get();
        await who.send({ do: 'code', code: codeIn(params.message) });
        return (await who.send({ 'directories.0.path': '~/notes', order: 'newest', listed: '200' })).title;
      };
      visited.push(visit());
    });
    expect(await first.call('notes_setup')).toBe(`Configured: ${join(top, 'notes')}.`);
    expect(await visited[0]).toBe('This is done');
    expect(await first.call('notes_list')).toContain('Alpha');
    await first.client.close();
    expect(await readFile(join(top, 'config', 'midcall', 'notes.json'), 'utf8')).toContain(join(top, 'notes'));
    const second = await start(() => expect.unreachable());
    expect(await second.call('notes_setup')).toContain('Already configured');
    expect(await second.call('notes_list')).toContain('Alpha');
    await second.client.close();
  });

  it('a directory of the command line outside what was set up starts the server all the same; it says why it serves nothing, and --forget-setup mends it', async () => {
    await mkdir(join(top, 'other'));
    await mkdir(join(top, 'config', 'midcall'), { recursive: true });
    const settings = { directories: [join(top, 'other')], order: 'title', listed: 20 };
    await writeFile(join(top, 'config', 'midcall', 'notes.json'), JSON.stringify(settings));
    const before = await start(() => expect.unreachable(), [join(top, 'notes')]);
    expect(await before.call('notes_list')).toContain('Call notes_setup');
    expect(before.said()).toMatch(/does not fit any more.*notes_setup.*--forget-setup[\s\S]*serving no notes/);
    await before.client.close();
    const after = await start(() => expect.unreachable(), [join(top, 'notes'), '--forget-setup']);
    expect(await after.call('notes_list')).toContain('Alpha');
    await after.client.close();
  });

  it('the server ends when its client is gone, though a page is open', async () => {
    let asked = (): void => {};
    const open = new Promise<void>(resolve => {
      asked = resolve;
    });
    const { client, transport, call } = await start(() => asked());
    const { pid } = transport;
    const result = call('notes_setup').catch(() => 'gone');
    await open;
    await client.close();
    expect(await result).toBe('gone');
    const gone = () => {
      try {
        process.kill(pid!, 0);
        return false;
      } catch {
        return true;
      }
    };
    await expect.poll(gone, { timeout: 600_000 }).toBe(true);
  });
});
