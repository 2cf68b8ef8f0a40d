export { errorCode } from './error-code.ts';
export { measured, measureOpen, measureOperation } from './metrics.ts';
export { type Observer, observed } from './observe.ts';
export { operatorSinks } from './operator-sinks.ts';
export { writeError } from './standard-error.ts';
export { loadTelemetry, telemetry } from './telemetry.ts';
export { type WaitingCall, WaitingCalls, type WaitingKinds } from './waiting-calls.ts';
