/** What a desk keeps for its next session: servers, their order and secrets, folders, and how the person likes it. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Audit, Connection, commandTarget, Inbox, machineDisk, OfferedRoots, Policy, serverName } from '@midcall/host';
import { deskFile, type RunningDesk, startDesk } from '@midcall/host/web';
import { createSealer, keyRing } from '@midcall/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandWords } from '../../packages/host/src/servers/command-words.ts';
import { readServerList } from '../../packages/host/src/servers/server-list.ts';
import { enter } from './client.ts';
import { noClient } from './stage.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'midcall-kept-'));

const [ownKey, otherKey] = [randomBytes(32), randomBytes(32)];

function box(key = ownKey) {
  const sealer = createSealer(keyRing(key));
  return {
    seal: (text: string) => sealer.seal(text, 'test'),
    open: (sealed: string) => {
      const opened = sealer.open(sealed, 'test');
      return opened.ok ? String(opened.payload) : undefined;
    },
  };
}

async function session(path: string) {
  const [inbox, policy, audit] = [new Inbox(), new Policy(), new Audit()];
  const roots = new OfferedRoots({ disk: machineDisk });
  const parts = { inbox, policy, audit, roots };
  const client = { name: 'midcall-test', version: '0' };
  const desk: RunningDesk = await startDesk({
    ...parts,
    client: noClient(),
    connect: entry => new Connection(entry, { client, ...parts }),
    memory: deskFile(path, box()),
    environment: { HOME_TOKEN: 'zebra-home-93' },
  });
  onTestFinished(() => desk.stop({ within: 0 }));
  return { desk, visitor: await enter(desk), ...parts };
}

/** Commands that are there and end at once, which is all that is needed of a server here. */
const command = `${process.execPath} -e 0`;

const rowsOf = (text: string): string[] =>
  [...text.matchAll(/class="server-row-name" href="\/servers\/([^"]+)"/g)].map(([, id]) => decodeURIComponent(id!));

describe('a desk that is started again', () => {
  it('a desk that is started again has the servers that were put on it, in their order, not started, and what was changed of them', async () => {
    const path = join(folder(), 'desk.json');
    const one = await session(path);
    for (const name of ['first', 'second', 'third']) await one.visitor.post('/add', { what: command, name });
    await one.visitor.post('/servers/third/up', {});
    await one.visitor.post('/servers/first/edit', { by: 'command', what: `${command} --more`, name: 'Number one' });
    await one.visitor.post('/servers/second/remove', {});
    expect(rowsOf((await one.visitor.get('/')).text)).toEqual(['Number one', 'third']);
    await one.desk.stop({ within: 0 });

    const { text } = await (await session(path)).visitor.get('/');
    expect(rowsOf(text)).toEqual(['Number one', 'third']);
    expect(text.match(/starts when needed/g)).toHaveLength(2);
  });

  it('a server starts when its page is looked at, and not before', async () => {
    const path = join(folder(), 'desk.json');
    await deskFile(path, box()).change(record => ({
      ...record,
      servers: [{ id: 'later', target: { kind: 'command', command: '/no/such/program', args: [] } }],
    }));
    const { visitor } = await session(path);
    expect((await visitor.get('/')).text).toContain('starts when needed');
    await visitor.get('/servers/later');
    let text = '';
    while (!text.includes('could not be started')) text = (await visitor.get('/servers/later')).text;
    expect(text).toContain('there is no program');
  });

  it('a desk that is started again knows what the person folded, marked and chose', async () => {
    const path = join(folder(), 'desk.json');
    const one = await session(path);
    await one.visitor.post('/add', { what: command, name: 'folds' });
    await one.visitor.post('/preferences/fold', { server: 'folds', folded: 'true' });
    await one.visitor.post('/preferences/keys', { single: 'off' });
    await one.desk.stop({ within: 0 });
    const { visitor } = await session(path);
    expect((await visitor.get('/')).text).toContain('data-single-keys="off"');
    expect(await deskFile(path, box()).read()).toMatchObject({ preferences: { folds: { folds: true } } });
  });
});

describe('secrets', () => {
  const secret = 'walrus-token-8841';
  const written = (place: string): string =>
    readdirSync(place)
      .map(name => readFileSync(join(place, name), 'utf8'))
      .join('\n');

  it('secrets are sealed beside the file, in files of their owner alone, never shown, and there in the next session', async () => {
    const place = folder();
    const path = join(place, 'desk.json');
    const one = await session(path);
    const added = { what: command, name: 'keeper', secrets: `API_KEY=${secret}\nREGION=eu` };
    await one.visitor.post('/add', added);
    await one.visitor.post('/add', {
      what: 'http://127.0.0.1:9/mcp',
      name: 'far',
      secrets: `Authorization: Bearer ${secret}`,
    });
    for (const page of ['/', '/servers/keeper', '/servers/keeper/edit', '/servers/far', '/servers/far/edit', '/audit'])
      expect((await one.visitor.get(page)).text).not.toContain(secret);
    expect((await one.visitor.get('/servers/keeper')).text).toContain('{API_KEY}');
    await one.desk.stop({ within: 0 });
    expect(written(place)).not.toContain(secret);
    expect(written(place)).toContain('"API_KEY"');
    for (const name of readdirSync(place)) expect(statSync(join(place, name)).mode & 0o077).toBe(0);
    const { servers } = await deskFile(path, box()).read();
    expect(servers.map(each => each.target)).toMatchObject([
      { env: { API_KEY: secret, REGION: 'eu' } },
      { headers: { Authorization: `Bearer ${secret}` } },
    ]);
  });

  it('secrets stay where a server is edited and they are left alone, and go where they are dropped', async () => {
    const path = join(folder(), 'desk.json');
    const { visitor } = await session(path);
    await visitor.post('/add', { what: command, name: 'a', secrets: `ONE=${secret}\nTWO=2` });
    await visitor.post('/servers/a/edit', { by: 'command', what: command, name: 'b', drop: 'TWO', secrets: 'THREE=3' });
    const { servers } = await deskFile(path, box()).read();
    expect(servers).toMatchObject([{ id: 'b', target: { env: { ONE: secret, THREE: '3' } } }]);
    expect(servers[0]!.target).not.toHaveProperty('env.TWO');
  });

  it('secrets are not told in what is wrong with them', async () => {
    const { visitor } = await session(join(folder(), 'desk.json'));
    const { status, text } = await visitor.post('/add', { what: command, secrets: `good=1\n${secret}` });
    expect(status).toBe(422);
    expect(text).toContain('Line 2 of the variables must be NAME=value.');
    expect(text).not.toContain(secret);
  });

  it('secrets are left out where they do not open, and the server is there', async () => {
    const path = join(folder(), 'desk.json');
    const target = { kind: 'command' as const, command: 'x', args: ['y'], env: { KEY: secret } };
    await deskFile(path, box()).change(record => ({ ...record, servers: [{ id: 'x', target }] }));
    expect((await deskFile(path, box(otherKey)).read()).servers).toEqual([
      { id: 'x', target: { kind: 'command', command: 'x', args: ['y'] } },
    ]);
  });
});

describe('a file that is no desk', () => {
  it('a file that is no desk is named, and left as it is', async () => {
    const path = join(folder(), 'desk.json');
    writeFileSync(path, '{"servers":[{"id":5}]}');
    await expect(session(path)).rejects.toThrow('does not hold a desk');
    expect(readFileSync(path, 'utf8')).toBe('{"servers":[{"id":5}]}');
  });
});

it('how a server is signed in to is kept, sealed, and where its further headers are', async () => {
  const place = folder();
  const path = join(place, 'desk.json');
  const auth = { clientId: 'desk', clientSecret: 'gannet-secret-2219' };
  const target = { kind: 'url' as const, url: 'http://127.0.0.1:9/mcp', headersFile: '/tmp/h', auth };
  await deskFile(path, box()).change(record => ({ ...record, servers: [{ id: 'x', target } as never] }));
  expect((await deskFile(path, box()).read()).servers).toEqual([{ id: 'x', target }]);
  for (const name of readdirSync(place))
    expect(readFileSync(join(place, name), 'utf8')).not.toContain('gannet-secret-2219');
});

it('the changes of two desks are kept', async () => {
  const path = join(folder(), 'desk.json');
  const [a, b] = [deskFile(path, box()), deskFile(path, box())];
  const server = (id: string, env: Record<string, string>) => ({
    id,
    target: { kind: 'command' as const, command: id, args: [], env },
  });
  await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      (at % 2 ? a : b).change(record => ({
        ...record,
        servers: [...record.servers, server(`s${at}`, { N: String(at) })],
      })),
    ),
  );
  const { servers } = await a.read();
  expect(servers.map(each => each.id).sort()).toEqual(Array.from({ length: 10 }, (_, at) => `s${at}`));
  for (const { id, target } of servers) expect(target).toHaveProperty('env.N', id.slice(1));
});

describe('an mcp.json', () => {
  it('an mcp.json is read with comments and trailing commas, and what is in strings stays', () => {
    const text = `// mine
{ "mcpServers": { /* one */ "a": { "command": "node", "args": ["// no comment", "a,]", "\\",}",], }, }, }`;
    expect(readServerList(text)).toMatchObject([
      { id: 'a', entry: { target: { command: 'node', args: ['// no comment', 'a,]', '",}'] } } },
    ]);
  });

  it('an mcp.json costs no more than its length', () => {
    const [slashes, commas] = ['/*'.repeat(200_000), ','.repeat(200_000)];
    for (const text of [slashes, commas, `{"a":"${'\\'.repeat(200_001)}`])
      expect(() => readServerList(text)).toThrow('This cannot be read as JSON');
  });

  it('an mcp.json that nests so deeply that nothing could traverse it is refused, wherever that is', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const entry = (more: string) => `{ "mcpServers": { "a": { "command": "x", ${more} } } }`;
    for (const text of [deep, `{ "a": ${deep} }`, entry(`"more": ${deep}`), entry(`"env": /* [ */ ${deep}`)])
      expect(() => readServerList(text)).toThrow('It nests more than 256 levels. Write it flatter.');
    expect(readServerList(entry(`"more": "${deep}"`))).toMatchObject([{ id: 'a', entry: { id: 'a' } }]);
  });

  it('an mcp.json may name servers as members of objects are named, and not by what nobody could read or address', () => {
    const good = ['__proto__', 'constructor', 'toString', 'Ⓐ naïve 名前 ❤️', 'x'.repeat(100)];
    const bad = ['a\u0007', 'a\nb', '\u202Egnp.exe', 'a\u200B', 'a\uD800', '.', '..', 'x'.repeat(101)];
    const listed = [...good, ...bad].map(name => `${JSON.stringify(name)}: { "command": "true" }`);
    const read = readServerList(`{ "mcpServers": { ${listed.join()} } }`);
    expect(read.map(({ id }) => id)).toEqual([...good, ...bad]);
    expect(read.filter(each => 'entry' in each).map(({ id, entry }) => [id, entry.id])).toEqual(
      good.map(id => [id, id]),
    );
    for (const each of read.slice(good.length))
      expect(each).toMatchObject({ problem: expect.stringContaining('name') });
  });

  it('an mcp.json is filled from the environment alone, not from what every object has', () => {
    const of = (name: string) =>
      readServerList(`{ "a": { "command": "x", "args": ["\${${name}}"] } }`, { OWN: 'mine' });
    expect(of('OWN')).toMatchObject([{ entry: { target: { args: ['mine'] } } }]);
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      expect(of(name)).toMatchObject([{ problem: expect.stringContaining(`variable ${name}, which is not set`) }]);
  });

  it('an mcp.json of megabytes with a server in every line is refused as a whole, and a long one is read', () => {
    const servers = Array.from({ length: 100_000 }, (_, at) => `"s${at}":{"command":"x"}`);
    expect(() => readServerList(`{"mcpServers":{${servers.join()}}}`)).toThrow('names 100000 servers, and at most 100');
    const long = `{"mcpServers":{"a":{"command":"x","args":[${JSON.stringify('y'.repeat(10_000_000))}]},"b":{}}}`;
    expect(readServerList(long)).toMatchObject([
      { id: 'a', entry: {} },
      { id: 'b', problem: expect.any(String) },
    ]);
  });

  it('an mcp.json that names more servers than anybody runs starts none of them', async () => {
    const { visitor } = await session(join(folder(), 'desk.json'));
    const servers = Array.from({ length: 101 }, (_, at) => `"s${at}":{"command":"/no/such/program"}`);
    const refused = await visitor.post('/add', { what: `{"mcpServers":{${servers.join()}}}` });
    expect([refused.status, refused.text.includes('names 101 servers')]).toEqual([422, true]);
    expect(rowsOf((await visitor.get('/')).text)).toEqual([]);
  });

  it('an mcp.json has a result for each entry, and one that is wrong spoils no other', async () => {
    const { visitor, desk } = await session(join(folder(), 'desk.json'));
    const what = `{ "mcpServers": {
      "good": { "command": ${JSON.stringify(process.execPath)}, "args": ["-e", "0"] },
      "filled": { "url": "http://127.0.0.1:9/mcp", "headers": { "Authorization": "\${HOME_TOKEN}" } },
      "lacking": { "command": "x", "env": { "A": "\${NOT_SET_ANYWHERE}" } },
      "neither": { "args": [] }, // what is this?
    } }`;
    const { headers } = await visitor.post('/add', { what });
    expect(headers['location']).toBe('/add/values');
    expect((await visitor.get('/add/values')).text).toContain('NOT_SET_ANYWHERE');
    expect(rowsOf((await visitor.get('/')).text)).toEqual(['good', 'filled']);
    expect((await visitor.post('/add/values', { v0: 'given' })).headers['location']).toBe('/imported');
    let text = '';
    while (!text.includes('4 failed')) text = (await visitor.get('/imported')).text;
    expect(text).toContain('0 ready, 4 failed: good, filled, neither, lacking');
    expect(text.match(/not added/g)).toHaveLength(1);
    expect(text).toContain('must have a &#39;command&#39; or a &#39;url&#39;');
    expect(text).not.toContain('zebra-home-93');
    expect(rowsOf((await visitor.get('/')).text)).toEqual(['good', 'filled', 'lacking']);
    expect(desk.viewers).toBe(0);
  });
});

it('a server is called by what it runs, unless the person names it, and is not waited for', async () => {
  const { visitor } = await session(join(folder(), 'desk.json'));
  const add = (name: string) => visitor.post('/add', { what: `${process.execPath} /no/such/tea-shop.mjs`, name });
  expect((await add('')).headers['location']).toBe('/servers/tea-shop');
  expect((await add('')).headers['location']).toBe('/servers/tea-shop-2');
  expect((await add('mine')).headers['location']).toBe('/servers/mine');
});

it.each([
  ['npx -y @acme/tea@1.2.0 --port 3', 'tea'],
  ['docker run --rm acme/tea', 'tea'],
  ['uv run tea.py', 'tea'],
  ['C:/tools/node.exe --import=x D:/work/tea.ts', 'tea'],
  ['/opt/tea --serve', 'tea'],
  ['node --eval=1', 'node'],
  ['npx ..', 'npx'],
  ['cmd /c npx -y tea', 'tea'],
  ['env LEAVES=3 python3 tea.py', 'tea'],
  ['node /opt/tea/dist/index.js', 'tea'],
  ['node C:/work/tea/src/server.ts', 'tea'],
  ['node server.js', 'server.js'],
  ['node /opt/midcall/bin/midcall.js notes /home/ada/notes', 'notes'],
])('a server that is started as %s is called by what it runs', (line, name) => {
  expect(serverName(commandTarget(commandWords(line)))).toBe(name);
});

it('what was decided about a server that is renamed is kept', async () => {
  const { visitor, roots, policy } = await session(join(folder(), 'desk.json'));
  await visitor.post('/add', { what: command, name: 'old' });
  const root = await roots.add(folder());
  await roots.grant('old', [root.uri]);
  policy.add({ server: 'old', subject: '*', effect: 'refuse' });
  await visitor.post('/servers/old/edit', { by: 'command', what: command, name: 'new' });
  expect(roots.granted('new')).toHaveLength(1);
  expect(roots.granted('old')).toBeUndefined();
  expect(policy.judge('new', 'form', 0)).toMatchObject({ do: 'refuse' });
});
