/** Front matter amended: what was not changed stays as it was. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amend, tagsOf } from '../../packages/midcall/src/notes/front-matter.ts';
import { describe as read } from '../../packages/midcall/src/notes/note.ts';

describe('amend', () => {
  it.each([
    ['none', '# A\n\ntext\n', '---\ntitle: New\ntags: [ a, b ]\n---\n\n# A\n\ntext\n'],
    ['an empty one', '---\n---\ntext\n', '---\ntitle: New\ntags: [ a, b ]\n---\ntext\n'],
    ['another title', '---\ntitle: Old\n---\ntext\n', '---\ntitle: New\ntags: [ a, b ]\n---\ntext\n'],
    [
      'comments and other keys',
      '---\n# mine\nauthor: Ada # the first\ntags:\n  - old\nx: {y: 1}\n---\ntext',
      '---\n# mine\nauthor: Ada # the first\ntags: [ a, b ]\nx: { y: 1 }\ntitle: New\n---\ntext',
    ],
    ['a byte order mark', '\ufeff---\ntitle: Old\n---\nx', '\ufeff---\ntitle: New\ntags: [ a, b ]\n---\nx'],
    ['CRLF', '---\r\ntitle: Old\r\n---\r\nx\r\n', '---\r\ntitle: New\r\ntags: [ a, b ]\r\n---\r\nx\r\n'],
    ['a rule that opens the text', '---\ntext', '---\ntitle: New\ntags: [ a, b ]\n---\n\n---\ntext'],
  ])('amend writes title and tags, whatever the text begins with: %s', (_name, text, expected) => {
    expect(amend(text, { title: 'New', tags: ['a', 'b'] })).toBe(expected);
  });

  it.each(['---\ntitle: [\n---\nx', '---\n- a list\n---\nx', '---\njust words\n---\nx'])(
    'amend leaves %j alone',
    text => {
      expect(amend(text, { title: 'New' })).toBeUndefined();
    },
  );

  it('what amend writes is read back as it was written, whatever the title and the text', () => {
    const line = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .map(text => text.replaceAll(/\s+/g, ' ').trim());
    fc.assert(
      fc.property(
        line.filter(text => text !== '' && !/\p{C}/u.test(text)),
        fc.string(),
        (title, body) => {
          const text = `# Heading\n${body.replaceAll('\r', '')}`;
          const amended = amend(text, { title, tags: ['one', 'two words'] })!;
          expect(read('x.md', amended, 0).title).toBe(title.normalize('NFC'));
          expect(tagsOf(amended)).toEqual(['one', 'two words']);
          expect(amended.endsWith(text)).toBe(true);
        },
      ),
    );
  });
});

describe('tagsOf', () => {
  it.each([
    ['---\ntags: [a, b]\n---\n', ['a', 'b']],
    ['---\ntags: a, b\n---\n', ['a', 'b']],
    ['---\ntags:\n  - a\n  - {b: c}\n---\n', ['a']],
    ['# No front matter', []],
    ['---\ntags: [\n---\n', []],
  ])('the tags of %j are %j', (text, tags) => {
    expect(tagsOf(text)).toEqual(tags);
  });
});
