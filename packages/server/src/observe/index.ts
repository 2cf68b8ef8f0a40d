export { errorCode } from './error-code.ts';
export { type Observer, observed } from './observe.ts';
export { operatorSinks } from './operator-sinks.ts';
export { writeError } from './standard-error.ts';
export { loadTelemetry, measured, measureOpen, measureOperation, telemetry } from './telemetry.ts';
export { type WaitingCall, WaitingCalls, type WaitingKinds } from './waiting-calls.ts';
