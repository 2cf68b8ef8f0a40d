/** Runs what docs/connect.md shows of pages with a sign-in of the author's own, and of pages that lead to another site. */
import { connectPair, eras, finishPage, type PersonRequest, scriptedPerson } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { shopPages } from '../../examples/docs/own-sign-in.ts';
import { till } from '../../examples/docs/page-elsewhere.ts';
import { codeIn, visitor } from '../connect/visitor.ts';

const capabilities = { elicitation: { url: {} } };
const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]!.text;

describe.each(eras)('docs/connect.md, %s', era => {
  it.each([
    ['the person of the call', 'session=ada', 'Refunded: verified.'],
    ['nobody who signed in', '', 'This call is waiting for the person'],
    ['somebody else', 'session=bob', 'This call is waiting for the person'],
  ])('a page knows its visitor by the cookie of the author’s site: %s', async (_, cookie, expected) => {
    const sessions = { personOf: async (cookies: string | null) => /session=(\w+)/.exec(cookies ?? '')?.[1] };
    const { factory, pages } = shopPages(sessions, () => 'ada');
    const onPage = async (asked: PersonRequest) => {
      const fetch = async (request: Request) => {
        const headers = new Headers(request.headers);
        headers.set('cookie', [headers.get('cookie'), cookie].filter(Boolean).join('; '));
        return pages.fetch(new Request(request, { headers }));
      };
      const finished = await finishPage(asked, { fetch }).then(
        () => true,
        () => false,
      );
      return { action: finished ? 'accept' : 'decline' };
    };
    const person = scriptedPerson([onPage]);
    await using pair = await connectPair(factory, { era, carrier: 'http', person, capabilities });
    expect(textOf(await pair.client.callTool({ name: 'refund', arguments: {} }))).toContain(expected);
  });

  it('a page sends the person to another site, and is finished when they come back', async () => {
    let back: URL | undefined;
    const bank = {
      address(_pageId: string, to: URL) {
        back = to;
        return new URL('https://bank.example.com/pay');
      },
      receipt: async () => 'receipt 7',
    };
    const { factory, pages } = till(bank, { kind: 'here', browser: false }, { warn: () => {} });
    const person = scriptedPerson([{ action: 'accept' }]);
    await using pair = await connectPair(factory, { era, person, capabilities });
    const result = pair.client.callTool({ name: 'pay', arguments: {} });
    const { params } = await person.whenAsked(1);
    const who = visitor(params['url'] as string);
    await who.get();
    await who.send({ do: 'code', code: codeIn(params['message'] as string) });
    expect((await who.send({})).text).toContain('https://bank.example.com/pay');
    // Whoever else opens the address has entered no code.
    expect((await visitor(back!.href).get()).status).toBe(403);
    await who.get(back!.href);
    expect(textOf(await result)).toBe('Paid: receipt 7.');
    await pages.close();
  });
});
