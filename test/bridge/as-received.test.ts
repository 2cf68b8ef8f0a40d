/** Questions that reach the host as the upstream server sent them, with what no question of ours would have, and their answers. */
import { describe, expect, it } from 'vitest';
import { type Frame, type Json, pairsOfFrames, rawStage } from './raw.ts';
import { until } from './until.ts';

const name = { type: 'string', title: 'Name', pattern: '^[a-z]+$', 'x-own': { of: 'the server' } };
const form = (more: Json = {}, params: Json = {}): Json => ({
  mode: 'form',
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name }, required: ['name'], ...more },
  ...params,
});
const place = { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] };
const page = (params: Json): Json => ({
  mode: 'url',
  message: 'Sign in there.',
  url: 'https://a.example/x?y=1',
  ...params,
});

const remembered = { 'org.example/remember': true };
const named = { action: 'accept', content: { name: 'ada' }, _meta: remembered };
const nested = { name: 'ada', at: { x: 1 }, all: [{ x: 2 }] };

const questions: readonly [what: string, params: Json, answer: Json][] = [
  ['a long message', form({}, { message: 'x'.repeat(5_000) }), named],
  ['an empty message', form({}, { message: '' }), named],
  ['a pattern, a title of the form and unknown keywords', form({ title: 'About you', 'x-form': 1 }), named],
  [
    'a form of objects and lists of them',
    form({ properties: { name, at: place, all: { type: 'array', items: place } } }),
    { action: 'accept', content: nested, _meta: remembered },
  ],
  ['what is in _meta', form({}, { _meta: { 'org.example/consent': 'remembered' } }), named],
  ['a form, and refuses it', form({ title: 'About you' }), { action: 'decline', _meta: remembered }],
  ['a page, with a long message', page({ message: 'x'.repeat(5_000) }), { action: 'accept', _meta: remembered }],
  [
    'a page, with what is in _meta',
    page({ _meta: { 'org.example/consent': 'remembered' } }),
    { action: 'decline', _meta: remembered },
  ],
];

describe.each(pairsOfFrames)('a host of %s before a server of %s', (host, upstream) => {
  const isPushed = { host: host === '2025-11-25', upstream: upstream === '2025-11-25' };

  it.each(questions)(
    'a host is asked with %s, unchanged, and its answer is passed on unchanged, too',
    async (_, params, answer) => {
      // Pages have an id on 2025-11-25 only.
      const isPage = params['mode'] === 'url';
      const sent = isPage && isPushed.upstream ? { ...params, elicitationId: 'page-1' } : params;
      let answered: unknown;
      await using on = await rawStage(host, upstream, {
        about: { serverInfo: { name: 'asks', version: '1' }, capabilities: { tools: {} } },
        capabilities: { elicitation: { form: {}, url: {} } },
        serve: async ({ method, params: given }: Frame, tell) => {
          if (method !== 'tools/call') return { result: { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] } };
          const request = { method: 'elicitation/create', params: sent };
          if (isPushed.upstream) {
            tell({ id: 'q', ...request });
            const reply = () => on.server.said.find(frame => frame.id === 'q' && frame.method === undefined);
            await until(() => reply() !== undefined);
            answered = reply()!.result;
          } else {
            const responses = given?.['inputResponses'] as Json | undefined;
            if (!responses)
              return { result: { resultType: 'input_required', inputRequests: { q: request }, requestState: 's' } };
            answered = responses['q'];
          }
          return { result: { content: [] } };
        },
      });
      const asked: Json[] = [];
      const call = { name: 'ask', arguments: {} };
      on.answers(frame => {
        asked.push(frame.params!);
        return { result: answer };
      });
      const { result: first } = await on.ask('tools/call', call);
      if (!isPushed.host) {
        const [[key, request]] = Object.entries(first!['inputRequests'] as Json) as [[string, Frame]];
        asked.push(request.params!);
        const { requestState } = first!;
        await on.ask('tools/call', { ...call, inputResponses: { [key]: answer }, requestState });
      }
      const [{ elicitationId, ...rest }] = asked as [Json];
      expect(asked).toHaveLength(1);
      expect(rest).toEqual(params);
      expect(elicitationId).toEqual(
        isPage && isPushed.host ? (isPushed.upstream ? 'page-1' : expect.stringMatching(/./u)) : undefined,
      );
      expect(answered).toEqual(answer);
    },
  );
});
