/** `@midcall/testing`: what authors of servers, hosts and stores test with. */

export type { Era } from '@midcall/host';
export {
  type Carrier,
  connectPair,
  eras,
  type Frame,
  negotiation,
  type Pair,
  type PairOptions,
  pairings,
} from './eras.ts';
export { type ExploredTool, type ExploreOptions, explore } from './explore/explore.ts';
export type { FindingKind } from './explore/explore-finding.ts';
export {
  type Answering,
  type ExploredOutcome,
  type ExploredQuestion,
  fittingContent,
} from './explore/explore-outcome.ts';
export type { ExploreReport, Finding } from './explore/explore-report.ts';
export type { ExploreOptionsForMidcall } from './explore/explore-run.ts';
export type { DeliveredAnswer, PlayedAs } from './explore/explore-trace.ts';
export { type FinishPageOptions, finishPage, type PageInput } from './finish-page.ts';
export { type PersonRequest, type Scripted, type ScriptedPerson, scriptedPerson } from './person.ts';
export { type StoreContractOptions, type StoreUnderTest, storeContract } from './store-contract.ts';
export { type TestInbox, type TestInboxOptions, type TestPerson, type TestVote, testInbox } from './test-inbox.ts';
