/**
 * The one-time code of a page and the link to it (plan-N2 of packages/server/src/questions/page/plan.ts): whatever the client can show and whatever
 * the ask says, no text has both, no text that a model reads has the code, and a client with URL mode is asked by it.
 */
import { confirm } from '@midcall/server/connect';
import { pairings } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { type Fixture, fixture, told } from './fixture.ts';
import { codeIn, type Visitor, visitor } from './visitor.ts';

const capabilitiesOf = {
  nothing: {},
  forms: { elicitation: { form: {} } },
  'URL mode': { elicitation: { url: {} } },
  both: { elicitation: { form: {}, url: {} } },
} as const;

const link = /http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]+/;

const cases = pairings.flatMap(([era, carrier]) =>
  (Object.keys(capabilitiesOf) as (keyof typeof capabilitiesOf)[]).flatMap(capabilities =>
    [false, true].flatMap(asError =>
      [undefined, 'in-band' as const].map(demanded => ({ era, carrier, capabilities, asError, demanded })),
    ),
  ),
);
type Case = (typeof cases)[number];

/** What becomes of the call, and how often the person is asked in which mode. */
function expected({ era, carrier, capabilities, asError, demanded }: Case): {
  end: string | number;
  asked: readonly string[];
} {
  const code = carrier === 'memory';
  if (!code && demanded === undefined) return { end: 'cancel unavailable native in-band', asked: [] };
  const end = `accept {"approved":true} page ${code ? 'out-of-band' : 'in-band'}`;
  switch (capabilities) {
    case 'nothing':
      return { end: demanded ? 'a link' : 'cancel unavailable native in-band', asked: [] };
    case 'forms':
      return { end, asked: code ? ['form', 'form'] : ['form'] };
    default:
      // An error cannot show the code that this assurance takes.
      if (asError && era === '2025-11-25' && demanded !== undefined) return { end: -32042, asked: [] };
      return { end, asked: ['url'] };
  }
}

/** A person who opens the page and types the code as soon as they have been shown it. */
function person() {
  let page: Visitor | undefined;
  let shut = false;
  return async ({ params }: { params: Readonly<Record<string, unknown>> }) => {
    const message = String(params['message']);
    const address = (params['url'] as string | undefined) ?? link.exec(message)?.[0];
    if (address !== undefined) {
      page = visitor(address);
      shut = (await page.get()).title === 'Enter your code';
    }
    const code = codeIn(message);
    if (page && code !== '') {
      await page.send({ do: 'code', code });
      shut = false;
    }
    if (page && !shut) await page.send({});
    return params['mode'] === 'url' ? { action: 'accept' } : { action: 'accept', content: {} };
  };
}

/** Every text in what the server sent, and whether the person's host alone reads it. */
function textsOf({ pair }: Fixture): readonly { readonly text: string; readonly host: boolean }[] {
  const found: { text: string; host: boolean }[] = [];
  const walk = (value: unknown, host: boolean): void => {
    if (typeof value === 'string') found.push({ text: value, host });
    else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) walk(each, host);
  };
  for (const { from, message } of pair.frames) {
    if (from !== 'server') continue;
    const { inputRequests, ...rest } = (message['result'] ?? {}) as { inputRequests?: unknown };
    if (message['method'] === 'elicitation/create') walk(message['params'], true);
    else walk({ ...message, result: rest }, false);
    walk(inputRequests, true);
  }
  return found;
}

describe.each(cases)('$era over $carrier, a client with $capabilities, asError $asError, demanded $demanded', given => {
  it('the code of a page is shown to the person alone, apart from the link', async () => {
    const { era, carrier, capabilities, asError, demanded } = given;
    const made = await fixture({
      era,
      carrier,
      capabilities: capabilitiesOf[capabilities],
      answers: [person()],
      handler: async call =>
        told(
          await call.elicitUrl({
            message: 'Sure?',
            page: confirm(),
            asError,
            ...(demanded ? { assurance: demanded } : {}),
          }),
        ),
    });
    const end = await made.call().then(
      text => (text.includes('Do not open the link yourself') ? 'a link' : text),
      (error: { code: number }) => error.code,
    );
    const asked = made.asked.map(({ params }) => params['mode'] ?? 'form');
    expect({ end, asked }).toEqual(expected(given));
    const texts = textsOf(made);
    const codes = texts.map(({ text }) => codeIn(text)).filter(code => code !== '');
    expect(codes.length > 0).toBe(carrier === 'memory' && asked.length > 0);
    for (const { text, host } of texts) {
      if (!codes.some(code => text.includes(code))) continue;
      expect(host).toBe(true);
      expect(text).not.toMatch(link);
    }
  });
});
