/**
 * The model an upstream server samples: that of the host, for a call of a client that has one, and else another.
 * What a request and a reply look like is shown to the person once, by whoever has the model.
 */
import { blocksOf, type SamplingModel } from '@midcall/core/sampling';
import type { UpstreamCall } from './upstream-calls.ts';

/**
 * @param otherwise - the model where the host has none
 * @param find - the call a request belongs to, by its id at the upstream server
 */
export function hostModel(otherwise: SamplingModel, find: (id: string) => UpstreamCall | undefined): SamplingModel {
  return {
    ...otherwise,
    async run(request, options) {
      const upstreamCall = options.call === undefined ? undefined : find(options.call);
      if (!upstreamCall?.samplesAtHost) return otherwise.run(request, options);
      const result = await upstreamCall.sample(request, options.signal);
      return { result, usage: estimated(request.messages, result), notes: [] };
    },
  };
}

/** About four characters make a token; hosts do not say. */
const CHARACTERS_OF_A_TOKEN = 4;

type Content = Parameters<typeof blocksOf>[0];

function estimated(requested: readonly Content[], reply: Content) {
  const tokens = (content: Content): number =>
    Math.ceil(JSON.stringify(blocksOf(content)).length / CHARACTERS_OF_A_TOKEN);
  const inputTokens = requested.reduce((sum, message) => sum + tokens(message), 0);
  return { inputTokens, outputTokens: tokens(reply), estimated: true };
}
