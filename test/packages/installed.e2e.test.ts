/** The packages as their users get them: what they bring along, what they say where something is missing, and that they run. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { install, packAll, readManifest } from './installed.ts';

let tarballs: ReadonlyMap<string, string>;
beforeAll(() => {
  tarballs = packAll();
});

const run = (folder: string, code: string) => {
  writeFileSync(join(folder, 'main.mjs'), code);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['main.mjs'], { cwd: folder, encoding: 'utf8' });
  return { status, stdout, stderr };
};

const server = `
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { midcall } from '@midcall/server';
const mid = midcall();
serveStdio(() => {
  const server = new McpServer({ name: 'packed', version: '1.0.0' });
  mid.tool(server, 'greet', {}, async (_, call) => {
    const answer = await call.elicit({ message: 'Who is it?', form: String });
    return { content: [{ type: 'text', text: answer.action === 'accept' ? 'Hello ' + answer.content : answer.action }] };
  });
  return server;
});`;

describe('@midcall/server alone', () => {
  it('brings at most ten packages and 24 MB, none of them native', () => {
    const { packages, megabytes } = install(tarballs, ['@midcall/server']);
    expect([...packages].sort()).toEqual([
      '@midcall/core',
      '@midcall/server',
      '@modelcontextprotocol/core',
      '@modelcontextprotocol/server',
      '@opentelemetry/api',
      'zod',
    ]);
    expect(megabytes).toBeLessThan(24);
  });

  it('answers a handler’s question over standard input and output', () => {
    const { folder } = install(tarballs, ['@midcall/server']);
    writeFileSync(join(folder, 'server.mjs'), server);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const request = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'greet', arguments: {}, _meta: meta },
    };
    const said = execFileSync(process.execPath, ['server.mjs'], {
      cwd: folder,
      input: `${JSON.stringify(request)}\n`,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    expect(JSON.parse(said.split('\n')[0]!)).toMatchObject({ id: 1, result: { resultType: 'input_required' } });
  });

  it.each([
    ['@midcall/server/node', "import('@midcall/server/node')", '@modelcontextprotocol/node'],
    ['@midcall/server/connect', "import('@midcall/server/connect')", 'hono'],
    ['a SQLite store', "import('@midcall/server/stores/sqlite').then(each => each.sqliteStore('store.db'))", 'libsql'],
  ])('%s says what to install', (_what, code, name) => {
    const { folder } = install(tarballs, ['@midcall/server']);
    const { stdout } = run(folder, `await ${code}.catch(error => console.log(error.code + ' ' + error.message));`);
    expect(stdout).toContain(`server/setup`);
    expect(stdout).toContain(`npm install ${name}`);
  });
});

it('@midcall/host puts the question of a packed server to a person', () => {
  const { folder } = install(tarballs, ['@midcall/host', '@midcall/server']);
  writeFileSync(join(folder, 'server.mjs'), server);
  const { stdout, stderr } = run(
    folder,
    `
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { attach, Inbox } from '@midcall/host';
const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
const inbox = new Inbox();
inbox.present({ via: 'test', show: (_question, { reply }) => void reply({ action: 'accept', content: { value: 'Ada' } }) });
attach(client, { server: { id: 'packed', origin: 'node server.mjs' }, inbox });
await client.connect(new StdioClientTransport({ command: process.execPath, args: ['server.mjs'], stderr: 'ignore' }));
console.log(JSON.stringify((await client.callTool({ name: 'greet', arguments: {} })).content));
await client.close();`,
  );
  expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringContaining('Hello Ada') });
});

it('the command runs, and has its sample notes and its skill with it', () => {
  const { folder } = install(tarballs, ['midcall']);
  const own = join(folder, 'node_modules/midcall');
  const version = execFileSync(join(folder, 'node_modules/.bin/midcall'), ['--version'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(version.trim()).toBe(readManifest(own).version);
  expect(readdirSync(join(own, 'samples/notes')).length).toBeGreaterThan(3);
  expect(readFileSync(join(own, 'skills/elicitation-form-designer/SKILL.md'), 'utf8')).toContain('name:');
});

it('links of shipped documents lead into the package or to the web', () => {
  const names = [...tarballs.keys()];
  const { folder } = install(tarballs, names);
  const dead = names.flatMap(name => {
    const place = join(folder, 'node_modules', name);
    const files = readdirSync(place, { recursive: true, encoding: 'utf8' });
    return files
      .filter(path => path.endsWith('.md') && !path.includes('samples/'))
      .flatMap(path => {
        const text = readFileSync(join(place, path), 'utf8').replace(/^```[\s\S]*?^```$/gmu, '');
        return [...text.replace(/`[^`\n]*`/gu, '').matchAll(/\]\(([^)\s#]+)/gu)]
          .map(match => match[1]!)
          .filter(link => !/^[a-z]+:/iu.test(link))
          .filter(link => !files.includes(join(path, '..', link).replaceAll('\\', '/')))
          .map(link => `${name}/${path} -> ${link}`);
      });
  });
  expect(dead).toEqual([]);
});

it('every package has a licence, a page of its own, and no tests', () => {
  const names = [...tarballs.keys()];
  expect(names).toHaveLength(5);
  const { folder } = install(tarballs, names);
  for (const name of names) {
    const files = readdirSync(join(folder, 'node_modules', name), { recursive: true, encoding: 'utf8' });
    expect({ name, files }).toMatchObject({ files: expect.arrayContaining(['README.md', 'LICENSE', 'package.json']) });
    expect(files.filter(path => /(^|\/)test\/|\.test\.|tsbuildinfo/.test(path))).toEqual([]);
  }
});
