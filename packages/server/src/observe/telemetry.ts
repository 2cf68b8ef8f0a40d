/**
 * OpenTelemetry's API, loaded where something in this process has registered with it: its fifty files are a good part of what
 * loading this library costs, and most servers record nothing.
 */
import type * as Api from '@opentelemetry/api';

/** Where the API keeps what was registered, in every copy of its major version. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

let api: typeof Api | undefined;

/** @returns undefined if nothing is recorded */
export const telemetry = (): typeof Api | undefined => api;

/** Called before each request. @returns undefined if there is nothing to wait for */
export function loadTelemetry(): Promise<void> | undefined {
  if (api !== undefined || !(REGISTERED in globalThis)) return undefined;
  return import('@opentelemetry/api').then(loaded => {
    api = loaded;
  });
}
