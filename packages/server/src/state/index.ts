export type { AuditEvent, AuditSink, CallRef, ErrorSink, PageEvent, RequestOutcome, Unstamped } from './audit.ts';
export { type Attempt, type Claims, claims } from './claims.ts';
export { CommonValues } from './common-values.ts';
export { type KeyRing, type KeySource, keyRing } from './keys.ts';
export { AuditedLedger, type FlowSteps, flowSteps, stepLedger } from './ledger.ts';
export {
  type ApartJournal,
  type Binding,
  dropJournal,
  journalIn,
  lifeOf,
  newStoredState,
  openState,
  openStored,
  prolongState,
  type RoundState,
  type SealedAsk,
  type StateOptions,
  type StoredState,
  sealState,
  shrinkJournal,
  storedState,
} from './request-state.ts';
export { createSealer, type Sealer } from './seal.ts';
export { openOrWarn, openUnder, sealedStore } from './sealed-values.ts';
export { Shares } from './shares.ts';
export { TimeList } from './time-list.ts';
