/** The items on disk. */
import { join } from 'node:path';
import { z } from 'zod';
import { dataFile } from '../data-file.ts';

const contents = z.strictObject({ items: z.array(z.string()) });

/** The items of a directory, in `items.json`. */
export function itemsIn(directory: string) {
  const file = dataFile(join(directory, 'items.json'), contents);
  return {
    list: async () => (await file.read()).items,
    clear: () => file.change(data => data.items.splice(0).length),
  };
}

export const samples = {
  'items.json': { items: ['Blue folder', 'Spare keys', 'Guest list', 'Old charger', 'Map of the lake'] },
};
