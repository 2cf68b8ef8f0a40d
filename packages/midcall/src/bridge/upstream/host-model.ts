/**
 * The model that an upstream server samples: the host's, if the client of the call has one, and otherwise another. The person
 * sees each request and each reply once, shown by whoever has the model.
 */
import { blocksOf, type SamplingModel } from '@midcall/core/sampling';
import type { UpstreamCall } from './upstream-calls.ts';

/**
 * @param otherwise - the model to use if the host has none
 * @param find - the call a request belongs to, by its id at the upstream server
 */
export function hostModel(otherwise: SamplingModel, find: (id: string) => UpstreamCall | undefined): SamplingModel {
  return {
    ...otherwise,
    async run(request, options) {
      const upstreamCall = options.call === undefined ? undefined : find(options.call);
      if (!upstreamCall?.samplesAtHost) return otherwise.run(request, options);
      const result = await upstreamCall.sample(request, options.signal);
      return { result, usage: estimated(request.messages, result), notes: [], byHand: false };
    },
  };
}

/** An estimate of four characters per token, since hosts do not report tokens. */
const CHARACTERS_OF_A_TOKEN = 4;

type Content = Parameters<typeof blocksOf>[0];

function estimated(requested: readonly Content[], reply: Content) {
  const tokens = (content: Content): number =>
    Math.ceil(JSON.stringify(blocksOf(content)).length / CHARACTERS_OF_A_TOKEN);
  const inputTokens = requested.reduce((sum, message) => sum + tokens(message), 0);
  return { inputTokens, outputTokens: tokens(reply), estimated: true };
}
