/**
 * OpenTelemetry's API and the metrics, loaded where something in this process has registered with it: the fifty files of the API
 * are a good part of what loading this library costs, and most servers record nothing.
 */
import type * as Api from '@opentelemetry/api';
import type { AuditSink } from '../state/index.ts';
import type * as Metrics from './metrics.ts';

/** Where the API keeps what was registered, in every copy of its major version. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

let api: typeof Api | undefined;
let metrics: typeof Metrics | undefined;

/** @returns undefined if nothing is recorded */
export const telemetry = (): typeof Api | undefined => api;

/** Called before each request. @returns undefined if there is nothing to wait for */
export function loadTelemetry(): Promise<void> | undefined {
  if (api !== undefined || !(REGISTERED in globalThis)) return undefined;
  return load();
}

async function load(): Promise<void> {
  [api, metrics] = await Promise.all([import('@opentelemetry/api'), import('./metrics.ts')]);
}

/** Takes audit events, records measurements, and passes them on. */
export const measured =
  (audit: AuditSink | undefined): AuditSink =>
  event => {
    metrics?.measure(event);
    audit?.(event);
  };

export const measureOperation: typeof Metrics.measureOperation = (...operation) =>
  metrics?.measureOperation(...operation);

export const measureOpen: typeof Metrics.measureOpen = change => metrics?.measureOpen(change);
