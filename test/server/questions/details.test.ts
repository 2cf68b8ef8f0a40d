/** What an answer is about is shown unabridged, by a channel that can, and the answer says what was shown. */
import { createHash } from 'node:crypto';
import { type Call, type Details, midcall } from '@midcall/server';
import { confirm, connect } from '@midcall/server/connect';
import { connectPair, eras, finishPage, type PersonRequest, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
const long = Array.from({ length: 400 }, (_, at) => `Line ${at} of the contract.`).join('\n');

type Ask = (call: Call) => Promise<unknown>;

async function answered(
  ask: Ask,
  {
    era = '2026-07-28' as (typeof eras)[number],
    hasPages = true,
    isYes = true,
    elicitation = { form: {}, url: {} },
  } = {},
) {
  const pages = hasPages ? connect({ name: 'Pages', reach: { kind: 'here', browser: false } }) : undefined;
  onTestFinished(() => pages?.close());
  const mid = midcall({ ...(pages && { pages }), suspectBelowMs: 0, warn: () => {} });
  const markup: string[] = [];
  const onPage = async (asked: PersonRequest) => {
    if (asked.params['mode'] !== 'url')
      return isYes ? { action: 'accept', content: { value: true } } : { action: 'decline' };
    await finishPage(asked, {
      decline: !isYes,
      fetch: async request => {
        const response = await fetch(request);
        markup.push(await response.clone().text());
        return response;
      },
    });
    return { action: 'accept' };
  };
  const person = scriptedPerson([onPage], { repeat: true });
  const make = () => {
    const server = new McpServer({ name: 'contracts', version: '1.0.0' });
    mid.tool(server, 'sign', {}, async (_args, call) => JSON.stringify(await ask(call)));
    return server;
  };
  await using pair = await connectPair(make, { era, person, capabilities: { elicitation } });
  const { content, isError } = await pair.client.callTool({ name: 'sign', arguments: {} });
  const { text } = (content as { text: string }[])[0]!;
  return { text, answer: isError ? undefined : JSON.parse(text), isError, asked: person.asked, page: markup.join('') };
}

const sign =
  (details: Details, more: object = {}): Ask =>
  call =>
    call.elicit({ message: 'Sign this?', form: Boolean, details, ...more });

describe.each(eras)('%s: an answer about details', era => {
  it('details are shown in the message of their question, if both fit into it', async () => {
    const { answer, asked } = await answered(sign('Seven days.'), { era });
    expect(asked[0]!.params['message']).toBe('Sign this?\n\nSeven days.');
    expect(answer).toMatchObject({ action: 'accept', by: { channel: 'native', seen: sha('Seven days.') } });
  });

  it('details that are too long for a message go to a page that shows all of them', async () => {
    const { answer, asked, page } = await answered(sign(long), { era });
    expect(asked.map(({ params }) => params['mode'])).toEqual(['url']);
    expect(asked[0]!.params['message']).not.toContain('Line 0');
    expect(page).toContain(long);
    expect(answer).toMatchObject({ action: 'accept', content: true, by: { channel: 'page', seen: sha(long) } });
  });

  it('an answer that is a no says nothing of what was seen', async () => {
    expect((await answered(sign(long), { era, isYes: false })).answer.by).not.toHaveProperty('seen');
  });

  it('a question is never asked without its details: where no channel shows them, nobody is asked', async () => {
    const { answer, asked } = await answered(sign(long), { era, hasPages: false });
    expect(answer).toMatchObject({ action: 'cancel', reason: 'unavailable' });
    expect(asked).toEqual([]);
    const { isError, text } = await answered(sign(long, { required: true }), { era, hasPages: false });
    expect(isError).toBe(true);
    expect(text).toContain('Its details are too long for a message: give midcall() pages to show them on.');
  });
});

describe('details', () => {
  it('details that are a diff are shown line by line', async () => {
    const diff = '@@ -1,2 +1,2 @@\n-old <b>\n+new\n same';
    const { answer, page } = await answered(call =>
      call.elicitUrl({ message: 'Apply it?', page: confirm({ details: { diff } }) }),
    );
    expect(page).toContain('<span class="removed">-old &lt;b&gt;\n</span><span class="added">+new\n</span>');
    expect(answer.content).toEqual({ approved: true, seen: sha(diff) });
  });

  it('details that are a table are shown with a header for each column', async () => {
    const table = {
      columns: ['Name', 'Price'],
      rows: [
        ['Boots', '90'],
        ['Tent', '210'],
      ],
    };
    const { answer, page } = await answered(call =>
      call.elicitUrl({ message: 'Order them?', page: confirm({ details: table }) }),
    );
    expect(page).toContain('<th scope="col">Price</th>');
    expect(page).toContain('<tr><td>Tent</td><td>210</td></tr>');
    expect(answer.content.seen).toBe(sha(JSON.stringify(table)));
    expect((await answered(sign(table))).asked[0]!.params['message']).toBe(
      'Sign this?\n\nName | Price\nBoots | 90\nTent | 210',
    );
  });

  it('details make two questions of one with the same words: a decline of one is none of the other', async () => {
    const { answer } = await answered(
      async call => {
        const first = await sign(`${long} 1`)(call);
        return [first, await sign(`${long} 2`)(call)];
      },
      { isYes: false },
    );
    expect(answer).toMatchObject([{ action: 'decline' }, { action: 'decline' }]);
  });

  it('details show characters that could hide others', async () => {
    const { page } = await answered(sign(`${long}\u202e`));
    expect(page).toContain('⟦U+202E⟧');
  });

  it.each([
    ['an empty text', ''],
    ['a row with a text too few', { columns: ['a', 'b'], rows: [['1']] }],
    ['another part', { diff: '+a', language: 'ts' }],
  ])('details cannot be %s', async (_, details) => {
    const { text } = await answered(sign(details as Details));
    expect(text).toContain('call.elicit: details must be a text, { diff: a text } or { columns, rows }');
  });
});
