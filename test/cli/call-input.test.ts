/** What people and files say to `midcall call`, judged before anything is started. */

import { readServerEntries } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { originOf } from '../../packages/host/src/servers/server-entry.ts';
import { chooseEra, chooseServer } from '../../packages/midcall/src/cli/server-choice.ts';
import { wordsAfterDashes } from '../../packages/midcall/src/cli/server-flags.ts';
import { checkRequired, readToolArguments } from '../../packages/midcall/src/cli/tool-arguments.ts';

const variable = (name: string): string => `\${${name}}`;

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: ['null', 'number'] },
    deep: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    where: { type: 'object' },
    any: {},
  },
};

describe('tool arguments', () => {
  it.each([
    [['title=12', 'count=3', 'ratio=0.5', 'deep=yes'], { title: '12', count: 3, ratio: 0.5, deep: true }],
    [['tags=a', 'tags=b'], { tags: ['a', 'b'] }],
    [['tags=["a","b"]'], { tags: ['a', 'b'] }],
    [['where={"a":1}'], { where: { a: 1 } }],
    [['title=a=b'], { title: 'a=b' }],
    [['any=3', 'title:="x"'], { any: 3, title: 'x' }],
    [['any=plain words'], { any: 'plain words' }],
    [['{"title":"x"}'], { title: 'x' }],
    [[], {}],
  ])('tool arguments are read from the words %j', (words, expected) =>
    expect(readToolArguments(words, schema)).toEqual(expected),
  );

  it.each([
    [['count=2.5'], /'count' must be a whole number/],
    [['count='], /'count' must be a whole number/],
    [['deep=maybe'], /'deep' must be true or false/],
    [['nope=1'], /no argument 'nope'. It has: title, count/],
    [['title'], /is not key=value/],
    [['title=a', 'title=b'], /'title' is given twice\.$/],
    [['tags=a', 'tags:="b"'], /'tags' is given twice\.$/],
    [['{"a":1}', 'b=2'], /not both/],
    [['{bad'], /not JSON/],
    [['where=x'], /'where' is not JSON\.$/],
    [['title:=x'], /'title' is not JSON\. := takes JSON; for text, write title=x\.$/],
    [['__proto__=1'], /no argument '__proto__'/],
  ])('tool arguments are refused as the words %j', (words, why) =>
    expect(() => readToolArguments(words, schema)).toThrow(why),
  );

  it.each([
    [[], "the arguments 'title', 'count'"],
    [['count=1'], "the argument 'title'. Nothing was sent. Write title=value after"],
    [['{"count":1}'], "the argument 'title'"],
    [['{"__proto__":{"title":"x"},"count":1}'], "the argument 'title'"],
  ])('tool arguments are refused as the words %j where more is required', (words, why) =>
    expect(() => checkRequired(readToolArguments(words, schema), { required: ['title', 'count'] })).toThrow(why),
  );

  it('an error names the arguments there are, with what hides in their names made visible', () => {
    const odd = { type: 'object', properties: { 'a\u001B[2J': {}, '\u009B31m': {} } };
    expect(() => readToolArguments(['x=1'], odd)).toThrow('It has: a⟦U+001B⟧[2J, ⟦U+009B⟧31m.');
  });
});

describe('naming a server', () => {
  it('a server is named by a command, a URL or an entry, one of them', () => {
    expect(wordsAfterDashes(['node', 'midcall', 'call', 't', '--', 'npx', '-y', 'x'])).toEqual(['npx', '-y', 'x']);
    expect(chooseServer({}, ['npx', '-y', '@modelcontextprotocol/server-everything', 'stdio']).id).toBe(
      'server-everything',
    );
    expect(chooseServer({}, ['node', 'dist/notes/index.js']).id).toBe('notes');
    for (const words of [
      ['C:\\Program Files\\nodejs\\node.exe', 'C:\\notes\\index.js'],
      ['cmd', '/c', 'npx.cmd', '-y', 'notes@1.2.3'],
      ['D:\\bin\\notes.EXE'],
    ])
      expect(chooseServer({}, words).id).toBe('notes');
    expect(chooseServer({ url: 'http://localhost:3000/mcp', header: ['authorization: Bearer x'] }, [])).toEqual({
      id: 'localhost:3000',
      target: { kind: 'url', url: 'http://localhost:3000/mcp', headers: { authorization: 'Bearer x' } },
    });
    expect(() => chooseServer({}, [])).toThrow(/Name the server/);
    expect(() => chooseServer({ url: 'http://x' }, ['node'])).toThrow(/one way only/);
    expect(() => chooseServer({ url: 'ftp://x' }, [])).toThrow(/http or https/);
    expect(() => chooseServer({ url: 'localhost' }, [])).toThrow('The server URL is not a complete web address.');
    expect(() => chooseServer({ url: 'http://me:canary-19@x/mcp' }, [])).toThrow(
      /^(?!.*canary)The server URL must not/,
    );
    expect(() => chooseServer({ config: '/nonexistent.json' }, [])).toThrow(/There is no file/);
    expect([chooseEra({}), chooseEra({ era: '2025' })]).toEqual(['auto', '2025-11-25']);
    expect(() => chooseEra({ era: '1999' })).toThrow(/--era must be/);
  });

  it('an mcp.json is read as hosts write it, with variables filled in', () => {
    const text = JSON.stringify({
      mcpServers: {
        a: {
          command: 'node',
          args: ['s.js', `${variable('HOME')}/x`],
          env: { K: variable('env:KEY:-none') },
          cwd: '/w',
        },
        b: { url: 'https://example.com/mcp?token=1', headers: { authorization: `Bearer ${variable('KEY')}` } },
      },
    });
    const entries = readServerEntries(text, { HOME: '/h', KEY: 'k' });
    expect(entries[0]?.target).toEqual({
      kind: 'command',
      command: 'node',
      args: ['s.js', '/h/x'],
      env: { K: 'k' },
      cwd: '/w',
    });
    expect(originOf(entries[1]!.target)).toBe('https://example.com/mcp');
    expect(originOf({ kind: 'command', command: 'a b', args: ["it's"] })).toBe("'a b' 'it'\\''s'");
  });

  it.each([
    ['{', /not JSON/],
    ['{}', /no member 'mcpServers'/],
    ['{"servers":{"a":1}}', /'a' is not an object/],
    ['{"servers":{"a":{}}}', /must have a 'command' or a 'url'/],
    ['{"servers":{"a":{"command":"x","args":[1]}}}', /'args' of the server 'a'/],
    ['{"servers":{"a":{"command":"x","env":{"B":{}}}}}', /'env.B' of the server 'a'/],
    [`{"servers":{"a":{"command":"${variable('NOPE')}"}}}`, /NOPE, which is not set/],
    [`{"servers":{"a":{"url":"${variable('NOPE')}"}}}`, /^The server 'a' needs the environment variable NOPE/],
    [`{"servers":{"a":{"command":"x","args":["${variable('input:key')}"]}}}`, /'a' uses \$\{input:key\}, which only/],
    ['{"servers":{"a":{"url":"ftp://x"}}}', /^The server 'a': The server URL must be http or https\./],
  ])('an mcp.json is refused as %s', (text, why) => expect(() => readServerEntries(text, {})).toThrow(why));

  it('an mcp.json is of use for one server of it though another cannot be read', () => {
    const text = `{"servers":{"a":{"command":"x"},"b":{"command":"${variable('NOPE')}"}}}`;
    expect(readServerEntries(text, {}, 'a')).toEqual([
      { id: 'a', target: { kind: 'command', command: 'x', args: [] } },
    ]);
    expect(() => readServerEntries(text, {}, 'c')).toThrow("There is no server 'c' in the list. It has: a, b.");
  });

  it('an mcp.json is read as editors save it: with a byte order mark, comments and trailing commas', () => {
    const text = `\uFEFF{ // mine
      "servers": { "notes": { "command": "node", "args": ["a//b", /* not c, */ "d,]",], }, },
    }`;
    expect(readServerEntries(text)).toEqual([
      { id: 'notes', target: { kind: 'command', command: 'node', args: ['a//b', 'd,]'] } },
    ]);
  });

  it('the names in an mcp.json control no terminal', () => {
    const text = JSON.stringify({ mcpServers: { 'a\u001B[2Jb': 5 } });
    expect(() => readServerEntries(text)).toThrow("The server 'a⟦U+001B⟧[2Jb' is not an object.");
  });
});
