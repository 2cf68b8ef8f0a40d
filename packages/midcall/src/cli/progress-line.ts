/** What a server says of its progress, as a line for the person. Pure. */
import { visible } from '@midcall/core/text';
import type { CallProgress } from '@midcall/host';

export function progressLine({ progress, total, message }: CallProgress): string {
  const said = message === undefined ? undefined : visible(message, { max: 200 });
  // Without a total, the number only grows, and tells a person nothing.
  if (total === undefined) return `… ${said ?? progress}`;
  return `… ${progress} of ${total}${said === undefined ? '' : `: ${said}`}`;
}
