/**
 * What the SDK is given in place of a form or a URL; see {@link Tap}. Each must be a question that the SDK passes to the
 * handler unchanged, in every revision, if its mode is declared.
 */
export const placeholders = {
  form: { mode: 'form', message: '', requestedSchema: { type: 'object', properties: {} } },
  url: { mode: 'url', message: '', elicitationId: 'placeholder', url: 'https://midcall.invalid/' },
} as const;
