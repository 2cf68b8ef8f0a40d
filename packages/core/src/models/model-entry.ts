/** One model the operator offers, and what is checked about it before anything runs. */
import { MidcallError } from '../errors/index.ts';
import type { LanguageModel } from './language-model.ts';

/** What a model takes besides text. */
export type ModelSkill = 'image' | 'audio' | 'tools';

/** One model the person offers, and what it is good for. */
export interface ModelEntry {
  /** A language model of AI SDK 5 or 6. */
  readonly model: LanguageModel;
  /** Shown to the person; hints are matched against it and the model's own id. Unique. */
  readonly name: string;
  /** 0 (free) to 1 (the most expensive), among the models listed. */
  readonly cost: number;
  /** 0 (slowest) to 1 (fastest). */
  readonly speed: number;
  /** 0 to 1 (the most capable). */
  readonly intelligence: number;
  /** What it takes besides text; `['tools']` if absent. */
  readonly skills?: readonly ModelSkill[];
  /** Families it can stand in for, such as `['sonnet', 'gpt-4o']`: hints that name one of these match it too. */
  readonly standsFor?: readonly string[];
  /**
   * True to read replies as a stream, for providers that time out on long ones. A few report no token counts then, and
   * those are estimated.
   */
  readonly stream?: boolean;
}

export const skillsOf = (entry: ModelEntry): readonly ModelSkill[] => entry.skills ?? ['tools'];

/** @throws MidcallError `sampling/invalid` if the list cannot be routed over */
export function checkEntries(entries: readonly ModelEntry[]): void {
  if (entries.length === 0) throw invalid('A model router needs at least one model.');
  const names = new Set<string>();
  for (const entry of entries) {
    if (typeof entry.name !== 'string' || entry.name.trim() === '') throw invalid('Every model needs a name.');
    if (names.has(entry.name)) throw invalid(`Two models are called ${entry.name}.`);
    names.add(entry.name);
    checkModel(entry);
    for (const scale of ['cost', 'speed', 'intelligence'] as const)
      if (!(entry[scale] >= 0 && entry[scale] <= 1))
        throw invalid(`The ${scale} of ${entry.name} must be a number from 0 to 1.`);
  }
}

function checkModel({ model, name }: ModelEntry): void {
  if (typeof model?.doGenerate !== 'function' || typeof model.doStream !== 'function')
    throw invalid(`The model of ${name} must be a language model object of an AI SDK provider, not a name or a URL.`);
  if (model.specificationVersion !== 'v2' && model.specificationVersion !== 'v3')
    throw invalid(
      `The model of ${name} follows an unknown version of the AI SDK; versions 5 and 6 (v2, v3) are known.`,
    );
}

const invalid = (message: string): MidcallError => new MidcallError('sampling/invalid', message);
