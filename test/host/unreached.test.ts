/** Why a server could not be started or reached, in words to act on. */
import { describe, expect, it } from 'vitest';
import { unreached } from '../../packages/host/src/connection/unreached.ts';

const command = { kind: 'command', command: 'notes-server', args: [] } as const;
const url = { kind: 'url', url: 'http://127.0.0.1:3000/mcp' } as const;
const failure = (message: string, members: object = {}, cause?: Error): Error =>
  Object.assign(new Error(message, { cause }), members);
const probe = (cause: Error): Error =>
  failure(
    'Version negotiation probe failed: fetch failed',
    { code: 'ERA_NEGOTIATION_FAILED' },
    failure('fetch failed', {}, cause),
  );

describe('why a command did not start', () => {
  it.each([
    ['no such program', failure('spawn notes-server ENOENT', { code: 'ENOENT', syscall: 'spawn notes-server' })],
    ['may not be run', failure('spawn notes-server EACCES', { code: 'EACCES', syscall: 'spawn notes-server' })],
    ['ended at once', failure('Connection closed', { code: 'CONNECTION_CLOSED' })],
    ['stayed silent', failure('Request timed out', { code: 'REQUEST_TIMEOUT' })],
  ])('%s', (_, error) => {
    const why = unreached(error, command);
    expect(why).not.toMatch(/spawn|ENOENT|EACCES|Connection|Request|code/);
    expect(why).toMatch(/^(?:there is no program|'notes-server' may not|it ended|it did not)/);
  });

  it('names the folder it should start in only where one was given', () => {
    const error = failure('spawn notes-server ENOENT', { code: 'ENOENT', syscall: 'spawn notes-server' });
    expect(unreached(error, command)).toBe("there is no program 'notes-server' on this machine.");
    expect(unreached(error, { ...command, cwd: '/srv/notes' })).toContain('no folder /srv/notes');
  });
});

describe('why an address was not reached', () => {
  it.each([
    ['ECONNREFUSED', 'nothing listens at this address. Is the server running?'],
    ['ENOTFOUND', 'no computer with this name was found.'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not speak https. Try http.'],
  ])('%s lies below what the SDK says', (code, why) => {
    expect(unreached(probe(failure('connect', { code })), url)).toBe(why);
  });

  it.each([
    [401, 'requires a token'],
    [404, 'no MCP endpoint at this address (HTTP 404)'],
  ])('HTTP %d', (status, why) => {
    expect(unreached(failure('Error POSTing to endpoint: no', { status }), url)).toContain(why);
  });

  it('a web page is no MCP server', () => {
    const page = failure('Unexpected content type: text/html', { code: 'CLIENT_HTTP_UNEXPECTED_CONTENT' });
    expect(unreached(probe(page), url)).toBe('what answers at this address is not an MCP server.');
  });

  it('says the innermost words of what it does not know, made visible and capped', () => {
    const why = unreached(probe(failure(`odd\u202e${'x'.repeat(2_000)}`)), url);
    expect(why).toMatch(/^odd⟦U\+202E⟧x+… \(/);
  });
});
