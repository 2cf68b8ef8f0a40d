/** What makes the desk a workbench: what is understood of what a person enters, and how what servers say is shown. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hostConfigs, readServerList } from '../../packages/host/src/index.ts';
import { argumentFields } from '../../packages/host/src/web/form/argument-form.ts';
import { draftOf } from '../../packages/host/src/web/form/draft.ts';
import { listIssues } from '../../packages/host/src/web/form/list-control.ts';
import { ansiHtml } from '../../packages/host/src/web/html/ansi-html.ts';
import { named } from '../../packages/host/src/web/html/visible-html.ts';
import { resultContent } from '../../packages/host/src/web/pages/result.ts';
import { understand } from '../../packages/host/src/web/workspace/server-form.ts';
import { enter } from './client.ts';
import { stage } from './stage.ts';

describe('text of a terminal', () => {
  it('text of a terminal has the colours and weights that it sets, and nothing else of its sequences', () => {
    expect(ansiHtml('\u001B[1;31mbad\u001B[0m \u001B[38;5;9mmany\u001B[39m \u001B[2Kend').text).toBe(
      '<span class="ansi-red ansi-bold">bad</span> many end',
    );
  });

  it('text of a terminal forges no markup, and hidden characters in it are written out', () => {
    expect(ansiHtml('\u001B[32m<b>\u202E\u001B[0m').text).toBe(
      '<span class="ansi-green">&lt;b&gt;<mark class="code-point">⟦U+202E⟧</mark></span>',
    );
  });

  it('text of a terminal is cut where a text without colours is', () => {
    const { text } = ansiHtml('\u001B[31mabcdef\u001B[0mghi', 4);
    expect([text.includes('abcd'), text.includes('ghi')]).toEqual([true, false]);
  });
});

it('a title is shown with the name beneath it, and a name alone where there is no other', () => {
  expect(named('get-sum', 'Add numbers').text).toMatch(/named-title">Add numbers<.*named-name mono">get-sum</);
  for (const title of [undefined, ' ', 'get-sum'])
    expect(named('get-sum', title).text).toBe('<span class="mono">get-sum</span>');
});

it.each([
  ['node server.js', { kind: 'command', program: 'node' }],
  ['node', { kind: 'command', program: 'node' }],
  ['/opt/tea', { kind: 'command', program: '/opt/tea' }],
  ['https://example.com/mcp', { kind: 'url', url: 'https://example.com/mcp' }],
  ['localhost:3000/mcp', { kind: 'url', url: 'http://localhost:3000/mcp' }],
  ['[::1]:3000', { kind: 'url', url: 'http://[::1]:3000' }],
  ['{"mcpServers":{}}', { kind: 'config' }],
  ['// mine\n{}', { kind: 'config' }],
  ['"tea": {"command": "tea"}', { kind: 'config' }],
  ['"/opt/my tea" --serve', { kind: 'command', program: '/opt/my tea' }],
  ['server-everything', { kind: 'package', name: 'server-everything', version: 'latest', args: [] }],
  ['@acme/tea@1.2.0 /srv', { kind: 'package', name: '@acme/tea', version: '1.2.0', args: ['/srv'] }],
  ['tea "half', { kind: 'wrong', why: 'A quote in the command is not closed.' }],
  ['  ', { kind: 'nothing' }],
])('the box for a server understands %j', (entered, understood) => {
  expect(understand(entered, word => word === 'node')).toEqual(understood);
});

describe('a list of servers', () => {
  const ref = (name: string): string => `\${${name}}`;
  const text = JSON.stringify({
    inputs: [{ id: 'token', type: 'promptString', description: 'From your profile', password: true }],
    servers: {
      tea: { command: 'tea', args: ['--region', ref('REGION')], env: { KEY: ref('input:token'), A: ref('A:-x') } },
      off: { command: 'x', disabled: true },
      alsoOff: { url: 'http://127.0.0.1:1/', enabled: false },
    },
  });

  it('a list of servers says which values it needs, which are secrets, and which would stand in a command line', () => {
    expect(readServerList(text)[0]).toMatchObject({
      missing: [
        { name: 'REGION', isSecret: false, inCommand: true },
        { name: 'input:token', about: 'From your profile', isSecret: true, inCommand: false },
      ],
    });
  });

  it('a list of servers is complete once it has its values, and a value is not read for further references', () => {
    expect(readServerList(text, { REGION: 'eu', 'input:token': ref('REGION') })[0]).toMatchObject({
      entry: { target: { args: ['--region', 'eu'], env: { KEY: ref('REGION'), A: 'x' } } },
    });
  });

  it('a list of servers says which servers are switched off', () => {
    expect(readServerList(text).slice(1)).toMatchObject([{ entry: { disabled: true } }, { entry: { disabled: true } }]);
  });
});

describe('rows of objects', () => {
  const inputSchema = {
    type: 'object',
    properties: {
      edits: {
        anyOf: [{ type: 'array', items: { $ref: '#/$defs/Edit' } }, { type: 'null' }],
      },
      mode: { anyOf: [{ type: 'boolean' }, { const: 'auto' }] },
      words: { type: ['array', 'null'], items: { type: 'string' } },
    },
    $defs: {
      Edit: {
        type: 'object',
        required: ['from', 'times'],
        properties: { from: { type: 'string' }, times: { type: 'integer', minimum: 1 } },
      },
    },
  };

  it('a list that may be null has rows, too, and a union with yes and no has choices', () => {
    expect(argumentFields(inputSchema).map(({ name, kind }) => [name, kind])).toEqual([
      ['edits', 'list'],
      ['mode', 'select'],
      ['words', 'list'],
    ]);
  });

  it('rows of objects have their errors at their own controls, and a row that was only added has none', () => {
    const [edits] = argumentFields(inputSchema);
    if (edits?.kind !== 'list') throw new Error('edits is no list');
    const draft = draftOf([
      ['f0.rows', '0'],
      ['f0.rows', '1'],
      ['f0.rows', '2'],
      ['f0.0.f0', 'a\nb'],
      ['f0.0.f1', '0'],
      ['f0.1.f1', '2'],
      ['f0.2.f0', ''],
    ]);
    const found = listIssues(edits, 'f0', draft, inputSchema.properties.edits, inputSchema);
    expect(found.map(({ field, cell, rule }) => [field, cell, rule])).toEqual([
      ['edits', 'f0.0.f1', 'minimum'],
      ['edits', 'f0.1.f0', 'required'],
    ]);
  });
});

it('a result that a server sends as text and as structure is shown once', () => {
  const place = { callId: 'c', serverId: 's', link: (path: string) => path };
  const structuredContent = { rows: 3, ok: true };
  const content = [
    { type: 'text', text: '{ "ok": true, "rows": 3 }' },
    { type: 'text', text: 'Done.' },
  ];
  const { text } = resultContent({ content, structuredContent }, place);
  expect(text.match(/json-key">rows/g)).toHaveLength(1);
  expect(text).toContain('Done.');
  expect(text).toContain('/calls/c/blocks/1');
});

it('a text that a server sends as the one member of its structure as well is shown once', () => {
  const place = { callId: 'c', serverId: 's', link: (path: string) => path };
  const content = [{ type: 'text', text: '-old\n+new' }];
  const shown = (structuredContent: object): string => resultContent({ content, structuredContent }, place).text;
  expect(shown({ content: '-old\n+new' })).not.toContain('json-key');
  expect(shown({ content: 'something else' })).toContain('json-key">content');
  expect(shown({ content: '-old\n+new', total: 1 })).toContain('json-key">total');
});

describe('adding a server', () => {
  const registry = createServer((request, response) => {
    const isThere = decodeURIComponent(request.url ?? '') === '/@acme/tea/latest';
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ name: '@acme/tea', version: '1.2.0', description: 'Tea.' }));
  });
  const listening = new Promise<string>(resolve =>
    registry.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(registry.address() as AddressInfo).port}`)),
  );
  afterAll(() => registry.close());
  const home = mkdtempSync(join(tmpdir(), 'midcall-home-'));
  const { path } = hostConfigs({ HOME: home }, 'linux').find(({ host }) => host === 'Cursor')!;
  mkdirSync(join(path, '..'), { recursive: true });
  const secret = 'zebra-cursor-71';
  writeFileSync(
    path,
    JSON.stringify({
      mcpServers: {
        mail: { command: '/no/such/mail', args: ['--api-key', secret], env: { PASSWORD: secret, REGION: 'eu' } },
      },
    }),
  );

  it('a server named by an npm package runs nothing before its exact version is confirmed', async () => {
    await using on = await stage({ environment: { npm_config_registry: await listening, PATH: '' } });
    // Nothing is to be downloaded here.
    const { servers } = on.desk.workspace;
    const add = servers.add.bind(servers);
    servers.add = entry => add(entry, { start: false });
    const visitor = await enter(on.desk);
    const asked = await visitor.post('/add', { what: '@acme/tea /srv' });
    expect(asked.text).toContain('npx -y @acme/tea@1.2.0 /srv');
    expect(servers.list()).toEqual([]);
    for (const version of ['latest', '^1.2.0', ''])
      expect((await visitor.post('/add/package', { name: '@acme/tea', version, args: '' })).status).toBe(422);
    expect((await visitor.post('/add', { what: '@acme/coffee' })).text).toContain('has no package @acme/coffee');
    await visitor.post('/add/package', { name: '@acme/tea', version: '1.2.0', args: '/srv' });
    expect(servers.list()).toMatchObject([{ id: 'tea', origin: 'npx -y @acme/tea@1.2.0 /srv' }]);
  });

  it('the list of another program is read when asked, shows no secret, and copies none that was not ticked', async () => {
    await using on = await stage({ environment: { HOME: home } });
    const visitor = await enter(on.desk);
    const { text } = await visitor.post('/add/hosts', {});
    expect(text).toContain('PASSWORD and REGION');
    expect(text).not.toContain(secret);
    const server = /name="server" value="([^"]+)"/.exec(text)![1]!.replaceAll('&#34;', '"').replaceAll('&quot;', '"');
    const chosen = await visitor.post('/add/hosts/chosen', { server });
    expect(chosen.headers['location']).toBe('/add/values');
    const values = (await visitor.get('/add/values')).text;
    expect(values).toMatch(/PASSWORD[\s\S]*type="password"/);
    await visitor.post('/add/values', { v0: 'typed', v1: '' });
    expect(on.desk.workspace.servers.entry('mail').target).toMatchObject({ env: { PASSWORD: 'typed' } });
    const copied = await visitor.post('/add/hosts/chosen', { server, secrets: server });
    expect(copied.headers['location']).toBe('/imported');
    expect(on.desk.workspace.servers.entry('mail-2').target).toMatchObject({ env: { PASSWORD: secret, REGION: 'eu' } });
  });

  it('a server that its list has switched off is put on the desk without a start, also when its page is opened', async () => {
    await using on = await stage();
    const visitor = await enter(on.desk);
    await visitor.post('/add', { what: '{"mcpServers":{"off":{"command":"/no/such/tea","disabled":true}}}' });
    await visitor.get('/servers/off');
    expect(on.desk.workspace.servers.get('off')).toMatchObject({ state: 'stopped' });
  });
});
