/** What a handler passes to its call is checked: a slip is refused in words, before anybody is asked and anything is run. */

import { type Call, midcall } from '@midcall/server';
import { confirm, connect } from '@midcall/server/connect';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: the point is what the types would not let through
type Loose = Record<'elicit' | 'elicitUrl' | 'step', (...args: any[]) => Promise<unknown>>;

const ran: string[] = [];
const run = () => void ran.push('ran');
const page = confirm();

const slips: readonly [what: string, does: (call: Loose) => Promise<unknown>, says: string][] = [
  [
    'a step, an option',
    call => call.step('s', run, { idempotant: true }),
    "call.step: there is no option 'idempotant'. Did you mean 'idempotent'?",
  ],
  [
    'a step, a kind',
    call => call.step('s', run, { effect: 'yes' }),
    'call.step: effect must be true or false; got a string of 3 characters',
  ],
  ['a step, check', call => call.step('s', run, { check: true }), 'call.step: check must be a function; got true'],
  ['a step, no options', call => call.step('s', run, null), 'call.step takes an object of options, { check,'],
  ['a step, nothing to run', call => call.step('s'), 'call.step: what it runs must be a function; got nothing'],
  ['a step, no name', call => call.step(run), 'call.step: the name must be a string that is not empty; got a function'],
  [
    'a page, an option',
    call => call.elicitUrl({ message: 'Sure?', page, timeout: 5 }),
    "call.elicitUrl: there is no option 'timeout'. Did you mean 'timeoutMs'?",
  ],
  ['a page, none', call => call.elicitUrl({ message: 'Sure?' }), 'call.elicitUrl: page is missing; it must be a page'],
  [
    'a page, its URL',
    call => call.elicitUrl({ message: 'Sign in.', url: 'https://x.example' }),
    "call.elicitUrl takes a page, not a URL: the answer comes from a page of this server, which knows who opens it and when they are done. Pass 'page' in place of 'url': oauth(…) for a sign-in elsewhere",
  ],
  [
    'a page, an address',
    call => call.elicitUrl({ message: 'Sure?', page: 'https://x.example' }),
    'page must be a page, such as',
  ],
  [
    'a page, a kind',
    call => call.elicitUrl({ message: 'Sure?', page, asError: 1 }),
    'asError must be true or false; got 1',
  ],
  ['a page, nothing', call => call.elicitUrl({ message: 'Sure?', page: null }), 'page must be a page, such as'],
  [
    'a page, what JSON would lose',
    call => call.elicitUrl({ message: 'Sure?', page: { ...page, data: { seats: new Map() } } }),
    'The page of this question has ',
  ],
  [
    'a message of blanks',
    call => call.elicitUrl({ message: ' ', page }),
    'A question needs a message that says why the person is asked.',
  ],
  [
    'a message without end',
    call => call.elicitUrl({ message: 'm'.repeat(2_001), page }),
    'A message must have at most 2000 characters; got 2001.',
  ],
  ['a page, no message', call => call.elicitUrl({ page }), 'call.elicitUrl: message is missing; it must be a string'],
  [
    'a page, key',
    call => call.elicitUrl({ message: 'Sure?', page, key: 'a b' }),
    'The key of a question must be 1 to 64',
  ],
  ['a page, time', call => call.elicitUrl({ message: 'Sure?', page, timeoutMs: 1e12 }), 'at most 24 days'],
  ['a page, nothing', call => call.elicitUrl(), 'call.elicitUrl takes an object of options'],
  ['a question, nothing', call => call.elicit(), 'call.elicit takes an object of options'],
];

describe.each(eras)('%s', era => {
  it.each(slips)('%s is refused, and the error says what is wrong', async (_, does, says) => {
    ran.length = 0;
    const pages = connect({ name: 'Slips', reach: { kind: 'here', browser: false } });
    const mid = midcall({ pages, warn: () => {} });
    const factory = () => {
      const server = new McpServer({ name: 'slip', version: '1.0.0' });
      mid.tool(server, 'slip', {}, async (_, call: Call) => {
        await does(call as unknown as Loose);
        return { content: [{ type: 'text', text: 'went through' }] };
      });
      return server;
    };
    await using pair = await connectPair(factory, { era, person: scriptedPerson([]) });
    const result = await pair.client.callTool({ name: 'slip' });
    expect((result.content as { text: string }[])[0]?.text).toContain(says);
    expect({ wrong: result.isError, ran }).toEqual({ wrong: true, ran: [] });
  });
});
