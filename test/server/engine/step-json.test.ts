/** What JSON would lose is refused where it is returned, with its path: by a step, by a handler, by a page. */

import { isMidcallError } from '@midcall/core/errors';
import { type Call, midcall } from '@midcall/server';
import { type PageKind, pageOf } from '@midcall/server/connect';
import { connectPair, pairings, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { trusted } from '../../../packages/core/src/page/html.ts';
import { fixture, told } from '../../connect/fixture.ts';
import { allow } from '../../connect/visitor.ts';

const yes = { action: 'accept', content: { value: true } };

describe.each(pairings)('%s over %s', (era, carrier) => {
  async function act(handler: (call: Call) => unknown) {
    const mid = midcall({ suspectBelowMs: 0, warn: () => {} });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => (await handler(call)) as never);
      return server;
    };
    await using pair = await connectPair(factory, { era, carrier, person: scriptedPerson([yes], { repeat: true }) });
    const { content, isError = false } = await pair.client.callTool({ name: 'act', arguments: {} });
    return { text: (content[0] as { text: string }).text, isError };
  }
  const says = (text: string) => ({ content: [{ type: 'text', text }] });

  it('a step whose result JSON would lose fails with the path, in its first run and in a replay alike, and is run once', async () => {
    let ran = 0;
    const thrown: string[] = [];
    const { text } = await act(async call => {
      const error = await call
        .step('load', () => {
          ran += 1;
          return { items: [1, 2, 3, { when: new Map([['a', 1]]) }] };
        })
        .catch((each: unknown) => each);
      if (isMidcallError(error, 'step/not-json')) thrown.push(error.message);
      const answer = await call.elicit({ message: 'Sure?', form: Boolean });
      return says(answer.action);
    });
    expect(text).toBe('accept');
    expect(ran).toBe(1);
    expect(thrown).toHaveLength(era === '2026-07-28' ? 2 : 1);
    expect(new Set(thrown)).toEqual(
      new Set([
        "Step 'load' returned a Map at result.items[3].when, which JSON cannot carry. Return Object.fromEntries(map) or [...map].",
      ]),
    );
  });

  it('a step whose failure nobody catches ends the call with it', async () => {
    const { text, isError } = await act(call => call.step('load', () => [Number.NaN]));
    expect(isError).toBe(true);
    expect(text).toContain('NaN at result[0]');
  });

  it('a tool whose result JSON would lose fails with the path', async () => {
    const { text, isError } = await act(() => ({ ...says('Done.'), structuredContent: { seen: new Set(['a']) } }));
    expect({ text, isError }).toEqual({
      text: "'act' returned a Set at result.structuredContent.seen, which JSON cannot carry. Return [...set].",
      isError: true,
    });
  });

  it('what a page is told, and what it gives, is refused with the path where JSON would lose it', async () => {
    const kind: PageKind = {
      name: 'odd',
      show: () => ({ title: 'Odd', body: trusted(''), send: 'Send' }),
      submit: () => ({ finish: () => ({ found: new Map() }) as never }),
    };
    const made = await fixture({
      era,
      carrier,
      connect: { kinds: [kind] },
      answers: [
        async ({ params }) => {
          await allow(params['url'] as string);
          return { action: 'accept' };
        },
      ],
      handler: async (call, { told: given }) =>
        told(
          await call.elicitUrl({
            message: 'Odd?',
            page: pageOf(kind, given ? ({ n: 1n } as never) : null),
            assurance: 'in-band',
            channels: ['native'],
          }),
        ),
    });
    expect(await made.call({ told: true })).toContain('a BigInt at page.data.n');
    if (carrier !== 'http') return;
    expect(await made.call()).toMatch(/^cancel error page/);
    expect(made.warned.join()).toContain("a page of kind 'odd' gave a Map");
  });
});
