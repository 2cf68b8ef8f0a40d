/** The SDK client of a connection: how it negotiates the revision, and what it does automatically. */
import { endlessProbe } from '@midcall/core/time';
import { Client } from '@modelcontextprotocol/client';
import { outputValidator } from '../attach/index.ts';
import type { negotiationOf } from '../base/index.ts';
import type { ConnectionOptions } from './connection-options.ts';

/** How many milliseconds a server may take to start, unless an option says otherwise. */
export const START_MS = 60_000;
/** How many milliseconds a server may take to say which revision it speaks. */
const PROBE_MS = 10_000;

/** @param onListChanged - called with the list of the server that has changed */
export function clientOf(
  { client, maxRounds = 50, startTimeoutMs = START_MS }: ConnectionOptions,
  mode: ReturnType<typeof negotiationOf>,
  onListChanged: (list: 'tools' | 'prompts' | 'resources') => void,
): Client {
  const listOptions = (list: 'tools' | 'prompts' | 'resources') => ({
    autoRefresh: false,
    onChanged: (): void => onListChanged(list),
  });
  return new Client(client, {
    inputRequired: { maxRounds },
    jsonSchemaValidator: outputValidator(),
    versionNegotiation: {
      mode,
      probe: typeof mode === 'object' ? endlessProbe : { timeoutMs: Math.min(startTimeoutMs, PROBE_MS) },
    },
    listChanged: { tools: listOptions('tools'), prompts: listOptions('prompts'), resources: listOptions('resources') },
  });
}
