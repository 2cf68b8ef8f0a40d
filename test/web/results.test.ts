/** What a call brought, as the desk shows it: Markdown, JSON, tables, links; whatever a server puts into them. */
import { describe, expect, it } from 'vitest';
import { jsonIn } from '../../packages/host/src/views/json-value.ts';
import { jsonTree } from '../../packages/host/src/web/pages/json-tree.ts';
import { tableHeads } from '../../packages/host/src/web/pages/markdown.ts';
import { resultContent } from '../../packages/host/src/web/pages/result.ts';

const place = { callId: 'c-1', serverId: 'notes', link: (path: string) => `/base${path}` };
const shown = (result: Record<string, unknown>): string => resultContent(result, place).text;
const text = (value: string): string => shown({ content: [{ type: 'text', text: value }] });

describe('Markdown', () => {
  it('Markdown is shown as what it means', () => {
    const html = text('# Title\n\n- one\n- **two**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet a = 1 < 2;\n```');
    for (const part of ['md-h1">Title', '<li>one</li>', '<strong>two</strong>', '<td>1</td>', 'let a = 1 &lt; 2;'])
      expect(html).toContain(part);
    expect(html).not.toMatch(/<h[1-6]>Title/);
  });

  it('text is left as it was written where there is no sign of Markdown', () => {
    expect(text('a * b\n  indented')).toContain('<pre class="result-text">a * b\n  indented</pre>');
  });

  it.each(['a line\n', '- **an item**\n'])('a long text scrolls in a box of its own: %j', line => {
    const box = '<div class="result-long" tabindex="0" role="region" aria-label="The text">';
    expect(text(line.repeat(5_000))).toContain(box);
    expect(text(line.repeat(100))).not.toContain(box);
  });

  it('Markdown brings no markup of its own, loads nothing, and leads nowhere but to the web', () => {
    const html = text(
      '**x** <script>alert(1)</script> <img src=x onerror=alert(1)>\n\n[go](javascript:alert(1)) [in](/servers/notes/remove) [d](data:text/html,x)\n\n![pixel](https://spy.example/p.png)',
    );
    expect(html).not.toMatch(/<script|<img|href="(?!https?:|\/base)/);
    expect(html).toContain('Image not loaded: pixel (https://spy.example/p.png)');
  });

  it('each link says beside it which host it leads to, apart from the desk', () => {
    const html = text('[Your bank](https://evil.example/login"onmouseover=alert(1))');
    expect(html).toContain('<span class="link-host">evil.example</span>');
    expect(html).toContain('target="_blank" rel="noopener noreferrer nofollow"');
    expect(html).not.toContain('"onmouseover');
  });

  it('Markdown hides and reorders nothing', () => {
    expect(text('**a** \u202Eb `\u200B`')).toContain('<mark class="code-point">⟦U+202E⟧</mark>');
    expect(text('**a** \u202Eb `\u200B`')).not.toMatch(/[\u202E\u200B]/);
  });

  it('Markdown is cut where it is long, and does not blow up where it is nested', () => {
    expect(text(`**a** ${'x'.repeat(300_000)}`).length).toBeLessThan(150_000);
    expect(text(`**a**\n${'>'.repeat(5_000)} x`).length).toBeLessThan(200_000);
    expect(text(`**a** ${'['.repeat(20_000)}`).length).toBeLessThan(200_000);
  });
});

describe('a result of many parts', () => {
  const textBlock = (value: string) => ({ type: 'text', text: value });
  const held = (html: string, of: string): number => html.split(of).length - 1;

  it.each([
    ['Markdown', { ...textBlock(`**a**\n\n${'x'.repeat(99_993)}`) }, 2],
    ['other text', textBlock('x'.repeat(50_000)), 4],
    ['JSON in a text', textBlock(JSON.stringify('x'.repeat(500).split(''))), 100],
    ['what is no content', { type: 'holo', data: 'x'.repeat(30_000) }, 10],
    ['nothing', textBlock(''), 1_000],
  ])('a result of many parts is shown up to a limit, and says what is not: %s', (_, block, most) => {
    const html = shown({ content: Array.from({ length: 1_200 }, () => block) });
    expect(html).toContain(`Not shown: ${1_200 - most} more parts of this result. “Save as JSON” has all of them.`);
    expect(shown({ content: Array.from({ length: most }, () => block) })).not.toContain('Not shown');
  });

  it('the text that reaches the limit is cut', () => {
    const [most, rest] = [textBlock(`${'x'.repeat(100_000)}`), textBlock('y'.repeat(60_000))];
    const html = shown({ content: [most, rest, rest, rest] });
    expect(held(html, 'y')).toBeGreaterThanOrEqual(100_000);
    expect(html).toContain('yyy… (20,000 more characters)');
    expect(html).toContain('Not shown: 1 more part of');
  });
});

it('only the head of a table of Markdown is read for its name, however much is before and behind it', () => {
  const kinds = ['table_open', 'thead_open', 'tr_open', 'th_open', 'inline', 'th_close', 'tr_close', 'thead_close'];
  const one = [...kinds, 'tbody_open', 'inline', 'tbody_close', 'table_close'].map(type => ({ type, content: 'a' }));
  const reads: PropertyKey[] = [];
  const tokens = new Proxy(Array.from({ length: 100 }, () => one).flat(), {
    get: (all, key) => {
      if (key !== 'length') reads.push(key);
      return Reflect.get(all, key) as unknown;
    },
  });
  expect(tableHeads(tokens, 50 * one.length)).toEqual(['a']);
  expect(new Set(reads)).toEqual(new Set([601, 602, 603, 604, 605, 606, 607].map(String)));
  expect(text('| Name | Age |\n|---|---|\n| 1 | 2 |')).toContain('aria-label="Table of Name, Age"');
});

describe('JSON', () => {
  it('JSON is shown as a tree, in text too', () => {
    const html = text('{"name":"Ada","tags":["x"],"none":null,"ok":true}');
    expect(html).toContain('<span class="json-key">name</span>: <span class="json-string">&quot;Ada&quot;</span>');
    expect(html).toContain('<span class="json-null">null</span>');
    expect(html).toContain('4 members');
  });

  it('a list of like objects is shown as a table', () => {
    const html = jsonTree([
      { id: 1, name: 'A' },
      { id: 2, name: 'B', more: true },
    ]).text;
    expect(html.match(/<th scope="col">/g)).toHaveLength(3);
    expect(html.match(/<tr>/g)).toHaveLength(3);
  });

  it('the beginning of large JSON is shown, however it is large', () => {
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, at]));
    let deep: unknown = 1;
    for (let at = 0; at < 5_000; at += 1) deep = [deep];
    const many = Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => [1]));
    const rows = Array.from({ length: 10_000 }, (_, at) => ({ a: at, b: 'x' }));
    for (const value of [wide, deep, many, rows]) expect(jsonTree(value).text.length).toBeLessThan(600_000);
    expect(jsonTree(wide).text).toContain('49800 more');
  });

  it('the beginning of many long texts is shown, in lists, objects and tables', () => {
    const long = 'x'.repeat(5_000);
    const lists = Array.from({ length: 10 }, () => Array.from({ length: 100 }, () => long));
    const names = Array.from({ length: 90 }, (_, at) =>
      Object.fromEntries(Array.from({ length: 150 }, (__, each) => [`${at} ${each} ${long}`, [each]])),
    );
    const tables = Array.from({ length: 9 }, () => Array.from({ length: 100 }, () => ({ a: long, b: long })));
    for (const value of [lists, names, tables]) expect(jsonTree(value).text.length).toBeLessThan(500_000);
    expect(jsonTree(lists).text).toContain('<li class="json-size">41 more</li>');
    expect(jsonTree(tables).text).toMatch(/<p class="json-size">\d+ more<\/p>.*<li class="json-size">7 more<\/li>/);
  });

  it('what names and values in JSON hide is written out', () => {
    const html = jsonTree({ '<b>\u202E': '</span><script>' }).text;
    expect(html).toContain('&lt;b&gt;<mark');
    expect(html).not.toContain('<script>');
  });

  it('JSON is found in no text that is not all of it', () => {
    for (const each of ['{"a":1} and more', 'null', '12', '"x"', '{']) expect(jsonIn(each)).toBeUndefined();
  });
});

it('content of a kind that the protocol does not have is said to be that, and shown as it is', () => {
  const html = shown({
    content: [
      { type: 'holo\u202Egram', beams: 3 },
      { type: 'text', text: 'beside it' },
    ],
  });
  expect(html).toContain('holo<mark class="code-point">⟦U+202E⟧</mark>gram');
  expect(html).toMatch(/<p class="help">[^<]*holo/);
  expect(html).toContain('&quot;beams&quot;: 3');
  expect(html).toContain('beside it');
  expect(shown({ content: [{ type: 'image', data: '!', mimeType: 'image/png' }] })).not.toContain('class="help"');
});

it('a linked resource opens on the desk, under the name it has', () => {
  const html = shown({ content: [{ type: 'resource_link', uri: 'javascript:alert(1)', name: 'Read <me>' }] });
  expect(html).toContain('href="/base/servers/notes/resources/javascript%3Aalert(1)"');
  expect(html).toContain('Read &lt;me&gt;');
});

it('all of a result is offered as a file, and each text as it was written', () => {
  const html = text('**bold**');
  expect(html).toContain('href="/base/calls/c-1/result.json" download');
  expect(html).toContain('href="/base/calls/c-1/blocks/0"');
});
