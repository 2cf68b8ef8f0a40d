export type { SamplingLimits } from './budget.ts';
export { type SamplingAccount, SamplingFlow } from './flow.ts';
export { wishLines } from './wishes.ts';
