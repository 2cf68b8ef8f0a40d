/** A server whose one tool asks on a page, its client, and everything that crossed between them. */
import { randomBytes } from 'node:crypto';
import { systemClock } from '@midcall/core/time';
import { type AuditEvent, type Call, type MidcallOptions, midcall } from '@midcall/server';
import { type Connect, type ConnectOptions, connect, type Keeper } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { type Carrier, connectPair, type Era, type Pair, type Scripted, scriptedPerson } from '@midcall/testing';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { watched } from '../../tools/canary-tap.ts';

export interface Fixture {
  readonly pair: Pair;
  readonly pages: Connect;
  readonly audit: readonly AuditEvent[];
  readonly warned: readonly string[];
  readonly vault: ReadonlyMap<string, string>;
  readonly store: Map<string, string>;
  /** What the person was asked, as the host was told. */
  readonly asked: readonly { readonly params: Readonly<Record<string, unknown>> }[];
  whenAsked(count: number): Promise<{ readonly params: Readonly<Record<string, unknown>> }>;
  call(args?: Record<string, unknown>, options?: object): Promise<string>;
  callTool(name: string, args: Record<string, unknown>, options?: object): Promise<CallToolResult>;
  clock: { now: number };
}

export interface FixtureOptions {
  readonly era: Era;
  readonly carrier?: Carrier;
  readonly capabilities?: object;
  readonly answers?: readonly Scripted[];
  readonly handler: (call: Call, args: Record<string, unknown>) => Promise<string>;
  readonly connect?: Partial<ConnectOptions>;
  readonly midcall?: MidcallOptions;
  readonly http?: object;
  /** True for a clock that only the test moves. */
  readonly still?: boolean;
}

const accept: Scripted = { action: 'accept' };
export const textOf = (result: CallToolResult): string => (result.content[0] as { text: string }).text;

export async function fixture(options: FixtureOptions): Promise<Fixture> {
  const { era, carrier = 'memory', handler } = options;
  const audit: AuditEvent[] = [];
  const warned: string[] = [];
  const vault = new Map<string, string>();
  const key = (owner: { subject: string }, name: string) => `${owner.subject} ${name}`;
  const keeper: Keeper = {
    put: async (owner, name, value) => void vault.set(key(owner, name), value),
    get: async (owner, name) => vault.get(key(owner, name)),
    forget: async (owner, name) => void vault.delete(key(owner, name)),
  };
  const inner = memoryStore();
  const store = new Map<string, string>();
  const pages = connect({
    name: 'Notes',
    vault: keeper,
    reach: { kind: 'here', browser: false },
    ...options.connect,
  });
  const clock = { now: Date.now() };
  const mid = midcall({
    key: randomBytes(32).toString('base64'),
    pages,
    store: {
      ...inner,
      get: name => inner.get(name),
      take: name => inner.take(name),
      delete: name => inner.delete(name),
      set: (name, value, how) => {
        store.set(name, value);
        return inner.set(name, value, how);
      },
    },
    suspectBelowMs: 0,
    warn: message => {
      warned.push(message);
      watched('warning', message);
    },
    audit: event => {
      audit.push(event);
      watched('audit', JSON.stringify(event));
    },
    ...(options.still ? { clock: { ...systemClock, now: () => clock.now } } : {}),
    ...options.midcall,
  });
  const factory = () => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'act', { inputSchema: z.looseObject({}) }, async (args, call) => ({
      content: [{ type: 'text', text: await handler(call, args as Record<string, unknown>) }],
    }));
    return server;
  };
  const person = scriptedPerson(options.answers ?? [accept], { repeat: true });
  const pair = await connectPair(factory, {
    era,
    carrier,
    capabilities: options.capabilities ?? { elicitation: { url: {} } },
    person,
    ...(options.http ? { http: options.http } : {}),
  });
  onTestFinished(async () => {
    await pair.close();
    await pages.close();
  });
  const callTool = (name: string, args: Record<string, unknown>, how: object = {}) =>
    pair.client.callTool({ name, arguments: args }, how);
  return {
    pair,
    pages,
    audit,
    warned,
    vault,
    store,
    asked: person.asked,
    whenAsked: person.whenAsked,
    callTool,
    call: async (args = {}, how = {}) => textOf(await callTool('act', args, how)),
    clock,
  };
}

/** An answer in one line. */
export const told = (answer: {
  action: string;
  content?: unknown;
  reason?: string;
  by: { channel: string; assurance: string };
}): string =>
  [
    answer.action,
    answer.reason,
    answer.content === undefined ? undefined : JSON.stringify(answer.content),
    answer.by.channel,
    answer.by.assurance,
  ]
    .filter(part => part !== undefined)
    .join(' ');
