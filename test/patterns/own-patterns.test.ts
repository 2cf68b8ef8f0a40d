/**
 * The regular expressions in our own sources meet texts of strangers in the machine's own engine, which tries them at every position:
 * one that begins with an unbounded repetition and may fail after it takes time that grows with the square of the text. What
 * precedes the repetition has to say that nothing of it does: `(?<!\n)\n+$`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { root } from '../../tools/places.ts';

/** Atoms and quantifiers of a pattern, in order; groups are atoms of their own. */
function* atoms(pattern: string): Generator<{ readonly atom: string; readonly quantifier: string }> {
  const quantified = /[*+?]\??|\{\d+(?:,\d*)?\}\??/y;
  for (let at = 0; at < pattern.length; ) {
    const end = endOfAtom(pattern, at);
    quantified.lastIndex = end;
    const quantifier = quantified.exec(pattern)?.[0] ?? '';
    yield { atom: pattern.slice(at, end), quantifier };
    at = end + quantifier.length;
  }
}

function endOfAtom(pattern: string, at: number): number {
  if (pattern[at] === '\\') {
    const long = /^\\(?:[pPuk][{<][^}>]*[}>]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})/.exec(pattern.slice(at, at + 80));
    return at + (long?.[0].length ?? 2);
  }
  if (pattern[at] === '[') return endOfClass(pattern, at);
  if (pattern[at] !== '(') return at + (pattern.codePointAt(at)! > 0xffff ? 2 : 1);
  let end = at + 1;
  while (end < pattern.length && pattern[end] !== ')') end = endOfAtom(pattern, end);
  return end + 1;
}

function endOfClass(pattern: string, at: number): number {
  let end = at + 1;
  while (end < pattern.length && pattern[end] !== ']') end += pattern[end] === '\\' ? 2 : 1;
  return end + 1;
}

/** The alternatives of a pattern. */
function alternatives(pattern: string): readonly string[] {
  const found = [''];
  for (const { atom, quantifier } of atoms(pattern)) {
    if (atom === '|') found.push('');
    else found[found.length - 1] += atom + quantifier;
  }
  return found;
}

/** True for a pattern that begins with an unbounded repetition, and may fail behind it. */
function isTriedAgain(pattern: string): boolean {
  return alternatives(pattern).some(alternative => {
    const [first, ...rest] = atoms(alternative);
    if (!first) return false;
    const inGroup = /^\((?:\?:|\?<\w+>|(?!\?))(.*)\)$/s.exec(first.atom)?.[1];
    if (inGroup !== undefined && first.quantifier === '')
      return isTriedAgain(inGroup + rest.map(each => each.atom + each.quantifier).join(''));
    return /^(?:[*+]|\{\d+,\})/.test(first.quantifier) && rest.length > 0;
  });
}

it.each(['\\s*\\n', '\\0+$', '[. ]+$', 'a|x*y', '(\\s*)\\n', '\\p{L}+x', '.*a'])(
  'the pattern %s is tried again from every character',
  pattern => {
    expect(isTriedAgain(pattern)).toBe(true);
  },
);

it.each(['^\\s*\\n', '\\s+', '(?<!\\n)\\n+$', 'a+|b+', '\\d{1,3}x', '\\\\+', '[\\]+]x', '(?=a+b)'])(
  'the pattern %s is not tried again from every character',
  pattern => {
    expect(isTriedAgain(pattern)).toBe(false);
  },
);

it('no regular expression of ours takes time that grows with the square of a text by what it begins with', () => {
  const packages = join(root, 'packages');
  const sources = readdirSync(packages, { recursive: true, encoding: 'utf8' }).filter(file =>
    /^\w+\/src\/.*\.ts$/.test(file.replaceAll('\\', '/')),
  );
  expect(sources.length).toBeGreaterThan(300);
  const found: string[] = [];
  let read = 0;
  for (const file of sources) {
    const text = readFileSync(join(packages, file), 'utf8');
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        read += 1;
        const [, pattern, flags] = /^\/(.*)\/(\w*)$/s.exec(node.text)!;
        // Sticky ones are tried at one position.
        if (!flags!.includes('y') && isTriedAgain(pattern!)) found.push(`${file}: ${node.text}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  }
  expect(read).toBeGreaterThan(200);
  expect(found).toEqual([]);
});
