/** The person's models, as given to the commands that answer servers: from a module, or the person writes replies by hand. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMidcallError, messageOf } from '@midcall/core/errors';
import type { ModelEntry } from '@midcall/core/models';
import type { SamplingModel } from '@midcall/core/sampling';
import { noFile, usage } from './usage.ts';

/** Without a model the person writes the reply: it starts empty, and is edited before it is handed over. */
const byHand: SamplingModel = {
  names: ['you'],
  tools: false,
  byHand: true,
  choose: () => ({ name: 'you', why: 'no model was given with --models', leftOut: [] }),
  run: async () => ({
    result: { role: 'assistant', content: { type: 'text', text: '' }, model: 'human', stopReason: 'endTurn' },
    usage: { inputTokens: 0, outputTokens: 0, estimated: true },
    notes: [],
  }),
};

/**
 * The model that answers a server's sampling.
 * @param file - a module whose default export is a list of models, or a sampling model; the person by hand if absent
 * @throws MidcallError `cli/usage` if the module cannot be loaded, exports neither, or its list cannot be used
 */
export async function chooseModel(file: string | undefined): Promise<SamplingModel> {
  if (file === undefined) return byHand;
  const module = await load(file);
  const exported = module.default;
  if (Array.isArray(exported)) {
    const { modelRouter } = await import('@midcall/core/models');
    try {
      return modelRouter({ models: exported as readonly ModelEntry[] });
    } catch (cause) {
      if (!isMidcallError(cause, 'sampling/invalid')) throw cause;
      throw usage(`The list of models in ${file} cannot be used: ${cause.message}`, { cause });
    }
  }
  if (typeof (exported as Partial<SamplingModel> | undefined)?.run === 'function') return exported as SamplingModel;
  throw usage(`The default export of ${file} is neither a list of models nor a sampling model.`);
}

async function load(file: string): Promise<{ readonly default?: unknown }> {
  const path = resolve(file);
  if (!existsSync(path)) throw noFile(path);
  try {
    return (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
  } catch (cause) {
    const why = messageOf(cause);
    throw usage(`The models in ${path} cannot be loaded: ${why}`, { cause });
  }
}
