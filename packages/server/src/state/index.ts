export type { AuditEvent, AuditSink, CallRef, ErrorSink, PageEvent, RequestOutcome, Unstamped } from './audit.ts';
export { AuditedLedger } from './audited-ledger.ts';
<<<<<<< HEAD
export { bare, bareRequest, requestAgain } from './bare-request.ts';
export { type BareState, bareState, type StateCall, stateAgain } from './bare-state.ts';
export { type Attempt, type Claims, claims } from './claims.ts';
=======
export { type Attempt, type Claims, claims, KEPT_MS } from './claims.ts';
>>>>>>> b1c4e147 (Store tasks and the messages of a fleet as JSON, sealed once)
export { CommonValues } from './common-values.ts';
export { type KeyRing, type KeySource, keyRing } from './keys.ts';
export { type FlowSteps, flowSteps, stepLedger } from './ledger.ts';
export {
  type ApartJournal,
  type Binding,
  dropJournal,
  journalIn,
  lifeOf,
  openState,
  openStored,
  prolongState,
  type RoundState,
<<<<<<< HEAD
  type SealedAsk,
=======
  type StateOptions,
  type StoredState,
>>>>>>> b1c4e147 (Store tasks and the messages of a fleet as JSON, sealed once)
  sealState,
  shrinkJournal,
  storedState,
} from './request-state.ts';
export { createSealer, type Sealer } from './seal.ts';
export { sealedStore } from './sealed-store.ts';
export { openOrWarn, openUnder, sealUnder } from './sealed-under.ts';
export { Shares } from './shares.ts';
export { TimeList } from './time-list.ts';
