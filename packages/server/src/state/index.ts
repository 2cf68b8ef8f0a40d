export type { AuditEvent, AuditSink, CallRef, ErrorSink, PageEvent, RequestOutcome, Unstamped } from './audit.ts';
export { AuditedLedger } from './audited-ledger.ts';
export { type Attempt, type Claims, claims } from './claims.ts';
export { CommonValues } from './common-values.ts';
export { type KeyRing, type KeySource, keyRing } from './keys.ts';
export { type FlowSteps, flowSteps, stepLedger } from './ledger.ts';
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
export { sealedStore } from './sealed-store.ts';
export { openOrWarn, openUnder, sealUnder } from './sealed-under.ts';
export { Shares } from './shares.ts';
export { TimeList } from './time-list.ts';
