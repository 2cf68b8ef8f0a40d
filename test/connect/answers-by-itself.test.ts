/**
 * Hosts that declare elicitation and answer it by themselves, faster than anybody reads. Where a level is demanded their yes
 * moves on to a page, and their no is not taken for the person's: a link in the result is left to them, and nothing is asked
 * or opened once more, since the person may have muted the server.
 */

import { type Call, whyNot } from '@midcall/server';
import { confirm, secret } from '@midcall/server/connect';
import type { Scripted } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { corners } from '../fixtures/corners.ts';
import { fixture, textOf, told } from './fixture.ts';
import { shortWaits } from './short-waits.ts';
import { codeIn, visitor } from './visitor.ts';

const ticketIn = (text: string): string => /ticket "([^"]+)"/.exec(text)?.[1] ?? '';
const linkIn = (text: string): string => /http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]+/.exec(text)?.[0] ?? '';

const everything = { elicitation: { form: {}, url: {} } };
/** Nobody is that slow, so every answer of the host counts as its own. */
const alwaysTooFast = () => ({ suspectBelowMs: 1e9, holdMs: 15, clock: shortWaits() });
const noes: readonly [string, Scripted][] = [
  ['declines', { action: 'decline' }],
  ['cancels', { action: 'cancel' }],
];

const byForm = async (call: Call) => told(await call.elicit({ message: 'Sure?', form: Boolean, assurance: 'in-band' }));
const byPage = async (call: Call) =>
  told(await call.elicitUrl({ message: 'Sure?', page: confirm(), assurance: 'in-band' }));

describe.each(corners)('%s over %s', (era, carrier) => {
  const host = (handler: (call: Call) => Promise<string>, answer: Scripted, opened: string[] = []) =>
    fixture({
      era,
      carrier,
      handler,
      answers: [answer],
      capabilities: everything,
      midcall: alwaysTooFast(),
      connect: {
        reach: { kind: 'here', browser: true },
        openBrowser: async url => {
          opened.push(url);
          return true;
        },
      },
    });

  describe.each(noes)('a host that %s by itself', (_, no) => {
    it.each([
      ['a form', byForm, { q0: 'true' }, 'accept true page in-band'],
      ['a page', byPage, {}, 'accept {"approved":true} page in-band'],
    ] as const)(
      'a host that answers by itself leaves the person a link where %s was asked, and asks and opens nothing more',
      async (_, ask, sent, end) => {
        const opened: string[] = [];
        const made = await host(ask, no, opened);
        const text = await made.call();
        expect(text).toContain('Do not open the link yourself');
        const person = visitor(linkIn(text));
        await person.get();
        expect((await person.send(sent)).title).toBe('This is done');
        expect(textOf(await made.callTool('resume', { ticket: ticketIn(text) }))).toBe(end);
        expect(made.asked).toHaveLength(1);
        expect(opened).toEqual([]);
      },
    );

    it('a host that answers by itself gets no secret by a link that proves nobody, and the answer is suspect', async () => {
      const page = secret({ name: 'weather', label: 'API key' });
      // Over HTTP without a sign-in no page proves anybody, so none is announced to begin with.
      const reason = carrier === 'http' ? 'unavailable' : 'suspect';
      const made = await host(async call => told(await call.elicitUrl({ message: 'Key?', page })), no);
      expect(await made.call()).toBe(`cancel ${reason} native in-band`);
      expect(made.asked).toHaveLength(carrier === 'http' ? 0 : 1);
    });

    it('an answer of a host by itself is marked and nothing more where no level is demanded', async () => {
      const made = await host(async call => {
        const answer = await call.elicit({ message: 'Sure?', form: Boolean });
        return `${answer.action} ${answer.by.suspect}: ${whyNot(answer)}`;
      }, no);
      const text = await made.call();
      expect(text).toMatch(/^(decline|cancel) too-fast: the client /);
      expect(text).not.toContain('the person said no');
      expect(made.asked).toHaveLength(1);
    });
  });

  it('a host that accepts by itself has not decided anything', async () => {
    const made = await host(byForm, { action: 'accept', content: { value: true } });
    const text = await made.call();
    expect(text).toContain('call the tool "resume"');
    // Its second yes was to opening a page, which decides nothing either.
    expect(made.asked.map(each => each.params['mode'] ?? 'form')).toEqual(['form', 'url']);
    const person = visitor(made.asked[1]!.params['url'] as string);
    await person.get();
    if (carrier === 'memory')
      await person.send({ do: 'code', code: codeIn(made.asked[1]!.params['message'] as string) });
    await person.send({ do: 'decline' });
    expect(textOf(await made.callTool('resume', { ticket: ticketIn(text) }))).toMatch(/^decline page/);
  });
});
