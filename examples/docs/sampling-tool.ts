/** A tool a server offers to the model within one sampling request. */
// #region tool
import { samplingTool } from '@midcall/server';
import { z } from 'zod';

export const searchNotes = (notes: { find(words: string): Promise<string[]> }) =>
  samplingTool({
    name: 'search_notes',
    description: 'Finds notes by words.',
    input: z.object({ words: z.string(), limit: z.number().int().default(5) }),
    run: async ({ words, limit }) => (await notes.find(words)).slice(0, limit).join('\n'),
  });
// #endregion
