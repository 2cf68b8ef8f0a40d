/** Text that is made to deceive, wherever a page shows text that is not ours: it is seen for what it is. */

import type { Page } from '@midcall/server';
import {
  confirm,
  connect,
  formPage,
  html,
  oauth,
  oauthPages,
  type PageKind,
  pageOf,
  provider,
  secret,
  vault,
} from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { fixture, told } from './fixture.ts';
import { lend } from './oauth-pages.ts';
import { codeIn, visitor } from './visitor.ts';

/** Moves the cursor, reorders the line, hides, ends the line, or only looks empty. */
const tricks = [
  ...'\u0000\u0007\u0008\u001b\u007f\u0085\u009b\u00ad\u034f\u061c\u115f\u180e\u200b\u200e\u200f\u2028\u2029',
  ...'\u202a\u202b\u202d\u202e\u2060\u2066\u2067\u2068\u2069\u3164\ufeff\uffa0\u{e0041}\u{e007f}',
];
const raw = new RegExp(`[${tricks.join('')}]`, 'u');
/** What a deceiver writes: an address that reads the other way round, a line of its own, a screen wiped, a tag. */
const bad = `moc.live\u202e<b>example</b>\u202c${tricks.join('x')}\u001b[2J"'>`;

const own: PageKind = {
  name: 'own',
  show: ({ data }) => ({ title: `${data}`, send: `${data}`, body: html`<p>ours</p>` }),
  submit: ({ data }) => ({ again: { title: `${data}`, send: `${data}`, body: html`<p>ours</p>`, problem: `${data}` } }),
};
const kept = vault({ store: memoryStore(), key: Buffer.alloc(32, 7) });
const third = provider({
  id: 'third',
  name: 'Notes <b>Co</b>',
  issuer: 'http://127.0.0.1:9',
  clientId: 'x',
  metadata: { authorization_endpoint: 'http://127.0.0.1:9/a', token_endpoint: 'http://127.0.0.1:9/t' },
});
const pages: Record<string, Page<unknown>> = {
  confirm: confirm({ title: bad, allow: bad }),
  secret: secret({ name: 'key', label: bad, help: bad, title: bad }),
  form: formPage({
    title: bad,
    send: bad,
    items: {
      text: { kind: 'text', label: bad, help: bad },
      few: { kind: 'select', label: bad, choices: [{ value: 'a', title: bad }] },
      many: {
        kind: 'select',
        label: bad,
        choices: Array.from({ length: 9 }, (_, n) => ({ value: `${n}`, title: bad })),
      },
      list: { kind: 'list', label: bad, help: bad, min: 1, items: { town: { kind: 'text', label: bad } } },
    },
  }),
  oauth: oauth(third, { scopes: [bad] }),
  own: pageOf(own, bad),
};

function harmless(markup: string): void {
  expect(markup).not.toMatch(raw);
  expect(markup).toContain('⟦U+202E⟧');
  expect(markup).not.toMatch(/<b>(?:example|Co)/u);
  expect(markup).toContain('lang="en"');
}

describe.each(eras)('%s', era => {
  it.each(Object.keys(pages))(
    'every character of foreign text on the page of %s is seen, before and after it is sent',
    async kind => {
      const made = await fixture({
        era,
        connect: { name: `Notes ${bad}`, kinds: [own, oauthPages(kept, [third])] },
        handler: async call => told(await call.elicitUrl({ message: `Sure?\n${bad}`, page: pages[kind]! })),
      });
      const result = made.call({ [bad]: bad, list: [bad, { [bad]: bad }] });
      const { params } = await made.whenAsked(1);
      const person = visitor(params['url'] as string);
      harmless((await person.get()).text);
      const look = await person.send({ do: 'code', code: codeIn(params['message'] as string) });
      harmless(look.text);
      if (kind === 'secret' || kind === 'form' || kind === 'own') harmless((await person.send({})).text);
      if (kind === 'oauth') {
        const leaving = (await person.send({})).text;
        harmless(leaving);
        expect(leaving).toContain('Notes &lt;b&gt;Co&lt;/b&gt;');
        await person.get();
      }
      await person.send({ do: 'decline' });
      expect(await result).toContain('decline');
    },
  );

  it('no line of foreign text in a text for the model gets out of the quotation', async () => {
    const made = await fixture({
      era,
      capabilities: {},
      handler: async call =>
        told(
          await call.elicitUrl({
            message: ['Sure?', 'a', 'b', 'c', 'd', 'e', 'f'].join('\r\u2028'),
            page: confirm(),
            assurance: 'in-band',
          }),
        ),
    });
    const lines = (await made.call()).split(/[\n\v\f\r\u0085\u2028\u2029]/u);
    for (const each of ['Sure?', 'a', 'f']) expect(lines).toContain(`> ${each}`);
    expect(lines).not.toContain('a');
  });
});

it.each(tricks)('a provider is not called %j', trick => {
  const options = { id: 'x', issuer: 'https://x.example', clientId: 'x', name: `Notes${trick}Co` };
  expect(() => provider(options)).toThrow(/name of 'x'/);
});

it('what a kind of an author’s own says on its routes is seen, too', async () => {
  const kind: PageKind = {
    ...own,
    mount: (app, desk) => app.get('/own', () => desk.trouble({ title: bad, lines: [bad] })),
  };
  const made = connect({ name: 'Notes', baseUrl: 'https://notes.example', kinds: [kind] });
  made.attach(lend(memoryStore(), Buffer.alloc(32, 7), []));
  harmless(await (await made.fetch(new Request('https://notes.example/connect/own'))).text());
});
