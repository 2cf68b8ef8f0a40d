/** The model a host asks for the person; declared beside the sampling rules, since a server may be given one too. */
export type { ModelChoice, ModelReply, ModelUsage, SamplingModel } from '../sampling/index.ts';
