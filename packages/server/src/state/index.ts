export type { AuditEvent, AuditSink, CallRef, ErrorSink, PageEvent, RequestOutcome, Unstamped } from './audit.ts';
export { AuditedLedger } from './audited-ledger.ts';
export { bare, bareRequest, requestAgain } from './bare-request.ts';
export { type BareState, bareState, type StateCall, stateAgain } from './bare-state.ts';
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
  openState,
  prolongState,
  type RoundState,
  type SealedAsk,
  sealState,
  shrinkJournal,
} from './request-state.ts';
export { createSealer, type Sealer } from './seal.ts';
export { sealedStore } from './sealed-store.ts';
export { openOrWarn, openUnder, sealUnder } from './sealed-under.ts';
export { Shares } from './shares.ts';
export { TimeList } from './time-list.ts';
