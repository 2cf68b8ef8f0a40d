/** Every public factory refuses wrong options when it is built, and says which, and what they may be. */
import { Client } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { bearer, confirm, connect, formPage, oauth, pageOf, provider, secret, signIn, vault } from 'midcall/connect';
import { Audit, attach, auditFile, Inbox, machineDisk, Policy, RootsManager } from 'midcall/host';
import { Terminal } from 'midcall/host/terminal';
import { startDesk } from 'midcall/host/web';
import { modelRouter } from 'midcall/models';
import { boundary, liveRoots } from 'midcall/roots';
import { samplingTool } from 'midcall/sampling';
import { keyRing, mcpEndpoint, midcall, serveHttp } from 'midcall/server';
import { memoryStore } from 'midcall/stores/memory';
import { redisStore } from 'midcall/stores/redis';
import { sqliteStore } from 'midcall/stores/sqlite';
import { connectPair, explore, scriptedPerson } from 'midcall/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** What plain JavaScript may pass. */
// biome-ignore lint/suspicious/noExplicitAny: the point is what the types would not let through
type Loose = (...args: any[]) => unknown;
const loose = (factory: unknown) => factory as Loose;

const inbox = new Inbox();
const server = { id: 'a', origin: 'node a.mjs' };
const client = () => new Client({ name: 'c', version: '1.0.0' });
const mcp = () => new McpServer({ name: 's', version: '1.0.0' });
const mid = midcall();
const handler = async () => ({ content: [] });
const site = provider({ id: 'p', issuer: 'https://p.example', clientId: 'c' });

const wrong: readonly [what: string, make: () => unknown, says: string][] = [
  [
    'midcall, a slip',
    () => loose(midcall)({ pricipal: () => {} }),
    "there is no option 'pricipal'. Did you mean 'principal'?",
  ],
  ['midcall, no object', () => loose(midcall)('secret-key'), 'midcall takes an object of options'],
  ['midcall, null', () => loose(midcall)(null), 'not null'],
  ['midcall, principal', () => loose(midcall)({ principal: 'ada' }), 'principal is a function, not this text'],
  [
    'midcall, store as an address',
    () => loose(midcall)({ store: 'redis://' }),
    'store is a store, such as memoryStore()',
  ],
  [
    'midcall, store not awaited',
    () => loose(midcall)({ store: Promise.resolve(memoryStore()) }),
    'not a promise: await it first',
  ],
  [
    'midcall, key',
    () => loose(midcall)({ key: 5 }),
    'the key is a text (hex or base64), bytes, a list of these, or { file }',
  ],
  [
    'midcall, channel',
    () => loose(midcall)({ channels: ['nativ'] }),
    "channels is a list, each 'native' or 'page' or 'relay'",
  ],
  ['midcall, page without pages', () => loose(midcall)({ channels: ['page'] }), 'give pages: connect(…) as well'],
  ['midcall, pages', () => loose(midcall)({ pages: true }), 'pages is the pages made by connect(…)'],
  ['midcall, ceiling', () => loose(midcall)({ roots: { ceiling: '/tmp' } }), 'roots.ceiling is a list'],
  [
    'midcall, a slip inside',
    () => loose(midcall)({ sampling: { on2025: true } }),
    "no option 'sampling.on2025'. Did you mean 'sampling.on2026'?",
  ],
  [
    'midcall, time as text',
    () => loose(midcall)({ askTimeoutMs: '5m' }),
    'askTimeoutMs is a positive number, not this text',
  ],
  [
    'mid.tool, no server',
    () => loose(mid.tool)('name', {}, handler),
    'the first argument is an McpServer, not this text',
  ],
  ['mid.tool, no options', () => loose(mid.tool)(mcp(), 'name', handler), 'the handler is a function, not nothing'],
  ['mid.tool, no handler', () => loose(mid.tool)(mcp(), 'name', {}), 'the handler is a function, not nothing'],
  ['mid.tool, no name', () => loose(mid.tool)(mcp(), '', {}, handler), 'the name is a text that is not empty'],
  [
    'mid.tool, parameters',
    () => loose(mid.tool)(mcp(), 'n', { parameters: {} }, handler),
    "no option 'parameters'. The options are: title",
  ],
  [
    'mid.tool, input',
    () => loose(mid.tool)(mcp(), 'n', { inputSchem: z.object({}) }, handler),
    "Did you mean 'inputSchema'?",
  ],
  [
    'mid.tool, a shape',
    () => loose(mid.tool)(mcp(), 'n', { inputSchema: { a: z.string() } }, handler),
    'a schema such as z.object({ … })',
  ],
  [
    'mid.prompt',
    () => loose(mid.prompt)(mcp(), 'n', { inputSchema: z.object({}) }, handler),
    "no option 'inputSchema'",
  ],
  [
    'mid.resource',
    () => loose(mid.resource)(mcp(), 'n', {}, {}, handler),
    'the third argument is a URI or a ResourceTemplate',
  ],
  ['keyRing', () => loose(keyRing)(true), 'the key is a text'],
  ['serveHttp, a server', () => loose(serveHttp)(mcp()), 'a function that makes a server'],
  [
    'serveHttp, authenticate',
    () => loose(serveHttp)(mcp, { authenticate: true }),
    'authenticate is a function, not true',
  ],
  ['serveHttp, a slip', () => loose(serveHttp)(mcp, { prot: 3000 }), "Did you mean 'port'?"],
  ['serveHttp, a name for a list', () => loose(serveHttp)(mcp, { allowedHosts: 'x' }), 'allowedHosts is a list'],
  ['serveHttp, port', () => loose(serveHttp)(mcp, { port: 99_999 }), 'port is a port: a whole number from 0'],
  ['serveHttp, path', () => loose(serveHttp)(mcp, { path: 'mcp' }), "path is a path such as '/mcp'"],
  ['mcpEndpoint', () => loose(mcpEndpoint)(mcp, { sessions: { idle: 5 } }), "Did you mean 'sessions.idleMs'?"],
  ['memoryStore', () => loose(memoryStore)({ max: 3 }), "there is no option 'max'"],
  [
    'redisStore, an address',
    () => loose(redisStore)('redis://'),
    'redisStore takes an object of options, { send, prefix }',
  ],
  ['redisStore, a client', () => loose(redisStore)({}), 'send is missing; it is a function that sends one command'],
  ['sqliteStore, nothing', () => loose(sqliteStore)(), 'the path of a file, or an open database'],
  ['sqliteStore, sync', () => loose(sqliteStore)(':memory:', { sync: 'off' }), "sync is 'full' or 'normal'"],
  ['boundary', () => loose(boundary)('/tmp'), 'boundary takes an object of options'],
  ['boundary, a slip', () => loose(boundary)({ ceilling: [] }), "Did you mean 'ceiling'?"],
  ['liveRoots', () => loose(liveRoots)({ list: () => [], announces: true }), 'boundary is missing'],
  ['modelRouter', () => loose(modelRouter)(), 'modelRouter takes an object of options'],
  ['samplingTool', () => loose(samplingTool)({ name: 't', description: '', input: z.object({}) }), 'run is missing'],
  ['attach, nothing', () => loose(attach)(), 'the first argument is a Client of the SDK, not nothing'],
  ['attach, no inbox', () => loose(attach)(client(), { server }), 'inbox is missing; it is an Inbox'],
  [
    'attach, a name',
    () => loose(attach)(client(), { server: 'notes', inbox }),
    'server is an object: { id, origin }, not this text',
  ],
  ['attach, no origin', () => loose(attach)(client(), { server: { id: 'a' }, inbox }), 'server.origin is missing'],
  ['attach, a slip', () => loose(attach)(client(), { server, inbox, polcy: new Policy() }), "Did you mean 'policy'?"],
  ['attach, audit', () => loose(attach)(client(), { server, inbox, audit: 'x.log' }), 'audit is an Audit'],
  ['attach, roots', () => loose(attach)(client(), { server, inbox, roots: ['/tmp'] }), 'roots is a RootsManager'],
  [
    'attach, model',
    () => loose(attach)(client(), { server, inbox, sampling: {} }),
    'sampling.model is missing; it is a model',
  ],
  [
    'attach, time',
    () => loose(attach)(client(), { server, inbox, answerTimeoutMs: 0 }),
    'answerTimeoutMs is a positive number, not 0',
  ],
  [
    'Inbox',
    () => new (loose(Inbox) as unknown as new (o: unknown) => unknown)({ timeoutMs: 5 }),
    "there is no option 'timeoutMs'",
  ],
  ['inbox.present', () => loose(inbox.present.bind(inbox))({ via: 'x' }), 'the presenter is a view: { via, show('],
  ['Policy', () => new Policy({ limits: { perMinute: 3 } as object }), "there is no option 'limits.perMinute'"],
  [
    'policy.add',
    () => loose(new Policy().add)({ server: 'a', subject: 'froms', effect: 'refuse' }),
    "subject is 'form' or 'url'",
  ],
  ['Audit', () => new Audit({ sink: 'x.log' as never }), 'sink is a sink, such as auditFile(path)'],
  ['auditFile', () => loose(auditFile)(), 'the path is a text that is not empty'],
  ['RootsManager', () => new RootsManager({} as never), 'disk is missing; it is a disk, such as machineDisk'],
  [
    'roots.add',
    () => loose((place: string) => new RootsManager({ disk: machineDisk }).add(place))(),
    'the directory is a text',
  ],
  ['Terminal', () => new Terminal({ input: process.stdin } as never), 'output is missing; it is a stream to write to'],
  ['startDesk', () => loose(startDesk)({ inbox }), 'policy is missing; it is a Policy'],
  ['connect', () => loose(connect)({ name: 'x', vault: 'file' }), 'vault is a vault: vault({ store })'],
  ['vault', () => loose(vault)({}), 'store is missing; it is a store'],
  ['secret', () => loose(secret)({ name: 'x' }), 'label is missing'],
  ['confirm', () => loose(confirm)('sure?'), 'confirm takes an object of options, { title, allow }'],
  ['formPage', () => loose(formPage)({ title: 'x' }), 'items is missing; it is an object of questions'],
  ['pageOf', () => loose(pageOf)(), 'a kind of page: { name, show, submit }'],
  ['provider', () => loose(provider)({ id: 'p', issuer: 'https://p.example' }), 'clientId is missing'],
  ['oauth', () => loose(oauth)('p'), 'what provider(…) made'],
  ['oauth, scopes', () => loose(oauth)(site, { scopes: 'read' }), 'scopes is a list'],
  ['bearer', () => loose(bearer)(site, { resource: 'https://x.example' }), 'resource is a URL: new URL(…)'],
  ['signIn', () => loose(signIn)(site, {}), 'store is missing'],
  ['connectPair, era', () => loose(connectPair)(mcp, { era: '2025-06-18' }), "era is '2025-11-25' or '2026-07-28'"],
  [
    'connectPair, a server',
    () => loose(connectPair)(mcp(), { era: '2026-07-28' }),
    'a function that makes a server: () => notesServer()',
  ],
  ['scriptedPerson', () => loose(scriptedPerson)({ action: 'accept' }), 'a list of answers'],
  [
    'explore, a server',
    () => loose(explore)({ name: 't', server: mcp }),
    'a function that makes a server: options => () =>',
  ],
  ['explore, a slip', () => loose(explore)({ name: 't', server: () => mcp }, {}, { deph: 2 }), "Did you mean 'depth'?"],
];

describe('wrong options', () => {
  it.each(wrong)('%s: says what is wrong', async (_, make, says) => {
    const error = await (async () => make())().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(says);
  });

  it('never repeats a text that was given', () => {
    expect(() => loose(midcall)({ principal: 'hunter2' })).toThrow(/^(?!.*hunter2)/s);
    expect(() => loose(redisStore)('redis://user:hunter2@host')).toThrow(/^(?!.*hunter2)/s);
  });

  it('takes undefined for absent', () => {
    expect(() => loose(midcall)({ key: undefined, store: undefined, roots: undefined })).not.toThrow();
  });
});
