/** Every public factory refuses wrong options when it is built, and says which, and what they may be. */

import { modelRouter } from '@midcall/core/models';
import { samplingTool } from '@midcall/core/sampling';
import { Audit, attach, auditFile, Inbox, machineDisk, OfferedRoots, Policy } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';
import { startDesk } from '@midcall/host/web';
import { midcall } from '@midcall/server';
import {
  bearer,
  confirm,
  connect,
  formPage,
  oauth,
  pageOf,
  provider,
  secret,
  signIn,
  vault,
} from '@midcall/server/connect';
import { mcpEndpoint } from '@midcall/server/http';
import { serveHttp } from '@midcall/server/node';
import { boundary, liveRoots } from '@midcall/server/roots';
import { memoryStore } from '@midcall/server/stores/memory';
import { redisStore } from '@midcall/server/stores/redis';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { connectPair, explore, scriptedPerson, testInbox } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { keyRing } from '../packages/server/src/state/keys.ts';

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
  ['midcall, null', () => loose(midcall)(null), 'got null'],
  [
    'midcall, principal',
    () => loose(midcall)({ principal: 'ada' }),
    'principal must be a function; got a string of 3 characters',
  ],
  [
    'midcall, store as an address',
    () => loose(midcall)({ store: 'redis://' }),
    'store must be a store, such as memoryStore()',
  ],
  [
    'midcall, store without sorted sets',
    () => loose(midcall)({ store: { ...memoryStore(), sortedSets: undefined } }),
    'with get, set, delete, take and sortedSets; got',
  ],
  [
    'midcall, store not awaited',
    () => loose(midcall)({ store: Promise.resolve(memoryStore()) }),
    'got a promise: await it first',
  ],
  [
    'midcall, key',
    () => loose(midcall)({ key: 5 }),
    'the key must be a text (hex or base64), bytes, a list of these, or { file }',
  ],
  [
    'midcall, channel',
    () => loose(midcall)({ channels: ['nativ'] }),
    "channels[0] must be 'native', 'card', 'page', 'approvers' or 'relay'; got a string of 5 characters. Did you mean 'native'?",
  ],
  ['midcall, a time beyond any store', () => midcall({ stateTtlMs: 1e18 }), 'must be a whole number of milliseconds'],
  ['midcall, part of a character', () => midcall({ maxStateLength: 0.5 }), 'maxStateLength must be a whole number'],
  ...['https://a.example', 'a.example:8080', '*', '*.a.example', 'A.example', 'a.example/', ''].flatMap(
    (host): [string, () => unknown, string][] => [
      [
        `mcpEndpoint, host '${host}'`,
        () => mcpEndpoint(mcp, { allowedHosts: [host] }),
        'allowedHosts[0] must be a host',
      ],
      [
        `mcpEndpoint, origin '${host}'`,
        () => mcpEndpoint(mcp, { allowedOrigins: [host] }),
        'allowedOrigins[0] must be',
      ],
    ],
  ),
  ['mcpEndpoint, origin of the web', () => mcpEndpoint(mcp, { allowedOrigins: ['https://*'] }), 'allowedOrigins[0]'],
  ...['/a?b', '/é', '/a b', '/a/../b', '/a#b', 'mcp'].map((path): [string, () => unknown, string] => [
    `mcpEndpoint, path ${path}`,
    () => mcpEndpoint(mcp, { path }),
    "path must be a path such as '/mcp'",
  ]),
  ['midcall, page without pages', () => loose(midcall)({ channels: ['page'] }), 'give midcall() pages: connect(…)'],
  ['midcall, pages', () => loose(midcall)({ pages: true }), 'pages must be the pages made by connect(…)'],
  ['midcall, ceiling', () => loose(midcall)({ roots: { ceiling: '/tmp' } }), 'roots.ceiling must be a list'],
  [
    'midcall, a slip inside',
    () => loose(midcall)({ sampling: { askWhenDeprecated: true } }),
    "no option 'sampling.askWhenDeprecated'. Did you mean 'sampling.askWhereDeprecated'?",
  ],
  [
    'midcall, time as text',
    () => loose(midcall)({ askTimeoutMs: '5m' }),
    'askTimeoutMs must be a whole number of milliseconds from 1 to 3155695200000 (a hundred years); got a string of 2 characters',
  ],
  [
    'midcall, rounds as text',
    () => loose(midcall)({ maxRounds: 'nine' }),
    'midcall: maxRounds must be a whole number of at least 1; got a string of 4 characters.',
  ],
  [
    'midcall, half a round',
    () => loose(midcall)({ maxRounds: 0.5 }),
    'maxRounds must be a whole number of at least 1; got 0.5.',
  ],
  [
    'midcall, a member of a list',
    () => loose(midcall)({ channels: ['native', 5] }),
    "channels[1] must be 'native', 'card', 'page', 'approvers' or 'relay'; got 5.",
  ],
  [
    'midcall, an object of another kind',
    () => loose(midcall)({ audit: mcp() }),
    'audit must be a function; got an instance of McpServer.',
  ],
  [
    'mid.tool, no server',
    () => loose(mid.tool)('name', {}, handler),
    "the first argument must be an McpServer of '@modelcontextprotocol/server' (SDK v2; '@modelcontextprotocol/sdk' is v1); got a string of 4 characters",
  ],
  [
    'mid.tool, no options',
    () => loose(mid.tool)(mcp(), 'name', handler),
    'the config must be an object, such as {}, and the handler comes after it; got a function',
  ],
  ['mid.tool, no handler', () => loose(mid.tool)(mcp(), 'name', {}), 'the handler must be a function; got nothing'],
  ['mid.tool, no name', () => loose(mid.tool)(mcp(), '', {}, handler), 'the name must be a string that is not empty'],
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
    'the third argument must be a URI or a ResourceTemplate',
  ],
  ['keyRing', () => loose(keyRing)(true), 'the key must be a text'],
  ['serveHttp, a server', () => loose(serveHttp)(mcp()), 'a function that makes a server'],
  [
    'serveHttp, authenticate',
    () => loose(serveHttp)(mcp, { authenticate: true }),
    'authenticate must be a function; got true',
  ],
  ['serveHttp, a slip', () => loose(serveHttp)(mcp, { prot: 3000 }), "Did you mean 'port'?"],
  ['serveHttp, a name for a list', () => loose(serveHttp)(mcp, { allowedHosts: 'x' }), 'allowedHosts must be a list'],
  [
    'serveHttp, port',
    () => loose(serveHttp)(mcp, { port: 99_999 }),
    'port must be a whole number from 0 (any free port) to 65535; got 99999',
  ],
  ['serveHttp, path', () => loose(serveHttp)(mcp, { path: 'mcp' }), "path must be a path such as '/mcp'"],
  ['mcpEndpoint', () => loose(mcpEndpoint)(mcp, { sessions: { idle: 5 } }), "Did you mean 'sessions.idleMs'?"],
  ['memoryStore', () => loose(memoryStore)({ max: 3 }), "there is no option 'max'"],
  [
    'redisStore, an address',
    () => loose(redisStore)('redis://'),
    'redisStore takes an object of options, { send, prefix, timeoutMs, warn }; got a string of 8 characters',
  ],
  [
    'redisStore, a client',
    () => loose(redisStore)({}),
    'send is missing; it must be a function that sends one command',
  ],
  ['sqliteStore, nothing', () => loose(sqliteStore)(), 'the path of a file, or an open database'],
  ['sqliteStore, sync', () => loose(sqliteStore)(':memory:', { sync: 'off' }), "sync must be 'full' or 'normal'"],
  ['boundary', () => loose(boundary)('/tmp'), 'boundary takes an object of options'],
  ['boundary, a slip', () => loose(boundary)({ ceilling: [] }), "Did you mean 'ceiling'?"],
  ['liveRoots', () => loose(liveRoots)({ list: () => [], announces: true }), 'boundary is missing'],
  ['modelRouter', () => loose(modelRouter)(), 'modelRouter takes an object of options'],
  ['samplingTool', () => loose(samplingTool)({ name: 't', description: '', input: z.object({}) }), 'run is missing'],
  ['attach, nothing', () => loose(attach)(), 'the first argument must be a Client of the SDK; got nothing'],
  ['attach, no inbox', () => loose(attach)(client(), { server }), 'inbox is missing; it must be an Inbox'],
  [
    'attach, a name',
    () => loose(attach)(client(), { server: 'notes', inbox }),
    'server must be an object: { id, origin, target, listedIn }; got a string of 5 characters',
  ],
  ['attach, no origin', () => loose(attach)(client(), { server: { id: 'a' }, inbox }), 'server.origin is missing'],
  ['attach, a slip', () => loose(attach)(client(), { server, inbox, polcy: new Policy() }), "Did you mean 'policy'?"],
  ['attach, audit', () => loose(attach)(client(), { server, inbox, audit: 'x.log' }), 'audit must be an Audit'],
  ['attach, roots', () => loose(attach)(client(), { server, inbox, roots: ['/tmp'] }), 'roots must be an OfferedRoots'],
  [
    'attach, model',
    () => loose(attach)(client(), { server, inbox, sampling: {} }),
    'sampling.model is missing; it must be a model',
  ],
  [
    'attach, time',
    () => loose(attach)(client(), { server, inbox, answerTimeoutMs: 0 }),
    'answerTimeoutMs must be a number greater than 0; got 0',
  ],
  [
    'attach, twice',
    () => {
      const twice = client();
      for (const id of ['a', 'b']) attach(twice, { server: { ...server, id }, inbox });
    },
    'the client has a person attached already',
  ],
  [
    'attach, a client that is connected',
    async () => {
      const connected = client();
      connected.connect(InMemoryTransport.createLinkedPair()[0]).catch(() => {});
      try {
        attach(connected, { server, inbox });
      } finally {
        await connected.close();
      }
    },
    'attach(client, …) must be called before client.connect(…)',
  ],
  [
    'Inbox',
    () => new (loose(Inbox) as unknown as new (o: unknown) => unknown)({ timeoutMs: 5 }),
    "there is no option 'timeoutMs'",
  ],
  ['inbox.present', () => loose(inbox.present.bind(inbox))({ via: 'x' }), 'the presenter must be a view: { via, show('],
  [
    'inbox.present, no name',
    () => loose(inbox.present.bind(inbox))({ show: () => {} }),
    'the presenter must be a view: { via, show(',
  ],
  ['Policy', () => new Policy({ limits: { perMinute: 3 } as object }), "there is no option 'limits.perMinute'"],
  [
    'policy.add',
    () => loose(new Policy().add)({ server: 'a', subject: 'froms', effect: 'refuse' }),
    "subject must be 'form', 'url', 'sampling', 'roots' or '*'",
  ],
  ['Audit', () => new Audit({ sink: 'x.log' as never }), 'sink must be a sink, such as auditFile(path)'],
  ['auditFile', () => loose(auditFile)(), 'the path must be a string that is not empty'],
  ['OfferedRoots', () => new OfferedRoots({} as never), 'disk is missing; it must be a disk, such as machineDisk'],
  [
    'roots.add',
    () => loose((place: string) => new OfferedRoots({ disk: machineDisk }).add(place))(),
    'the directory must be a string',
  ],
  [
    'Terminal',
    () => new Terminal({ input: process.stdin } as never),
    'output is missing; it must be a stream to write to',
  ],
  ['startDesk', () => loose(startDesk)({ inbox }), 'policy is missing; it must be a Policy'],
  ['connect', () => loose(connect)({ name: 'x', vault: 'file' }), 'vault must be a vault: vault({ store })'],
  ['vault', () => loose(vault)({}), 'store is missing; it must be a store'],
  ['secret', () => loose(secret)({ name: 'x' }), 'label is missing'],
  ['confirm', () => loose(confirm)('sure?'), 'confirm takes an object of options, { title, allow, details }'],
  ['formPage', () => loose(formPage)({ title: 'x' }), 'items is missing; it must be an object of questions'],
  ['pageOf', () => loose(pageOf)(), 'a kind of page: { name, show, submit }'],
  ['provider', () => loose(provider)({ id: 'p', clientId: 'c' }), 'issuer is missing'],
  ['oauth', () => loose(oauth)('p'), 'what provider(…) made'],
  ['oauth, scopes', () => loose(oauth)(site, { scopes: 'read' }), 'scopes must be a list'],
  ['bearer', () => loose(bearer)(site, { resource: 'https://x.example' }), 'resource must be a URL: new URL(…)'],
  ['signIn', () => loose(signIn)(site, {}), 'store is missing'],
  [
    'connectPair, era',
    () => loose(connectPair)(mcp, { era: '2025-06-18' }),
    "era must be '2025-11-25' or '2026-07-28'",
  ],
  [
    'connectPair, a server',
    () => loose(connectPair)(mcp(), { era: '2026-07-28' }),
    'a function that makes a server: () => notesServer()',
  ],
  [
    'midcall, inbox',
    () => loose(midcall)({ inbox: { ask: () => {} } }),
    'inbox must be the inbox made by openInbox(…) of @midcall/inbox; got an object',
  ],
  [
    'midcall, a channel without its inbox',
    () => midcall({ channels: ['approvers'] }),
    "channels has 'approvers', but the server has no inbox: give midcall() inbox: await openInbox(…)",
  ],
  [
    'testInbox',
    () => loose(testInbox)({ groups: { finance: 'ada' } }),
    "groups must be groups by their names: { finance: ['ada', 'ben'] }",
  ],
  ['testInbox, a slip', () => loose(testInbox)({ group: {} }), "Did you mean 'groups'?"],
  ['scriptedPerson', () => loose(scriptedPerson)({ action: 'accept' }), 'a list of answers'],
  [
    'explore, a server',
    () => loose(explore)({ name: 't', server: mcp }),
    'a function that makes a server: options => () =>',
  ],
  ['explore, a slip', () => loose(explore)({ name: 't', server: () => mcp }, {}, { deph: 2 }), "Did you mean 'depth'?"],
];

describe('wrong options', () => {
  it.each(wrong)('%s: the error says what is wrong', async (_, make, says) => {
    const error = await (async () => make())().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(says);
  });

  it('an error about options never repeats a text that was given', () => {
    expect(() => loose(midcall)({ principal: 'hunter2' })).toThrow(/^(?!.*hunter2)/s);
    expect(() => loose(redisStore)('redis://user:hunter2@host')).toThrow(/^(?!.*hunter2)/s);
  });

  it('undefined counts as absent among options', () => {
    expect(() => loose(midcall)({ key: undefined, store: undefined, roots: undefined })).not.toThrow();
  });
});
