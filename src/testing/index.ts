/** `midcall/testing`: what authors of servers, hosts and stores test with. */
export { type StoreContractOptions, type StoreUnderTest, storeContract } from './store-contract.ts';
