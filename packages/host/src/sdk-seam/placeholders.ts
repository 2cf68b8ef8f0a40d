/**
 * What passes the SDK in place of a form or a URL; see {@link Tap}. Each must be a question the SDK lets through to the
 * handler unchanged, in every revision, where its mode is declared.
 */
export const placeholders = {
  form: { mode: 'form', message: '', requestedSchema: { type: 'object', properties: {} } },
  url: { mode: 'url', message: '', elicitationId: 'placeholder', url: 'https://midcall.invalid/' },
} as const;
