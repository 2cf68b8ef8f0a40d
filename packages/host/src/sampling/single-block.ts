/**
 * A sampling result as one block. The SDK refuses several blocks on a 2025-11-25 connection if the request offered no tools,
 * although the revision's schema allows them; the server would get an error instead of the reply.
 */
import { blocksOf, type SamplingResult, textOf } from '@midcall/core/sampling';

/** All its text as one block, or, if there is none, its first block. Pure. */
export function singleBlock(result: SamplingResult): SamplingResult {
  if (!Array.isArray(result.content)) return result;
  const blocks = blocksOf(result);
  const first = blocks.some(block => block.type === 'text') ? undefined : blocks[0];
  return { ...result, content: first ?? { type: 'text', text: textOf(result) } };
}
