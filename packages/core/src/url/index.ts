export { isConfidential, isLoopback } from './loopback.ts';
