/** What this platform can guarantee of the paths in a boundary. */
import type { Guarantee } from '@midcall/server/roots';

export const guarantees: readonly Guarantee[] = process.platform === 'linux' ? ['held', 'checked'] : ['checked'];
