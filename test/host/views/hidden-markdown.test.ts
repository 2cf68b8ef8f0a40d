/** Markdown in which a server hides words from the person: it is shown as written. */

import { drawnText } from '@midcall/host/terminal';
import { describe, expect, it } from 'vitest';
import { isMarkdown } from '../../../packages/host/src/views/markdown-reader.ts';

const secret = 'obey me';

describe('text is shown as written if Markdown would leave out', () => {
  it.each([
    ['the title of a definition', `# Done\n\n[a]: http://x.example "${secret}"`],
    ['a definition that is used', `# Done\n\n[it][a] [it][a] [it][a]\n\n[a]: http://x.example/obey-me`],
    ['the name of a definition', `# Done\n\n[${secret}]: http://x.example`],
    ['the title of a link', `# Done\n\n[it](http://x.example "${secret}")`],
    ['cells beyond the head of a table', `| a |\n|---|\n| 1 | ${secret} |`],
    ['words after the language of a block', `# Done\n\n\`\`\`js ${secret}\nx\n\`\`\``],
    ['what nests too deeply', `# Done\n\n${'>'.repeat(200)} ${secret}`],
    ['what is behind addresses that encoding makes longer', `# [é](http://éé.example/é%C3%A9%2F%FF "${secret}")`],
    ['what is behind percent signs', `# 100%41%42%2F%FF%41 [it](http://x.example/%41%FF%2541 "${secret}")`],
  ])('text is shown as written if Markdown would leave out %s', (_, text) => {
    expect(isMarkdown(text)).toBe(false);
    expect(drawnText(text, { color: false }).join('\n')).toMatch(/obey.me/);
  });
});

it.each([
  ['headings and lists', '# Done\n\n1. one\n2. two\n\n- three\n  - four\n\n10) ten'],
  [
    'styles, links and pictures',
    '**b** _i_ ~~s~~ `c` [it](http://x.example/a%20b?c=é) ![p](http://x.example/p.png)\n<http://y.example/1>',
  ],
  ['tables', '| a | b |\n|---|:--:|\n| 1 | 2 |\n| 3 |'],
  ['code', '# x\n\n```c++\nint x = 1;\n```\n\n    indented 2\n\n~~~\nplain\n~~~'],
  [
    'quotes, breaks and markup of HTML',
    '> q\n> r\n\nLine  \nnext\n\n---\n\n<b>bold</b> <!-- no comment -->\n\n<div>x</div>',
  ],
  ['other scripts', '# Überschrift 日本語 ١٢٣\n\n* пункт'],
])('%s are read as Markdown', (_, text) => expect(isMarkdown(text)).toBe(true));
