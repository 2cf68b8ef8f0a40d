/** A server's tools as the desk keeps them: only what is shown, in plain data. */
import type { ToolView } from './views.ts';

interface Received {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** More tools than this are not listed. */
const mostTools = 1_000;

/** @param tools - as received; names and descriptions are untrusted */
export function shownTools(tools: readonly Received[]): readonly ToolView[] {
  return tools.slice(0, mostTools).map(tool => {
    const given = hints.flatMap(hint => {
      const value = tool.annotations?.[hint];
      return typeof value === 'boolean' ? [[hint, value] as const] : [];
    });
    return {
      name: tool.name,
      ...(tool.title !== undefined && { title: tool.title }),
      ...(tool.description !== undefined && { description: tool.description }),
      inputSchema: tool.inputSchema ?? {},
      annotations: Object.fromEntries(given),
    };
  });
}
