/**
 * How a server wants a model to run, besides what the model is sent: read for a question, and in words for every view. Pure.
 */
import type { SamplingRequest } from '@midcall/core/sampling';
import type { SamplingWishes } from '../question/index.ts';

/** The wishes in a request that has been checked. */
export function wishesOf(request: SamplingRequest): SamplingWishes {
  const { modelPreferences, temperature, stopSequences, toolChoice, metadata } = request;
  const { hints, costPriority, speedPriority, intelligencePriority } = modelPreferences ?? {};
  return {
    hints: (hints ?? []).flatMap(({ name }) => (name === undefined ? [] : [name])),
    ...(costPriority !== undefined && { costPriority }),
    ...(speedPriority !== undefined && { speedPriority }),
    ...(intelligencePriority !== undefined && { intelligencePriority }),
    ...(temperature !== undefined && { temperature }),
    stopSequences: stopSequences ?? [],
    ...(toolChoice?.mode !== undefined && { toolChoice: toolChoice.mode }),
    ...(metadata !== undefined && { metadata }),
  };
}

/**
 * The wishes as lines of a name and a value; the values are the server's, and untrusted.
 * @returns nothing if there are none
 */
export function wishLines(wishes: SamplingWishes): readonly (readonly [name: string, value: string])[] {
  const { hints, costPriority, speedPriority, intelligencePriority } = wishes;
  const { temperature, stopSequences, toolChoice, metadata } = wishes;
  const priorities = Object.entries({
    'low cost': costPriority,
    speed: speedPriority,
    intelligence: intelligencePriority,
  }).flatMap(([what, weight]) => (weight === undefined ? [] : [`${what} ${weight}`]));
  return [
    ...(hints.length > 0 ? [['Models it would like', hints.join(', ')] as const] : []),
    ...(priorities.length > 0 ? [['Priorities, 0 to 1', priorities.join(', ')] as const] : []),
    ...(temperature === undefined ? [] : [['Temperature', String(temperature)] as const]),
    ...(stopSequences.length > 0
      ? [['Stops at', stopSequences.map(each => JSON.stringify(each)).join(', ')] as const]
      : []),
    ...(toolChoice === undefined ? [] : [['Use of tools', toolChoice] as const]),
    ...(metadata === undefined ? [] : [['Metadata', JSON.stringify(metadata)] as const]),
  ];
}
