/** Whom a tool is for: some are only for models, and some only for Apps. Pure. */
import { own } from './record.ts';

const KEY = 'io.github.midcall/for';

/** The `_meta` of a tool that is only for models, such as one that continues a call with a ticket. */
export const forModels: Readonly<Record<string, unknown>> = { [KEY]: 'models' };

/** False for a tool that only the server's own App calls (MCP Apps 2026-01-26, visibility). @param tool - untrusted */
export function isForModels(tool: unknown): boolean {
  const visibility = visibilityOf(tool);
  return !Array.isArray(visibility) || visibility.includes('model');
}

/** True for a tool that only the server's own Apps call. @param tool - untrusted */
export function isForApps(tool: unknown): boolean {
  const visibility = visibilityOf(tool);
  return Array.isArray(visibility) && visibility.includes('app') && !visibility.includes('model');
}

/** False for a tool that only models call, or only the server's own App. @param tool - untrusted */
export const isForPeople = (tool: unknown): boolean => own(own(tool, '_meta'), KEY) !== 'models' && isForModels(tool);

const visibilityOf = (tool: unknown): unknown => own(own(own(tool, '_meta'), 'ui'), 'visibility');
