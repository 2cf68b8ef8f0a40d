/** Whether a tool is for people: some are only for models, and some only for Apps. Pure. */
import { own } from './record.ts';

const KEY = 'io.github.midcall/for';

/** The `_meta` of a tool that is only for models, such as one that continues a call with a ticket. */
export const forModels: Readonly<Record<string, unknown>> = { [KEY]: 'models' };

/** True for a tool that only the server's own Apps call. @param tool - untrusted */
export function isForApps(tool: unknown): boolean {
  const visibility = own(own(own(tool, '_meta'), 'ui'), 'visibility');
  return Array.isArray(visibility) && visibility.includes('app') && !visibility.includes('model');
}

/** False for a tool that only models call, or only the server's own App (MCP Apps 2026-01-26, visibility). @param tool - untrusted */
export function isForPeople(tool: unknown): boolean {
  const meta = own(tool, '_meta');
  const visibility = own(own(meta, 'ui'), 'visibility');
  return own(meta, KEY) !== 'models' && (!Array.isArray(visibility) || visibility.includes('model'));
}
