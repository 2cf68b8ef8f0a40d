/** The packages as their users get them: what they bring along, what they say where something is missing, and that they run. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eras, negotiation, scriptedPerson } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { BillOfMaterials } from '../../tools/bill-of-materials.ts';
import { compiler, root } from '../../tools/places.ts';
import { inSoak, some } from '../fixtures/soak.ts';
import { install, installByNpm, packAll, packOthers, readManifest } from './installed.ts';

let tarballs: ReadonlyMap<string, string>;
beforeAll(() => {
  tarballs = packAll();
});

const run = (folder: string, code: string) => {
  writeFileSync(join(folder, 'main.mjs'), code);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['main.mjs'], { cwd: folder, encoding: 'utf8' });
  return { status, stdout, stderr };
};

/** Checks a file as the newest compiler does for an author, who is promised no `skipLibCheck`. */
const compiledIn = (folder: string, file: string, ...more: readonly string[]) => {
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', ...types];
  return spawnSync(process.execPath, [compiler('newest'), ...options, ...more, file], {
    cwd: folder,
    encoding: 'utf8',
  });
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
  it('@midcall/server alone brings at most eight packages and 31 MB of a disk, none of them native', () => {
    const { packages, megabytes } = install(tarballs, ['@midcall/server']);
    expect([...packages.keys()].sort()).toEqual([
      '@hono/node-server',
      '@midcall/core',
      '@midcall/server',
      '@modelcontextprotocol/core',
      '@modelcontextprotocol/server',
      '@opentelemetry/api',
      'hono',
      'zod',
    ]);
    expect(megabytes()).toBeLessThanOrEqual(31);
    for (const place of packages.values()) {
      const { scripts = {} } = readManifest(place);
      expect(Object.keys(scripts).filter(name => /^(?:pre|post)?install$/.test(name))).toEqual([]);
      const files = readdirSync(place, { recursive: true, encoding: 'utf8' });
      expect(files.filter(path => /\.node$|binding\.gyp$/.test(path))).toEqual([]);
    }
  });

  it('@midcall/server alone answers a handler’s question over standard input and output', async () => {
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
    // A host keeps the input open until it has its answer.
    const child = spawn(process.execPath, ['server.mjs'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const [said] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    expect(JSON.parse(said)).toMatchObject({ id: 1, result: { resultType: 'input_required' } });
  });

  const signedIn = `import('@midcall/server/connect').then(async ({ bearer, provider }) => {
    const resource = new URL('https://notes.example.com/mcp');
    const { authenticate } = bearer(provider({ id: 'login', issuer: 'https://login.example.com' }), { resource });
    const response = await authenticate(new Request(resource, { headers: { authorization: 'Bearer token' } }));
    console.log(response.status, await response.text());
  })`;
  it.each([
    [
      'a SQLite store',
      [],
      "import('@midcall/server/stores/sqlite').then(each => each.sqliteStore('store.db'))",
      'libsql',
    ],
    [
      'jobs of a fleet',
      [],
      "import('@midcall/server/fleet').then(each => each.redisJobs({ connection: 'redis://127.0.0.1' }))",
      'bullmq ioredis',
    ],
    ['OAuth without its library', [], signedIn, 'openid-client oauth4webapi'],
    ['OAuth without the library under it', ['openid-client'], signedIn, 'openid-client oauth4webapi'],
  ])('a missing peer of @midcall/server is said, with what to install: %s', (_what, there, code, names) => {
    const { folder } = install(tarballs, ['@midcall/server'], there);
    // Where packages are kept apart, as pnpm does, what another one needs is not there for us.
    rmSync(join(folder, 'node_modules/oauth4webapi'), { force: true });
    const { stdout, stderr } = run(
      folder,
      `await ${code}.catch(error => console.log(error.code + ' ' + error.message));`,
    );
    expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringMatching(/^server\/setup /) });
    expect(stdout).toContain(`Run: npm install ${names}\n`);
  });

  it('the test of missing peers has every optional peer of @midcall/server', () => {
    const { packages } = install(tarballs, ['@midcall/server']);
    const { peerDependenciesMeta = {} } = readManifest(packages.get('@midcall/server')!);
    expect(Object.keys(peerDependenciesMeta).sort()).toEqual(
      ['libsql', 'openid-client', 'oauth4webapi', 'bullmq', 'ioredis'].sort(),
    );
  });

  it('@midcall/server takes the author’s SDK: beside 2.3 npm installs one copy, and TypeScript takes it for the same', () => {
    const sdk = join(root, 'node_modules/sdk-server-2.3');
    const core = join(sdk, 'node_modules/@modelcontextprotocol/core');
    const others = ['zod', '@opentelemetry/api', 'hono', '@hono/node-server'].map(name =>
      join(root, 'node_modules', name),
    );
    const folder = installByNpm(
      ['@midcall/core', '@midcall/server'].map(name => tarballs.get(name)!),
      [sdk, core, ...others],
    );
    const listed = execFileSync('npm', ['ls', '--all', '--parseable', '@modelcontextprotocol/server'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const copies = [...new Set(listed.trim().split('\n'))];
    expect(copies).toHaveLength(1);
    expect(readManifest(copies[0]!).version).toMatch(/^2\.3\./);
    writeFileSync(join(folder, 'server.ts'), server);
    expect(compiledIn(folder, 'server.ts', ...inSoak<readonly string[]>([], ['--skipLibCheck']))).toMatchObject({
      status: 0,
      stdout: '',
    });
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

/** Asks to open a page, and says what became of that. */
const asksForPage = `
import { createInterface } from 'node:readline';
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
let call;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, result } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
  else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'sign', inputSchema: { type: 'object' } }] } });
  else if (method === 'tools/call') {
    call = id;
    send({ id: 'page', method: 'elicitation/create', params: { mode: 'url', message: 'Sign.', url: 'https://pay.shop.co.uk/x', elicitationId: 'e' } });
  } else if (id === 'page') send({ id: call, result: { content: [{ type: 'text', text: result.action }] } });
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'no' } });
}`;

it('the command runs, knows which domain is asked for, and has its sample notes and its skill with it', () => {
  const { folder } = install(tarballs, ['midcall']);
  const own = join(folder, 'node_modules/midcall');
  const version = execFileSync(join(folder, 'node_modules/.bin/midcall'), ['--version'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(version.trim()).toBe(readManifest(own).version);
  writeFileSync(join(folder, 'asks-for-page.mjs'), asksForPage);
  const command = ['midcall', 'call', 'sign', '--', process.execPath, 'asks-for-page.mjs'];
  const { stdout, stderr } = spawnSync('npx', command, { cwd: folder, encoding: 'utf8', input: '2\n' });
  expect(stdout).toContain('decline');
  expect(stderr).toMatch(/Domain: +shop\.co\.uk\n/);
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
  expect(names).toHaveLength(7);
  const { folder } = install(tarballs, names);
  for (const name of names) {
    const files = readdirSync(join(folder, 'node_modules', name), { recursive: true, encoding: 'utf8' });
    expect({ name, files }).toMatchObject({ files: expect.arrayContaining(['README.md', 'LICENSE', 'package.json']) });
    const own = files.filter(path => !path.startsWith('template/'));
    expect(own.filter(path => /(^|\/)test\/|\.test\.|tsbuildinfo/.test(path))).toEqual([]);
  }
  const script = join(folder, 'node_modules/@midcall/host/script');
  expect(readdirSync(script).toSorted()).toEqual([
    'again.js',
    'desk.js',
    'find-session.js',
    'inbox-worker.js',
    'offline.js',
    'person.js',
    'worker.js',
  ]);
});

it('each tarball has a bill of materials, with what the package needs and nothing that it was made with', () => {
  for (const [name, tarball] of tarballs) {
    const bill = JSON.parse(readFileSync(tarball.replace(/\.tgz$/, '.cdx.json'), 'utf8')) as BillOfMaterials;
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name } } });
    const { packages } = install(tarballs, [name]);
    const listed = bill.components.map(each => each.name);
    // What is optional to one of the others, such as a binary for one system, is in the bill too.
    expect([name, ...listed]).toEqual(expect.arrayContaining([...packages.keys()]));
    for (const other of ['vitest', 'typescript', 'knip', '@changesets/cli']) expect(listed).not.toContain(other);
  }
});

it('create-midcall asks for a name, and makes a project whose tests, server and host run', () => {
  const { folder, packages } = install(tarballs, [...tarballs.keys()]);
  const create = (input: string, ...args: string[]) =>
    spawnSync(join(folder, 'node_modules/.bin/create-midcall'), args, { cwd: folder, encoding: 'utf8', input });
  expect(create('tables\n')).toMatchObject({ status: 0, stdout: expect.stringContaining('npm install && npm test') });
  const project = join(folder, 'tables');
  const { name, version, dependencies, devDependencies } = JSON.parse(
    readFileSync(join(project, 'package.json'), 'utf8'),
  );
  expect({ name, version }).toEqual({ name: 'tables', version: '1.0.0' });
  for (const [each, range] of Object.entries({ ...dependencies, ...devDependencies })) {
    expect(packages.has(each), each).toBe(true);
    if (tarballs.has(each)) expect(range).toBe(`^${readManifest(packages.get(each)!).version}`);
  }
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const tested = spawnSync(process.execPath, ['--test'], { cwd: project, encoding: 'utf8', env });
  expect(tested).toMatchObject({ status: 0, stdout: expect.stringMatching(/pass 3\n/) });
  const host = spawnSync(process.execPath, ['host.mjs'], { cwd: project, encoding: 'utf8', input: '1\n2\n1\n' });
  expect(host).toMatchObject({ stdout: 'Booked for 4 at 19:30.\n' });
  expect(create('', 'tables')).toMatchObject({ status: 2, stderr: `create-midcall: ${project} is not empty.\n` });
  expect(create('', 'Tables & chairs')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("Got 'Tables & chairs'"),
  });
  expect(create('')).toMatchObject({ status: 2 });
});

it('the commands of the Dockerfile in docs/mount.md install and start a server that asks, and that SIGTERM stops', async () => {
  const context = join(root, 'examples/mount/docker');
  const image = mkdtempSync(join(tmpdir(), 'midcall-image-'));
  const lines = readFileSync(join(context, 'Dockerfile'), 'utf8').trim().split('\n');
  const others = ['@modelcontextprotocol/server', '@modelcontextprotocol/core', 'zod', 'hono', '@hono/node-server'];
  let command: readonly string[] = [];
  for (const [, instruction = '', rest = ''] of lines.map(line => /^([A-Z]+) (.*)$/.exec(line)!)) {
    if (instruction === 'COPY')
      for (const name of rest.split(' ').slice(0, -1)) copyFileSync(join(context, name), join(image, name));
    if (instruction === 'RUN') {
      // What npm would get from a registry, it gets from tarballs.
      const path = join(image, 'package.json');
      const { dependencies, ...manifest } = JSON.parse(readFileSync(path, 'utf8'));
      for (const each of Object.keys(dependencies)) expect([...others, ...tarballs.keys()]).toContain(each);
      const packed = packOthers(
        image,
        others.map(name => join(root, 'node_modules', name)),
      );
      const own = ['@midcall/core', '@midcall/server'].map(name => [name, `file:${tarballs.get(name)!}`]);
      const from = Object.fromEntries([...own, ...others.map((name, at) => [name, `file:${packed[at]}`])]);
      writeFileSync(path, JSON.stringify({ ...manifest, dependencies: from }));
      execFileSync('sh', ['-c', rest], {
        cwd: image,
        env: { ...process.env, npm_config_offline: 'true' },
        stdio: 'pipe',
      });
    }
    if (instruction === 'CMD') command = JSON.parse(rest);
  }
  const { services } = parse(readFileSync(join(context, 'compose.yaml'), 'utf8'));
  expect(Object.keys(services.server.environment)).toEqual(['MIDCALL_KEY', 'PUBLIC_HOST']);
  expect(command[0]).toBe('node');
  const env = {
    ...process.env,
    PUBLIC_HOST: 'paint.example',
    PORT: '0',
    MIDCALL_KEY: randomBytes(32).toString('base64'),
  };
  const child = spawn(process.execPath, command.slice(1), { cwd: image, env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { port } = new URL(String(line).trim());
    for (const era of eras) {
      const capabilities = { elicitation: {} };
      const client = new Client(
        { name: 'test', version: '1.0.0' },
        { capabilities, versionNegotiation: negotiation(era) },
      );
      scriptedPerson([{ action: 'accept', content: { value: 'red' } }]).attach(client, capabilities);
      await client.connect(new StreamableHTTPClientTransport(new URL(`http://localhost:${port}/mcp`)));
      expect(await client.callTool({ name: 'wall_paint' })).toMatchObject({ content: [{ text: 'Painted red.' }] });
      await client.close();
    }
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
  }
});

it('a project without "type": "module" compiles a server and a host, and runs them', () => {
  const { folder } = install(tarballs, ['@midcall/host', '@midcall/server', '@midcall/testing']);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'mine', private: true }));
  writeFileSync(
    join(folder, 'main.ts'),
    `
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { attach, Inbox } from '@midcall/host';
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { connectPair, scriptedPerson } from '@midcall/testing';
import { z } from 'zod';
const mid = midcall();
const make = () => {
  const server = mid.wrap(new McpServer({ name: 'packed', version: '1.0.0' }));
  mid.tool(server, 'greet', { inputSchema: z.object({ to: z.string() }) }, async ({ to }, call) => {
    const answer = await call.elicit({ message: 'Who is it?', form: String });
    return to + ' ' + (answer.action === 'accept' ? answer.content : answer.action);
  });
  return server;
};
mcpEndpoint(make);
const inbox = new Inbox();
inbox.present({ via: 'test', show: (_question, { reply }) => void reply({ action: 'accept', content: { value: 'Ada' } }) });
async function main() {
  const client = new Client({ name: 'host', version: '1.0.0' });
  attach(client, { server: { id: 'packed', origin: 'packed' }, inbox });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await make().connect(far);
  await client.connect(near);
  console.log(JSON.stringify((await client.callTool({ name: 'greet', arguments: { to: 'Hello' } })).content));
  await client.close();
  for (const era of ['2025-11-25', '2026-07-28'] as const) {
    await using pair = await connectPair(make, { era, carrier: 'http', person: scriptedPerson([{ action: 'accept', content: { value: 'Bob' } }]) });
    console.log(JSON.stringify((await pair.client.callTool({ name: 'greet', arguments: { to: 'Hello' } })).content));
  }
}
void main();`,
  );
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const options = [
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2023,esnext.disposable,dom',
  ];
  const compiled = spawnSync(process.execPath, [compiler('newest'), ...options, ...types, 'main.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(compiled).toMatchObject({ status: 0, stdout: '' });
  expect(readFileSync(join(folder, 'main.js'), 'utf8')).toContain('require("@midcall/server")');
  const { stdout, stderr } = spawnSync(process.execPath, ['main.js'], { cwd: folder, encoding: 'utf8' });
  expect({ stdout, stderr }).toMatchObject({
    stdout: expect.stringMatching(/Hello Ada[\s\S]*Hello Bob[\s\S]*Hello Bob/),
  });
});

describe('each tarball', () => {
  const tool = (name: string, ...args: string[]) =>
    spawnSync(join(root, 'node_modules/.bin', name), args, {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });

  it('each tarball is clean by publint', () => {
    for (const tarball of tarballs.values())
      expect(tool('publint', tarball, '--strict')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('All good'),
      });
  });

  it('each tarball has types that Node and bundlers find, where it has anything to import', () => {
    for (const tarball of some([tarballs.get('@midcall/server')!, ...tarballs.values()]))
      expect(tool('attw', tarball, '--profile', 'esm-only', '--quiet')).toMatchObject({ status: 0, stdout: '' });
  });

  it('each tarball has declarations that TypeScript checks without fault, and that name no package npm does not install', () => {
    const names = [...tarballs.keys()];
    const manifests = [...install(tarballs, names).packages].flatMap(([name, place]) =>
      names.includes(name) ? [readManifest(place)] : [],
    );
    const peers = manifests.flatMap(({ peerDependenciesMeta = {} }) => Object.keys(peerDependenciesMeta));
    const { folder } = install(tarballs, names, peers);
    const entries = manifests.flatMap(({ name, exports = {} }) =>
      Object.entries(exports).flatMap(([path, { types }]) => (types ? [join(name, path)] : [])),
    );
    expect(entries).toContain('@midcall/host/terminal');
    writeFileSync(join(folder, 'all.ts'), entries.map(each => `import '${each}';\n`).join(''));
    expect(compiledIn(folder, 'all.ts')).toMatchObject({ status: 0, stdout: '' });
  });

  it('each tarball leads an editor from each declaration to its source', () => {
    const { packages } = install(tarballs, [...tarballs.keys()]);
    for (const name of tarballs.keys()) {
      const place = packages.get(name)!;
      const files = readdirSync(place, { recursive: true, encoding: 'utf8' }).map(path => path.replaceAll('\\', '/'));
      for (const path of files.filter(each => each.endsWith('.d.ts'))) {
        const text = readFileSync(join(place, path), 'utf8');
        expect(text).toMatch(/\n\/\/# sourceMappingURL=.*\.d\.ts\.map$/);
        const { sources } = JSON.parse(readFileSync(join(place, `${path}.map`), 'utf8')) as { sources: string[] };
        for (const source of sources) expect(files).toContain(join(path, '..', source));
      }
    }
  });

  it('each tarball holds the declarations that its public types reach, and no others', () => {
    const { packages } = install(tarballs, [...tarballs.keys()]);
    for (const name of tarballs.keys()) {
      const place = packages.get(name)!;
      const files = readdirSync(place, { recursive: true, encoding: 'utf8' }).map(path => path.replaceAll('\\', '/'));
      const declared = files.filter(path => path.endsWith('.d.ts'));
      const named = declared.flatMap(path =>
        [...readFileSync(join(place, path), 'utf8').matchAll(/['"](\.[^'"]*)\.[jt]s['"]/gu)].map(match =>
          join(path, '..', `${match[1]}.d.ts`),
        ),
      );
      const { exports = {} } = readManifest(place);
      const entries = Object.values(exports).flatMap(({ types }) => (types ? [join(types)] : []));
      expect([...new Set([...entries, ...named])].sort()).toEqual(declared.sort());
    }
  });
});
