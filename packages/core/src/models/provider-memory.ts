/**
 * What a provider wants sent back with a tool use it made, such as Gemini's signatures, without which it refuses the history.
 * It stays on this side: a server neither sees nor sets it. Bounded; the oldest entries are dropped first.
 */
import type { GeneratedPart } from './generation.ts';
import type { ProviderData } from './language-model.ts';

const limit = 1_000;

export interface ProviderMemory {
  keep(model: string, parts: readonly GeneratedPart[]): void;
  recall(model: string, use: { readonly id: string; readonly name: string }): ProviderData | undefined;
}

export function providerMemory(): ProviderMemory {
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
        if (memory.size <= limit) break;
        memory.delete(key);
      }
    },
    recall: (model, { id, name }) => memory.get(keyOf(model, id, name)),
  };
}
