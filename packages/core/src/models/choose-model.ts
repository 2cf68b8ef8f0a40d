/**
 * The models that the operator offers, checked before anything runs, and the choice among them by hints and priorities
 * (client/sampling, "Model Preferences"). Pure.
 *
 * choose-M1  a model that cannot take the request is never picked;
 * choose-M2  hints are tried in order; the first one that matches any model decides among those it matches;
 * choose-M3  priorities settle the rest; if they do not, the operator's order does.
 */
import { MidcallError } from '../errors/index.ts';
import {
  blocksOf,
  type ModelPreferences,
  quoted,
  type SamplingRequest,
  type ToolOutputContent,
} from '../sampling/index.ts';
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

/** A pick with the reason for it, as a plain sentence. */
export interface Pick {
  readonly entry: ModelEntry;
  readonly why: string;
}

/** @throws MidcallError `sampling/unavailable` if no model takes the request's content */
export function chooseModel(entries: readonly ModelEntry[], request: SamplingRequest): Pick {
  const needs = needsOf(request);
  const able = entries.filter(entry => needs.every(skill => skillsOf(entry).includes(skill)));
  if (able.length === 0)
    throw new MidcallError(
      'sampling/unavailable',
      `No model here takes ${needs.map(skill => words[skill]).join(' and ')}.`,
    );
  const preferences = request.modelPreferences ?? {};
  for (const { name: hint } of preferences.hints ?? []) {
    const match = hint === undefined || hint.trim() === '' ? undefined : matching(able, hint);
    if (match) return among(match.entries, preferences, match.why);
  }
  const hinted = preferences.hints?.some(hint => hint.name);
  return among(able, preferences, hinted ? 'No model matches the server’s hints' : undefined);
}

/** @throws MidcallError `sampling/unavailable` if this model cannot take the request */
export function assertAble(entry: ModelEntry, request: SamplingRequest): void {
  const lacking = needsOf(request).filter(skill => !skillsOf(entry).includes(skill));
  if (lacking.length > 0)
    throw new MidcallError(
      'sampling/unavailable',
      `The model ${entry.name} does not take ${lacking.map(skill => words[skill]).join(' and ')}.`,
    );
}

const words: Record<ModelSkill, string> = { image: 'images', audio: 'audio', tools: 'tools' };

/** What a model must take; the assistant's own media do not count, since they are not sent again. */
function needsOf(request: SamplingRequest): readonly ModelSkill[] {
  const needs = new Set<ModelSkill>();
  for (const message of request.messages) {
    for (const block of blocksOf(message)) {
      if (message.role === 'user' && (block.type === 'image' || block.type === 'audio')) needs.add(block.type);
      if (block.type === 'tool_use') needs.add('tools');
      if (block.type === 'tool_result') for (const inner of block.content) addMedia(needs, inner);
    }
  }
  if (request.tools?.length) needs.add('tools');
  return [...needs];
}

function addMedia(needs: Set<ModelSkill>, block: ToolOutputContent): void {
  const family = mediaFamily(block);
  if (family) needs.add(family);
}

/** `image` or `audio` if a block of a tool result is one, be it inside a resource. */
export function mediaFamily(block: ToolOutputContent): 'image' | 'audio' | undefined {
  if (block.type === 'image' || block.type === 'audio') return block.type;
  if (block.type !== 'resource' || block.resource.blob === undefined) return undefined;
  const family = block.resource.mimeType?.split('/')[0];
  return family === 'image' || family === 'audio' ? family : undefined;
}

function matching(
  able: readonly ModelEntry[],
  hint: string,
): { readonly entries: readonly ModelEntry[]; readonly why: string } | undefined {
  const lowerHint = hint.trim().toLowerCase();
  const hinted = able.filter(({ name, model }) =>
    [name, model.modelId].some(each => each.toLowerCase().includes(lowerHint)),
  );
  if (hinted.length > 0) return { entries: hinted, why: `It matches the server’s hint ${quoted(hint)}` };
  const standing = able.filter(entry =>
    entry.standsFor?.some(family => {
      const lowerCase = family.toLowerCase();
      return lowerCase !== '' && (lowerHint.includes(lowerCase) || lowerCase.includes(lowerHint));
    }),
  );
  if (standing.length > 0) return { entries: standing, why: `It stands in for the server’s hint ${quoted(hint)}` };
  return undefined;
}

function among(entries: readonly ModelEntry[], preferences: ModelPreferences, hinted: string | undefined): Pick {
  const score = (entry: ModelEntry): number =>
    (preferences.costPriority ?? 0) * (1 - entry.cost) +
    (preferences.speedPriority ?? 0) * entry.speed +
    (preferences.intelligencePriority ?? 0) * entry.intelligence;
  const entry = entries.reduce((best, next) => (score(next) > score(best) ? next : best));
  const reasons = entries.length > 1 ? priorityWords(preferences) : '';
  const lead = hinted === undefined ? '' : `${hinted}; `;
  if (reasons !== '')
    return { entry, why: sentence(`${lead}of ${entries.length} models it fits best where ${reasons}`) };
  if (entries.length > 1)
    return { entry, why: sentence(`${lead}it is the first of ${entries.length} models that can do this`) };
  return {
    entry,
    why: sentence(hinted?.startsWith('It ') ? hinted : `${lead}it is the only model here that can do this`),
  };
}

/** The priorities the server set, the weightiest first: "speed counts most, then cost". */
function priorityWords(preferences: ModelPreferences): string {
  const set = [
    { word: 'low cost', weight: preferences.costPriority ?? 0 },
    { word: 'speed', weight: preferences.speedPriority ?? 0 },
    { word: 'intelligence', weight: preferences.intelligencePriority ?? 0 },
  ].filter(each => each.weight > 0);
  const [first, ...others] = set.sort((a, b) => b.weight - a.weight);
  if (!first) return '';
  if (others.length === 0) return `${first.word} counts`;
  return `${first.word} counts most, then ${others.map(each => each.word).join(', then ')}`;
}

const sentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}.`;
