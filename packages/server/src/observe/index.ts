export { errorCode } from './error-code.ts';
export { type Observer, observed } from './observe.ts';
export { operatorSinks, writeError } from './operator-sinks.ts';
export { loadTelemetry, measured, measureOpen, measureOperation, telemetry } from './telemetry.ts';
export { type WaitingCall, WaitingCalls, type WaitingKinds } from './waiting-calls.ts';
