/** A server whose tool asks on cards, and a host that shows Apps and has no elicitation, as the tests of cards use them. */
import { systemClock } from '@midcall/core/time';
import { type AuditEvent, type Call, type MidcallOptions, midcall, type ToolConfig } from '@midcall/server';
import { type Carrier, connectPair, type Era } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** What a host declares that shows Apps. */
export const apps = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

export const CARD = 'io.github.midcall/card';

/** What the App is given in `_meta`. */
export interface CardData {
  readonly question?: {
    readonly message: string;
    readonly fields: readonly Readonly<Record<string, unknown>>[];
    readonly wayBack?: string;
  };
  readonly page?: { readonly message: string; readonly url: string; readonly note?: string };
  readonly server?: string;
  readonly tool: string;
  readonly deadline: string;
  readonly ticket: string;
}

/** A result as the host receives it. */
export interface Shown {
  readonly text: string;
  readonly isError: boolean;
  readonly card: CardData | undefined;
  readonly structured: unknown;
}

export interface SceneOptions {
  readonly era: Era;
  readonly carrier?: Carrier;
  readonly capabilities?: object;
  /** True for a client that follows tasks. */
  readonly tasks?: boolean;
  readonly options?: MidcallOptions;
  readonly config?: Partial<ToolConfig<undefined>>;
  /** What the server takes for the time at first, in milliseconds since the epoch. */
  readonly start?: number;
  /** The tool `paint`. */
  readonly handler?: (call: Call, args: { readonly wall: string }) => Promise<string | object>;
}

export async function cardScene({
  era,
  carrier = 'memory',
  capabilities = apps,
  start = 1_000_000,
  ...how
}: SceneOptions) {
  const ran: string[] = [];
  const events: AuditEvent[] = [];
  let now = start;
  const mid = midcall({
    channels: ['native', 'card'],
    suspectBelowMs: 0,
    warn: () => {},
    onError: () => {},
    audit: event => events.push(event),
    clock: { ...systemClock, now: () => now },
    ...how.options,
  });
  const paint =
    how.handler ??
    (async (call: Call, { wall }: { readonly wall: string }) => {
      await call.step('find', () => ran.push('find'));
      const answer = await call.elicit({ message: 'Which colour?', form: ['red', 'green'], timeoutMs: 60_000 });
      if (answer.action === 'cancel') return `cancel ${answer.reason} by ${answer.by.channel}`;
      if (answer.action === 'decline') return `decline by ${answer.by.channel}`;
      await call.step('paint', () => ran.push(`paint ${wall} ${answer.content}`));
      return `${wall} is ${answer.content}, ${answer.by.channel}, ${answer.by.assurance}`;
    });
  const factory = () => {
    const server = new McpServer({ name: 'painter', version: '1.0.0' });
    mid.tool(
      server,
      'paint',
      { inputSchema: z.object({ wall: z.string() }), ...how.config } as never,
      (async (args: { readonly wall: string }, call: Call) => paint(call, args)) as never,
    );
    return server;
  };
  const pair = await connectPair(factory, { era, carrier, capabilities, ...(how.tasks && { tasks: true }) });
  const call = async (name: string, args: object): Promise<Shown> => {
    const result = await pair.client.callTool({ name, arguments: args as Record<string, unknown> });
    return {
      text: (result.content as readonly { readonly text: string }[]).map(each => each.text).join('\n'),
      isError: result.isError ?? false,
      card: result._meta?.[CARD] as CardData | undefined,
      structured: result.structuredContent,
    };
  };
  return {
    mid,
    pair,
    call,
    ran,
    events,
    factory,
    paint: (wall = 'north') => call('paint', { wall }),
    answer: (ticket: string | undefined, rest: object) => call('midcall_answer', { ticket, ...rest }),
    later: (ms: number) => {
      now += ms;
    },
  };
}
