/** Whether a replica takes requests, for whoever balances them. */
import { isMidcallError } from '@midcall/core/errors';

/** What is said of a replica. */
export interface Health {
  readonly ok: boolean;
  /** `ready`; `draining`, where it takes no new calls; `store`, where its store cannot be used. */
  readonly status: 'ready' | 'draining' | 'store';
}

/** @param ready - throws where the store cannot be used */
export async function judgeHealth(draining: boolean, ready: () => Promise<void>): Promise<Health> {
  if (draining) return { ok: false, status: 'draining' };
  try {
    await ready();
    return { ok: true, status: 'ready' };
  } catch (error) {
    if (isMidcallError(error)) return { ok: false, status: 'store' };
    throw error;
  }
}
