export { isConfidential, isLoopback, type JudgedAddress, urlLines } from './address.ts';
