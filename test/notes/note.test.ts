import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describe as describeNote, isHidden, isNoteName, label } from '../../packages/midcall/src/notes/note.ts';
import { oneLine } from '../../packages/midcall/src/notes/one-line.ts';
import { noteIds } from '../../packages/midcall/src/notes/scan.ts';
import { match, words } from '../../packages/midcall/src/notes/search.ts';

const at = Date.UTC(2025, 4, 6, 23, 59);
const title = (head: string, name = 'file-name.md') => describeNote(name, head, at).title;

describe('a note', () => {
  it('a note takes its title from the front matter, else the first heading, else the file name', () => {
    expect(title('---\ntitle: From front\n---\n# Heading\n')).toBe('From front');
    expect(title('---\ntitle: 2024\n---\n')).toBe('2024');
    expect(title('---\ntags: [a]\n---\n# Heading\n')).toBe('Heading');
    expect(title('no heading here')).toBe('file-name');
    expect(title('')).toBe('file-name');
    expect(title('\ufeff---\r\ntitle: Windows\r\n---\r\n')).toBe('Windows');
  });

  it.each([
    ['# Plain #', 'Plain'],
    ['### Third level', 'Third level'],
    ['Underlined\n===', 'Underlined'],
    ['<h1 align="center">Centered</h1>', 'Centered'],
    ['# [Linked](https://example.com) `code` and **bold**', 'Linked code and bold'],
    ['# snake_case_name', 'snake_case_name'],
    ['# ![logo](logo.png)\n\n## Words', 'Words'],
    ['```\n# not this\n```\n# This', 'This'],
    ['~~~~\n# no\n~~~\n# no\n~~~~\n# Yes', 'Yes'],
    ['#hashtag\n', 'file-name'],
    ['- item\n---\n', 'file-name'],
  ])('a note takes its title from the heading of %j, if that has one', (head, expected) => {
    expect(title(head)).toBe(expected);
  });

  it('a note takes its date from the front matter, else the day it was written', () => {
    const date = (head: string) => describeNote('a.md', head, at).date;
    expect(date('---\ndate: 2023-06-14\n---\n')).toBe('2023-06-14');
    expect(date('---\ndate: 2023-06-14T10:00:00Z\n---\n')).toBe('2023-06-14');
    expect(date('---\ndate: "2023-06-14 10:00"\n---\n')).toBe('2023-06-14');
    for (const wrong of ['2023-02-31', 'yesterday', '[1]', '2023-06-14x']) {
      expect(date(`---\ndate: ${wrong}\n---\n`)).toBe('2025-05-06');
    }
  });

  it('a note survives front matter that is broken or hostile', () => {
    expect(title('---\ntitle: [unclosed\n---\n# Heading')).toBe('Heading');
    expect(title('---\n__proto__: {title: x}\n---\n')).toBe('file-name');
    expect(title('---\na: &a [1]\ntitle: *a\n---\n')).toBe('file-name');
    expect(title(`---\ntitle: ${'x'.repeat(5_000)}\n---\n`)).toHaveLength(120);
    expect(title('---\nnever: closed\n')).toBe('file-name');
    expect(({} as { title?: string }).title).toBeUndefined();
  });

  it('a title is one line without control, bidi or invisible characters', () => {
    expect(title('---\ntitle: "a\\u202Egnp\\u0007\\nb\\u200B"\n---\n')).toBe('a gnp b');
    expect(oneLine('\ud83d half')).toBe('half');
  });

  it('a note always has a title and a date, whatever the file holds', { tags: 'thorough' }, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.constantFrom('', '---\n', '# '), (text, prefix) => {
        const note = describeNote('n.md', prefix + text, at);
        expect(note.title.length).toBeGreaterThan(0);
        expect([...note.title].length).toBeLessThanOrEqual(120);
        expect(note.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      }),
    );
  });

  it('a note is a Markdown file outside hidden folders', () => {
    expect(['a.md', 'A.MD', 'b.markdown'].every(isNoteName)).toBe(true);
    expect(['a.txt', 'md', 'a.md.bak'].some(isNoteName)).toBe(false);
    expect(isHidden('.trash/a.md')).toBe(true);
    expect(isHidden('work/.git/a.md')).toBe(true);
    expect(isHidden('work/a.b.md')).toBe(false);
    expect(label({ title: 'T', folder: 'work/2024', date: '2024-01-02' })).toBe('T · work/2024 · 2024-01-02');
  });
});

describe('note ids', () => {
  const placed = (root: string, relative: string) => ({ path: `${root}/${relative}`, relative });

  it('note-id-N1: note ids depend on the path below the root alone', () => {
    const here = noteIds([placed('/a', 'work/x.md')]).get('/a/work/x.md');
    const there = noteIds([placed('/b', 'work/x.md'), placed('/b', 'y.md')]).get('/b/work/x.md');
    expect(here).toMatch(/^note-[0-9a-z]{8}$/);
    expect(there).toBe(here);
  });

  it('note-id-N2: note ids never collide within a list', () => {
    const twoRoots = noteIds([placed('/a', 'x.md'), placed('/b', 'x.md'), placed('/a', 'y.md')]);
    expect(new Set(twoRoots.values()).size).toBe(3);
    const weak = (text: string, length: number) => (length === 8 ? `note-${text.length % 3}` : `note-${text}`);
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { maxLength: 20 }), names => {
        const files = names.map(name => placed('/r', name));
        expect(new Set(noteIds(files, weak).values()).size).toBe(files.length);
      }),
    );
  });
});

describe('search', () => {
  const note = { title: 'Lentil soup', text: 'Serves four.\n\nRed lentils, a bay leaf, lemon juice at the end.' };

  it('a search wants every word, in title or text, whatever its case', () => {
    expect(match(words('LENTIL lemon'), note)).toBeDefined();
    expect(match(words('lentil anchovy'), note)).toBeUndefined();
    expect(match(words('(a+)+$'), note)).toBeUndefined();
  });

  it('a search ranks the title above the text and shows the place', () => {
    const inTitle = match(words('soup'), note)!;
    const inText = match(words('lemon'), note)!;
    expect(inTitle.score).toBeGreaterThan(inText.score);
    expect(inText.excerpt).toContain('lemon juice');
    expect(match(words('lentil soup'), note)!.score).toBeGreaterThan(100);
  });

  it('a search caps the words and ignores repeats', () => {
    expect(words('a a B')).toEqual(['a', 'b']);
    expect(words('one two three four five six seven eight nine ten eleven twelve thirteen')).toHaveLength(12);
  });
});
