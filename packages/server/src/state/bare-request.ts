/**
 * A question whose shape the protocol gives, without that shape: by position. One of any other shape, or with anything more in
 * it, stays as it is. Only what the protocol says is left out, so that lengths reveal nothing about a person's input (seal-E5).
 * Pure.
 */
import type { Json } from '../base/index.ts';

/** `moded`: 0 for a form that does not say that it is one, as on 2025-11-25. */
type BareRequest = readonly [message: Json, properties: Json, required?: Json, moded?: 0];

/** A form, as it is asked for. Never change what this rebuilds: stored questions are read by it. */
export const requestAgain = (stored: unknown): unknown => {
  if (!Array.isArray(stored)) return stored;
  const [message, properties, required = null, moded] = stored as unknown as BareRequest;
  const requestedSchema = { type: 'object', properties, ...(required !== null && { required }) };
  const params = { ...(moded === undefined && { mode: 'form' }), message, requestedSchema };
  return { method: 'elicitation/create', params };
};

interface FormParams {
  readonly mode?: unknown;
  readonly message?: Json;
  readonly requestedSchema?: { readonly properties?: Json; readonly required?: Json };
}

/** @returns a list if it is a form as it is usually asked for */
export function bareRequest(request: unknown): unknown {
  const { params } = (request ?? {}) as { params?: FormParams };
  const { mode, message, requestedSchema: { properties, required } = {} } = params ?? {};
  const list = [message, properties, required, 0].slice(0, mode === undefined ? 4 : required === undefined ? 2 : 3);
  return bare(request, list, requestAgain);
}

/** @returns the list, if exactly the whole is rebuilt from it */
export function bare(whole: unknown, list: unknown, again: (list: unknown) => unknown): unknown {
  if (whole === undefined) return whole;
  // As it comes back from a store.
  const kept = JSON.parse(JSON.stringify(list));
  return Array.isArray(kept) && JSON.stringify(again(kept)) === JSON.stringify(whole) ? kept : whole;
}
