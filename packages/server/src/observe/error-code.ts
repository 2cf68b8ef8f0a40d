/** What an error is told by where its message may not be: in the audit and in traces. Pure. */

/** A code and no more: what else an error says may name what a person typed. */
export function errorCode(error: unknown): string | number {
  try {
    const { code } = error as { code?: unknown };
    if (typeof code === 'number') return code;
    return typeof code === 'string' && /^[A-Za-z][\w/-]{0,39}$/.test(code) ? code : 'error';
  } catch {
    // Nothing was thrown, or an object that throws when it is asked.
    return 'error';
  }
}
