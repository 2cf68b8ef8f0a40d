/** Whether a replica takes requests, for load balancers. */
import { isMidcallError } from '@midcall/core/errors';

/** The state of a replica. */
export interface Health {
  readonly ok: boolean;
  /** `ready`; `draining` if it takes no new calls; `store` if its store cannot be used. */
  readonly status: 'ready' | 'draining' | 'store';
}

/** @param ready - throws if the store cannot be used */
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
