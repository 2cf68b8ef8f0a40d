/**
 * What the SDK is given in place of a form or a URL, and in place of its answer; see {@link Tap}. Each question must be one that
 * the SDK passes to the handler unchanged, in every revision, if its mode is declared. The answer must be allowed in every
 * revision; it is the one that claims least.
 */
export const placeholders = {
  form: { mode: 'form', message: '', requestedSchema: { type: 'object', properties: {} } },
  url: { mode: 'url', message: '', elicitationId: 'placeholder', url: 'https://midcall.invalid/' },
  answer: { action: 'cancel' },
} as const;
