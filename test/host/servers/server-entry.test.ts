/** A list of servers that somebody else wrote: how its variables are filled in, and which headers it may name. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how mcp.json names a variable
import { readServerEntries, urlTarget } from '@midcall/host';
import { expect, it } from 'vitest';

const commandOf = (command: string, environment = {}): string => {
  const [entry] = readServerEntries(JSON.stringify({ mcpServers: { a: { command } } }), environment);
  return (entry!.target as { readonly command: string }).command;
};

it.each([
  ['${A}', 'one'],
  ['${env:A}/${B:-two}/${C}', 'one/two/'],
  ['x${A}}y}', 'xone}y}'],
  ['${B:-}', ''],
  ['${B:-a:-b}', 'a:-b'],
  ['${B:-${A}}', '${A}'],
  ['${ ${A}', '${ one'],
  ['${A', '${A'],
  ['${1}', '${1}'],
  ['$A {A}', '$A {A}'],
])('%j is filled in as %j', (command, filled) => {
  expect(commandOf(command, { A: 'one', C: '' })).toBe(filled);
});

it('what cannot be filled in is named', () => {
  expect(() => commandOf('${B}')).toThrow('needs the environment variable B, which is not set');
  expect(() => commandOf('${B:-${input:key}}')).toThrow('uses ${input:key}, which only its editor can fill in');
  expect(commandOf('${input:key')).toBe('${input:key');
});

it.each(['${a:-', '${input:', '${', '${a', '${a}', 'a}'])('a text of %j alone is read, however long', piece => {
  const long = piece.repeat(200_000);
  expect(commandOf(long, { a: '' })).toBe(piece === '${a}' ? '' : long);
});

it.each(['SECRET\nX', 'SECRET\0', 'SECRET✓'])('a header that cannot be sent is named, and not its value: %j', value => {
  const text = JSON.stringify({
    mcpServers: { a: { url: 'https://example.org/mcp', headers: { 'X-Key': '${KEY}' } } },
  });
  const read = () => readServerEntries(text, { KEY: value });
  expect(read).toThrow("The server 'a': The header 'X-Key' has a value with a character that no header may have.");
  expect(read).not.toThrow('SECRET');
});

it('a header whose name cannot be sent is not named, and a value with a line break after it is taken', () => {
  const target = (headers: Record<string, string>) => urlTarget('https://example.org/mcp', { headers });
  expect(() => target({ 'Bearer SECRET': 'x' })).toThrow(/^A header has a name with a character/u);
  expect(() => target({ '': 'x' })).toThrow(/^A header has a name/u);
  expect(target({ 'X-Key': 'SECRET\n' })).toMatchObject({ headers: { 'X-Key': 'SECRET\n' } });
});
