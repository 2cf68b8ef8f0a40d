/** The MCP App that a tool or a question names (MCP Apps 2026-01-26). Pure. */
import { own } from '@midcall/core/json';

/** The most characters its URI may have. */
const LONGEST_URI = 2_000;

/** The `_meta.ui.resourceUri` of a tool, or of the params of a question; undefined if it names none, or names it wrongly. */
export function appUri(naming: unknown): string | undefined {
  const uri = own(own(own(naming, '_meta'), 'ui'), 'resourceUri');
  return typeof uri === 'string' && uri.startsWith('ui://') && uri.length <= LONGEST_URI ? uri : undefined;
}
