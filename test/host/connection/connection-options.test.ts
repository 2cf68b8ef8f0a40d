/** A connection checks what it is made of at once, as `midcall()` does. */
import { Connection, commandTarget, Inbox } from '@midcall/host';
import { expect, it } from 'vitest';

const client = { name: 'test', version: '1.0.0' };
const entry = { id: 'notes', target: commandTarget(['node', 'server.js']) };
const options = { client, inbox: new Inbox() };

it('a connection takes what it is documented to take', () => {
  expect(new Connection(entry, options).state).toBe('stopped');
  const target = { kind: 'url', url: 'https://notes.example.com/mcp' } as const;
  expect(new Connection({ id: 'notes', target }, { ...options, era: '2025-11-25' }).state).toBe('stopped');
});

it.each([
  ['an unknown option', entry, { ...options, inboxx: 1 }, "has no option 'inboxx'|unknown|Did you mean"],
  ['no inbox', entry, { client }, 'inbox is missing; it must be an Inbox'],
  ['no client', entry, { inbox: new Inbox() }, 'client is missing'],
  ['a revision that is none', entry, { ...options, era: '2024-11-05' }, 'era must be'],
  [
    'a target of a kind that is none',
    { id: 'notes', target: { kind: 'stdio', command: 'node', args: [] } },
    options,
    "target must be a command, { kind: 'command'",
  ],
  [
    'a command without arguments',
    { id: 'notes', target: { kind: 'command', command: 'node' } },
    options,
    "args: ['server.js']",
  ],
  ['no target', { id: 'notes' }, options, 'target is missing'],
  ['a command line in place of an entry', 'node server.js', options, 'the first argument must be a server'],
])('a connection refuses %s, and says what it must be', (_what, given, withOptions, says) => {
  expect(() => new Connection(given as never, withOptions as never)).toThrow(TypeError);
  expect(() => new Connection(given as never, withOptions as never)).toThrow(
    new RegExp(says.replace(/[{}()[\]]/g, '\\$&')),
  );
});
