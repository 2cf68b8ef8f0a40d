/** Which line of a dying server says why; the texts are what Node 20, npm 10, Python and Rust write. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lastSaid } from '../../../packages/host/src/connection/stderr-tail.ts';

const dying = (...words: readonly string[]): readonly string[] =>
  spawnSync(process.execPath, [...words], { encoding: 'utf8' }).stderr.split('\n');

const module = (code: string) => dying('--input-type=module', '-e', code);

describe('the line that says why a server ended', () => {
  it.each([
    ["import './not-there.mjs'", /^Error \[ERR_MODULE_NOT_FOUND\]: Cannot find module '.*not-there\.mjs'/],
    ["throw new TypeError('no token\\nset TOKEN')", /^TypeError: no token$/],
    ["throw Object.assign(new Error('taken'), { code: 'E', list: [1, { a: 1 }] })", /^Error: taken$/],
    ["throw new Error('outer', { cause: new RangeError('inner') })", /^Error: outer$/],
    ["throw new AggregateError([new Error('a'), new Error('b')], 'both')", /^AggregateError: both$/],
    ["class Odd extends Error { name = 'Odd' }; throw new Odd('why')", /why$/],
    ["throw 'plain words'", /plain words/],
    ["console.error(new Error('logged')); process.exit(1)", /^Error: logged$/],
    ["console.error('hello'); console.error('no licence'); process.exit(1)", /^no licence$/],
  ])('the line that says why a server ended is found in what Node writes for %s', (code, said) => {
    expect(lastSaid(module(code))).toMatch(said);
  });

  it('the line that says why a server ended is found where a file is missing, or does not parse', () => {
    expect(lastSaid(dying('/no/such/server.js'))).toMatch(/^Error.*: Cannot find module '.*server\.js'/);
    expect(lastSaid(dying('-e', 'const x = ;'))).toBe("SyntaxError: Unexpected token ';'");
  });

  it.each(['server.mjs', 'server.cjs'])('where a file does not parse is said with why: %s', name => {
    const folder = mkdtempSync(join(tmpdir(), 'midcall-said-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, name), 'const fine = 1;\nconst x = ;\n');
    const said = lastSaid(dying(join(folder, name)));
    expect(said).toMatch(/^SyntaxError: Unexpected token ';' \(.*:2\)$/);
    expect(said).toContain(name);
  });

  it.each([
    [
      'npm',
      [
        'npm error code E404',
        'npm error 404 Not Found - GET https://registry.npmjs.org/nope',
        'npm error A complete log',
      ],
      'npm error 404 Not Found - GET https://registry.npmjs.org/nope',
    ],
    [
      'Python',
      [
        'Traceback (most recent call last):',
        '  File "p.py", line 2, in f',
        '    return 1/0',
        '           ~^~',
        'ZeroDivisionError: division by zero',
      ],
      'ZeroDivisionError: division by zero',
    ],
    [
      'Rust',
      [
        "thread 'main' panicked at src/main.rs:2:5:",
        'no key',
        'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
      ],
      'no key',
    ],
    ['a line that is set in', ['  set in, and all there is'], 'set in, and all there is'],
    ['a line in color', ['an \u001b[31mescape'], 'an escape'],
    ['a line of 400 letters', ['x'.repeat(400)], `${'x'.repeat(300)}… (100 more characters)`],
  ])('the line that says why a server ended is found in what %s writes', (_, lines, said) => {
    expect(lastSaid(lines)).toBe(said);
  });

  it('the line that says why a server ended is missing where nothing was said', () => {
    expect([lastSaid([]), lastSaid(['', ' ', '}', 'Node.js v20.20.2'])]).toEqual([undefined, undefined]);
  });
});
