export type { RunOutcome } from './deferred.ts';
export { type Entry, type EntryKind, type Journal, labelsOf, shortLabel } from './journal.ts';
export { Operations } from './operations.ts';
export { Run } from './run.ts';
export type { EngineOptions, OpenAsk, Outcome, StepLedger, WorkId } from './seam.ts';
