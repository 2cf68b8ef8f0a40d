/** Checks that Redis does not evict values when its memory is full: it would lose claims, and an effect could happen twice. */
import { MidcallError } from '@midcall/core/errors';
import type { Commands } from './commands.ts';

/**
 * @returns a function that throws MidcallError `server/setup` if this Redis evicts values to make room. If it may not be asked,
 *   it is assumed to keep them; once it has passed, it is not asked again.
 */
export function evictionPolicy(commands: Commands): () => Promise<void> {
  let good = false;
  return async () => {
    if (good) return;
    let info: string;
    try {
      info = String(await commands.send('INFO', 'memory'));
    } catch (error) {
      if (/refuses INFO/.test((error as Error).message)) {
        good = true;
        return;
      }
      throw error;
    }
    const policy = /^maxmemory_policy:([\w-]+)/mu.exec(info)?.[1];
    if (policy !== undefined && policy !== 'noeviction') {
      throw new MidcallError(
        'server/setup',
        `The Redis of this fleet forgets values when its memory is full (maxmemory-policy ${policy}), so that an effect could ` +
          'happen twice. Nothing is served until maxmemory-policy is noeviction.',
      );
    }
    good = true;
  };
}
