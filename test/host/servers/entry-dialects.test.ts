/** Lists of servers as other hosts write them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how they name variables
import { readServerEntries } from '@midcall/host';
import { describe, expect, it } from 'vitest';

const environment = { HOME: '/home/ada', KEY: 'k', KEYS: 'many' };
const npx = { kind: 'command', command: 'npx', args: ['-y', 'notes'] };
const http = { kind: 'url', url: 'https://notes.example/mcp' };
const read = (json: unknown) => readServerEntries(JSON.stringify(json), environment);
const entry = (one: object) => read({ mcpServers: { notes: one } })[0]!.target;

describe('a list of servers', () => {
  it.each<[string, unknown]>([
    ['most hosts', { mcpServers: { notes: { command: 'npx', args: ['-y', 'notes'] } } }],
    ['VS Code', { inputs: [], servers: { notes: { type: 'stdio', command: 'npx', args: ['-y', 'notes'] } } }],
    ['the settings of VS Code', { mcp: { servers: { notes: { command: 'npx', args: ['-y', 'notes'] } } } }],
    ['opencode', { mcp: { notes: { type: 'local', command: ['npx', '-y', 'notes'], enabled: true } } }],
    ['Zed', { context_servers: { notes: { source: 'custom', command: 'npx', args: ['-y', 'notes'] } } }],
    ['Zed, before', { context_servers: { notes: { command: { path: 'npx', args: ['-y', 'notes'], env: null } } } }],
    ['Continue', { mcpServers: [{ name: 'notes', command: 'npx', args: ['-y', 'notes'] }] }],
    [
      'opencode, since its second version',
      { mcp: { servers: { notes: { type: 'local', command: ['npx', '-y', 'notes'] } } } },
    ],
    ['Amp', { 'amp.mcpServers': { notes: { command: 'npx', args: ['-y', 'notes'] } } }],
    [
      'a nested transport',
      { mcpServers: { notes: { transport: { type: 'stdio', command: 'npx', args: ['-y', 'notes'] } } } },
    ],
    ['one text for the whole command', { mcpServers: { notes: { command: 'npx -y notes' } } }],
  ])('a list of servers is read as %s writes it', (_, json) => {
    expect(read(json)).toEqual([{ id: 'notes', target: npx }]);
  });

  it.each<[string, object, object]>([
    ['Gemini CLI', { httpUrl: http.url, headers: { 'X-Key': '${KEY}' } }, { ...http, headers: { 'X-Key': 'k' } }],
    ['Windsurf', { serverUrl: http.url }, http],
    ['Continue', { url: http.url, requestInit: { headers: { 'X-Key': 'k' } } }, { ...http, headers: { 'X-Key': 'k' } }],
    ['Codex', { url: http.url, http_headers: { 'X-Key': 'k' } }, { ...http, headers: { 'X-Key': 'k' } }],
    [
      'Slack for Claude Code',
      { type: 'http', url: http.url, oauth: { clientId: '1.2', callbackPort: 3118 } },
      { ...http, auth: { clientId: '1.2', redirectPort: 3118, redirectHost: 'localhost' } },
    ],
    [
      'Cursor',
      { url: http.url, auth: { CLIENT_ID: 'a', CLIENT_SECRET: '${KEY}', scopes: ['notes'] } },
      { ...http, auth: { clientId: 'a', clientSecret: 'k', scopes: ['notes'] } },
    ],
    [
      'Claude Code',
      { type: 'http', url: http.url, oauth: { clientId: 'a', scopes: 'notes  mail' } },
      { ...http, auth: { clientId: 'a', scopes: ['notes', 'mail'] } },
    ],
    ['Gemini CLI, by discovery', { httpUrl: http.url, authProviderType: 'dynamic_discovery' }, http],
    [
      'Gemini CLI, with a variable',
      { command: 'x', args: ['$KEYS'], env: { A: '$KEY', B: 'a $KEY' } },
      { kind: 'command', command: 'x', args: ['many'], env: { A: 'k', B: 'a $KEY' } },
    ],
    [
      'opencode, with a variable',
      { type: 'remote', url: http.url, headers: { Authorization: 'Bearer {env:KEY}' }, oauth: false },
      { ...http, headers: { Authorization: 'Bearer k' } },
    ],
    [
      'numbers, yes or no and null in env',
      { command: 'x', env: { PORT: 8080, DEBUG: true, GONE: null } },
      { kind: 'command', command: 'x', args: [], env: { PORT: '8080', DEBUG: 'true' } },
    ],
    [
      'environment',
      { command: 'x', environment: { A: 'b' } },
      { kind: 'command', command: 'x', args: [], env: { A: 'b' } },
    ],
    [
      'members that are null',
      { command: 'x', args: null, env: null, cwd: null, url: null },
      { kind: 'command', command: 'x', args: [] },
    ],
    [
      '~ and ${userHome}',
      { command: '~/bin/x', cwd: '~/notes', args: ['${userHome}/a'] },
      { kind: 'command', command: '/home/ada/bin/x', args: ['/home/ada/a'], cwd: '/home/ada/notes' },
    ],
    ['a path with a space', { command: '/opt/my tools/x' }, { kind: 'command', command: '/opt/my tools/x', args: [] }],
  ])('an entry of a list of servers is read as it is meant: %s', (_, one, target) => {
    expect(entry(one)).toEqual(target);
  });

  it.each<[object, string]>([
    [
      { command: 'x', envFile: '.env' },
      "has 'envFile', which only the host it was written for understands. Write the variables in 'env'",
    ],
    [
      { command: 'x', args: ['${workspaceFolder}/a'] },
      'uses ${workspaceFolder}, which only its editor can fill in. Use ${env:NAME}, or write the value itself.',
    ],
    [{ command: 'x', args: ['${input:key}'] }, 'uses ${input:key}, which only its editor can fill in.'],
    [{ command: 'x', env: { KEY: '{file:~/key}' } }, 'uses {file:~/key}, which only its editor can fill in.'],
    [{ command: 'x', sandboxEnabled: true, sandbox: {} }, "runs in the sandbox of its host ('sandboxEnabled')"],
    [{ url: http.url, bearer_token_env_var: 'KEY' }, "has 'bearer_token_env_var', which only"],
    [{ url: http.url, authProviderType: 'google_credentials' }, "has 'authProviderType', which only"],
    [
      { url: http.url, oauth: { authServerMetadataUrl: 'https://x.example' } },
      "has a member 'authServerMetadataUrl', which is not one of",
    ],
    [{ image: 'notes' }, "must have a 'command' or a 'url'; it has image."],
    [{}, "must have a 'command' or a 'url'; it has no member."],
  ])('an entry of a list of servers is refused by name: %j', (one, says) => {
    expect(() => entry(one)).toThrow(says);
  });

  it('a list of servers is read without a bad entry, which is named; nothing is left of one that has no other', () => {
    const list = { mcpServers: { good: { command: 'x' }, unset: { command: '${NOT_SET}' }, odd: 7, gone: null } };
    const told: string[] = [];
    const all = readServerEntries(JSON.stringify(list), environment, undefined, line => told.push(line));
    expect(all.map(({ id }) => id)).toEqual(['good']);
    expect(told).toEqual([
      "The server 'unset' needs the environment variable NOT_SET, which is not set.",
      "The server 'odd' is not an object.",
      "The server 'gone' is not an object.",
    ]);
    expect(() => read(list)).toThrow('NOT_SET');
    const none = JSON.stringify({ mcpServers: { odd: 7 } });
    expect(() => readServerEntries(none, environment, undefined, () => {})).toThrow(
      "The server 'odd' is not an object.",
    );
  });

  it('an entry that is switched off is left out, unless it is named', () => {
    const list = {
      mcp: { on: { command: 'x' }, off: { command: 'y', enabled: false }, gone: { command: 'z', disabled: true } },
    };
    const told: string[] = [];
    expect(readServerEntries(JSON.stringify(list), {}, undefined, line => told.push(line)).map(({ id }) => id)).toEqual(
      ['on'],
    );
    expect(told).toEqual(['off', 'gone'].map(id => `The server '${id}' is switched off in the list.`));
    expect(readServerEntries(JSON.stringify(list), {}, 'off')).toMatchObject([{ id: 'off' }]);
  });
});
