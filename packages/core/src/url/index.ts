export { isConfidential, isLoopback } from './loopback.ts';
export { type JudgedAddress, urlLines } from './url-lines.ts';
