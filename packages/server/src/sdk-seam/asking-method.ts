/** The requests whose handlers may ask (2026-07-28, basic/patterns/mrtr, "Supported Requests"). */
export const askingMethods = ['tools/call', 'prompts/get', 'resources/read'] as const;
export type AskingMethod = (typeof askingMethods)[number];

/** The name or URI of what is called, as it arrived. */
export interface RawParams {
  readonly name?: string;
  readonly uri?: string;
  readonly arguments?: unknown;
}
