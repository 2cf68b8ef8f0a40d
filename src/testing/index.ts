/** `midcall/testing`: what authors of servers, hosts and stores test with. */

export {
  type Carrier,
  connectPair,
  type Era,
  eras,
  type Frame,
  negotiation,
  type Pair,
  type PairOptions,
  pairings,
  recorded,
} from './eras.ts';
export { type Asked, type Scripted, type ScriptedPerson, scriptedPerson } from './person.ts';
export { type StoreContractOptions, type StoreUnderTest, storeContract } from './store-contract.ts';
