/** The code of an error, for places where its message is not allowed: the audit and traces. Pure. */

/** Only a code: the rest of an error may contain a person's input. */
export function errorCode(error: unknown): string | number {
  try {
    const { code } = error as { code?: unknown };
    if (typeof code === 'number') return code;
    return typeof code === 'string' && /^[A-Za-z][\w/-]{0,39}$/.test(code) ? code : 'error';
  } catch {
    // The error is no object, or it throws when it is accessed.
    return 'error';
  }
}
