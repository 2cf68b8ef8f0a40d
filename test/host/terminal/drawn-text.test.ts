/** Results drawn for a terminal. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawnText, drawnValue } from '../../../packages/host/src/terminal/drawn-text.ts';
import { textWidth } from '../../../packages/host/src/terminal/wrap.ts';

const plain = { columns: 40, color: false };

describe('a result in a terminal', () => {
  it('a result in a terminal has the headings, lists, quotes and code of its Markdown, with its lines, broken to the width', () => {
    const text = [
      '# Report of **today**',
      'Some text with *stress*',
      'and a second line of it that is long.',
      '',
      '- one',
      '  - nested',
      '- two',
      '',
      '3. third',
      '',
      '> quoted',
      '',
      '```',
      'a  = 1',
      '```',
    ].join('\n');
    expect(drawnText(text, plain)).toEqual([
      'Report of today',
      '',
      'Some text with stress',
      'and a second line of it that is long.',
      '',
      '• one',
      '  • nested',
      '• two',
      '',
      '3. third',
      '',
      '│ quoted',
      '',
      '    a  = 1',
    ]);
  });

  it('the address of every link and picture is named, and no link is taken that leads elsewhere than to the web', () => {
    const text = '[your bank](https://evil.example/x) ![logo](https://a.example/l.png) [run](javascript:alert(1))';
    const lines = drawnText(text, { color: false });
    expect(lines).toEqual([
      'your bank <https://evil.example/x> [picture: logo, at https://a.example/l.png] [run](javascript:alert(1))',
    ]);
  });

  it('tables are set in columns, and one record below the other where they do not fit', () => {
    const rows = [
      { name: 'alpha', size: 1 },
      { name: 'be', size: 22 },
    ];
    const table = ['name   size', '─────  ────', 'alpha  1', 'be     22'];
    expect(drawnValue(rows, plain)).toEqual(table);
    expect(drawnText(JSON.stringify({ files: rows, more: false }), plain)).toEqual([
      'files:',
      ...table,
      '',
      'more: false',
    ]);
    expect(drawnText('| name | size |\n|---|--:|\n| **alpha** | 1 |\n| be | 22 |', plain)).toEqual(table);
    expect(drawnValue([{ name: 'x'.repeat(50) }, { name: 'y' }], plain)).toEqual([
      `name: ${'x'.repeat(50)}`,
      '',
      'name: y',
    ]);
  });

  it('a result in a terminal has colours for JSON where it may, and none with NO_COLOR', () => {
    expect(drawnValue({ a: 'b', n: [1] }, { color: true }).join('\n')).toBe(
      '{\n  \u001b[36m"a": \u001b[39m\u001b[32m"b"\u001b[39m,\n  \u001b[36m"n": \u001b[39m[\n    \u001b[33m1\u001b[39m\n  ]\n}',
    );
    expect(drawnValue({ a: 'b' }, { color: false }).join('\n')).toBe('{\n  "a": "b"\n}');
    expect(drawnValue({ a: 'b' }, plain)).toEqual(['{"a":"b"}']);
  });

  it('a result in a terminal keeps text that is neither as it was written', () => {
    expect(drawnText('two * three\n  indented', plain)).toEqual(['two * three', '  indented']);
  });

  it('no control character of a server is written to the terminal, whatever it returns', () => {
    const wild = fc.string({
      unit: fc.constantFrom(
        '\u001b',
        '[2J',
        '\u009b',
        '\u202e',
        '\ue000',
        '\ue0ff',
        '#',
        ' ',
        '*',
        '`',
        '|',
        '-',
        '\n',
        'a',
        '[',
        ']',
        '(',
        ')',
        '"',
        '{',
        '}',
        ':',
        '\\',
        'u001b',
      ),
      maxLength: 40,
    });
    fc.assert(
      fc.property(wild, text => {
        const lines = [
          ...drawnText(text, plain),
          ...drawnValue([{ [text]: text }, { [text]: 1 }], plain),
          ...drawnValue({ [text]: [text] }, plain),
        ];
        expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e\ue000-\ue0ff]/u);
        expect(
          drawnText(text, { color: true })
            .join('')
            .replace(/\u001b\[\d+m/g, ''),
        ).not.toMatch(/[\p{Cc}\u202e]/u);
      }),
      { numRuns: 300 },
    );
  });

  it('no line is wider than the terminal where its words fit', () => {
    const text = `- ${'word '.repeat(30)}\n  > ${'more '.repeat(30)}`;
    for (const line of drawnText(text, plain)) expect(textWidth(line)).toBeLessThanOrEqual(40);
  });
});
