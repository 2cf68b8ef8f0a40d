/**
 * Sampling over several AI SDK models: picks one by hints and priorities, says why, runs it, and hands back a checked
 * result. It keeps no message of one request for another.
 */

import { isMidcallError, MidcallError } from '../errors/index.ts';
import { isRecord } from '../json/index.ts';
import { checkOptions, required } from '../options/index.ts';
import { quoted, type SamplingModel, type SamplingRequest } from '../sampling/index.ts';
import { untilAborted } from '../time/index.ts';
import { assertAble, checkEntries, chooseModel, type ModelEntry, skillsOf } from './choose-model.ts';
import { collectGeneration, foldGeneration, type GeneratedPart, type Generation } from './generation.ts';
import type { ModelCall, ProviderData } from './language-model.ts';
import { leftOutOf, modelCall } from './model-call.ts';
import { modelReply } from './model-reply.ts';

/**
 * A {@link SamplingModel} over the operator's models.
 * @param options - `models`: in the order they are preferred where a server states no preference
 * @throws MidcallError `sampling/invalid` if the list cannot be routed over
 * @example
 * ```ts
 * const model = modelRouter({ models: [{ model: languageModel, name: 'qwen3', cost: 0, speed: 0.5, intelligence: 0.4 }] });
 * ```
 */
export function modelRouter(options: { readonly models: readonly ModelEntry[] }): SamplingModel {
  checkOptions('modelRouter', options, { models: required({ words: 'a list of models', fits: Array.isArray }) });
  const entries = options.models.map(entry => ({ ...entry }));
  checkEntries(entries);
  const memory = providerMemory();
  return {
    names: entries.map(entry => entry.name),
    tools: entries.some(entry => skillsOf(entry).includes('tools')),
    choose(request) {
      const { entry, why } = chooseModel(entries, request);
      return { name: entry.name, why, leftOut: leftOutOf(request) };
    },
    async run(request, { signal, model }) {
      signal.throwIfAborted();
      const entry = model === undefined ? chooseModel(entries, request).entry : named(entries, model, request);
      const call = modelCall(request, use => memory.recall(entry.name, use));
      const generation = await generate(entry, { ...call, abortSignal: signal }, signal);
      const reply = modelReply(generation, request, entry.name, entry.model.modelId);
      memory.keep(entry.name, generation.parts);
      return reply;
    },
  };
}

function named(entries: readonly ModelEntry[], name: string, request: SamplingRequest): ModelEntry {
  const entry = entries.find(each => each.name === name);
  if (!entry) throw new MidcallError('sampling/unavailable', `There is no model called ${quoted(name)} here.`);
  assertAble(entry, request);
  return entry;
}

async function generate(
  { model, name, stream }: ModelEntry,
  call: ModelCall,
  signal: AbortSignal,
): Promise<Generation> {
  try {
    if (!stream) return foldGeneration(await untilAborted(model.doGenerate(call), signal));
    const { stream: parts } = await untilAborted(model.doStream(call), signal);
    return await collectGeneration(parts, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw providerError(error, name);
  }
}

/** How many tool uses a provider's data is remembered for; the oldest are dropped first. */
const mostRemembered = 1_000;

/**
 * What a provider wants sent back with a tool use it made, such as Gemini's signatures, without which it refuses the history.
 * It stays on this side: a server neither sees nor sets it.
 */
interface ProviderMemory {
  keep(model: string, parts: readonly GeneratedPart[]): void;
  recall(model: string, use: { readonly id: string; readonly name: string }): ProviderData | undefined;
}

function providerMemory(): ProviderMemory {
  const memory = new Map<string, ProviderData>();
  const keyOf = (model: string, id: string, name: string): string => JSON.stringify([model, id, name]);
  return {
    keep(model, parts) {
      for (const part of parts) {
        if (part.type !== 'tool-call' || !part.providerData) continue;
        const key = keyOf(model, part.id, part.name);
        memory.delete(key);
        memory.set(key, part.providerData);
      }
      for (const key of memory.keys()) {
        if (memory.size <= mostRemembered) break;
        memory.delete(key);
      }
    },
    recall: (model, { id, name }) => memory.get(keyOf(model, id, name)),
  };
}

/**
 * Says why a provider failed. Nothing is taken from the provider's text, headers, URL or request, which contain keys and prompts;
 * only the status, a short error code, and the model's name. The error underneath is not made the cause, since whoever logs the
 * cause would log those too.
 * @param name - the model's, as the operator calls it
 */
function providerError(error: unknown, name: string): MidcallError {
  if (isMidcallError(error)) return error;
  const from = isRecord(error) ? error : {};
  const status = typeof from['statusCode'] === 'number' ? from['statusCode'] : undefined;
  const code = errorCode(from['data']);
  const details = [status === undefined ? [] : [`HTTP ${status}`], code === undefined ? [] : [code]].flat().join(', ');
  const [kind, words] = meaning(from['name'], status, code);
  return new MidcallError(kind, `${words(name)}${details === '' ? '' : ` (${details})`}.`);
}

type Meaning = readonly ['sampling/unavailable' | 'sampling/limit' | 'sampling/invalid', (name: string) => string];

function meaning(kind: unknown, status: number | undefined, code: string | undefined): Meaning {
  if (kind === 'AI_LoadAPIKeyError' || kind === 'AI_LoadSettingError')
    return [
      'sampling/unavailable',
      name => `The provider of ${name} has no API key; set it where this host is configured`,
    ];
  if (kind === 'AI_UnsupportedFunctionalityError')
    return ['sampling/unavailable', name => `The provider of ${name} cannot take a part of this request`];
  if (status === 401 || status === 403)
    return ['sampling/unavailable', name => `The provider of ${name} does not accept this host’s API key`];
  if (status === 404) return ['sampling/unavailable', name => `The provider does not know the model ${name}`];
  if (status === 402 || code === 'insufficient_quota')
    return ['sampling/limit', name => `The quota for ${name} is used up at its provider`];
  if (status === 429 || status === 529)
    return ['sampling/limit', name => `The provider of ${name} is too busy for this account; try again in a while`];
  if (status !== undefined && status >= 500)
    return ['sampling/unavailable', name => `The provider of ${name} failed; try again later`];
  if (status !== undefined && status >= 400)
    return ['sampling/invalid', name => `The provider of ${name} refused this request`];
  if (kind === 'AI_APICallError' && status === undefined)
    return ['sampling/unavailable', name => `The provider of ${name} cannot be reached`];
  return ['sampling/unavailable', name => `The provider of ${name} gave no usable reply`];
}

/** The provider's own short code, such as `context_length_exceeded`; nothing that could be prose. */
function errorCode(data: unknown): string | undefined {
  const error = isRecord(data) && isRecord(data['error']) ? data['error'] : undefined;
  const shortCode = [error?.['code'], error?.['type']].find(
    (each): each is string => typeof each === 'string' && /^[a-z][a-z_]{2,49}$/.test(each),
  );
  return shortCode;
}
