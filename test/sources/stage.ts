/** An example server on a directory of its own, with a scripted person and a clock that stands until it is moved. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Call, type MidcallOptions, midcall } from '@midcall/server';
import { connectPair, type Era, type Pair, type Scripted, type ScriptedPerson, scriptedPerson } from '@midcall/testing';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { fill } from '../../examples/data-file.ts';
import { handClock } from '../host/clock.ts';
import { type RawClient, rawClient } from '../server/raw-client.ts';

export interface Clock {
  now(): number;
  after(ms: number, fn: () => void): () => void;
  /** Moves time on and runs what falls due. */
  advance(ms: number): void;
  /** Timers that are set. */
  readonly waiting: number;
}

function clock(): Clock {
  const hand = handClock(Date.UTC(2026, 0, 1));
  return {
    now: hand.now,
    after: (ms, fn) => hand.after(ms, fn),
    advance: hand.move,
    get waiting() {
      return hand.waiting;
    },
  };
}

export interface Result {
  readonly text: string;
  readonly isError: boolean;
  readonly data: Record<string, unknown>;
}

export interface Stage extends AsyncDisposable {
  readonly directory: string;
  readonly person: ScriptedPerson;
  readonly pair: Pair;
  readonly clock: Clock;
  call(name: string, args?: Record<string, unknown>): Promise<Result>;
  /** Calls a tool as a bare 2026-07-28 client that answers its one question with this, whatever it is. */
  callAnswering(name: string, args: Record<string, unknown>, response: unknown): Promise<Result>;
  /** A file of the directory, as text. */
  file(name: string): Promise<string>;
}

export interface Example {
  readonly serve: (directory: string, options: MidcallOptions) => { readonly factory: McpServerFactory };
  readonly samples: Readonly<Record<string, unknown>>;
}

export interface StageOptions {
  readonly era: Era;
  readonly answers?: readonly Scripted[];
  readonly capabilities?: ClientCapabilities;
  readonly options?: Record<string, unknown>;
}

export async function stage({ serve, samples }: Example, given: StageOptions): Promise<Stage> {
  const { era, answers = [], capabilities = { elicitation: {} }, options = {} } = given;
  const directory = await mkdtemp(join(tmpdir(), 'midcall-sources-'));
  await fill(directory, samples);
  const time = clock();
  const { factory } = serve(directory, { warn: () => {}, clock: time, ...options });
  const person = scriptedPerson(answers, { roots: () => [] });
  const pair = await connectPair(factory, { era, person, capabilities });
  return {
    directory,
    person,
    pair,
    clock: time,
    async call(name, args = {}) {
      return asResult(await pair.client.callTool({ name, arguments: args }));
    },
    async callAnswering(name, args, response) {
      await using client: RawClient = await rawClient(factory, 'memory');
      const { result } = await client.send('tools/call', { name, arguments: args });
      const inputResponses = Object.fromEntries(Object.keys(result!.inputRequests!).map(key => [key, response]));
      const retry = { name, arguments: args, inputResponses, requestState: result!.requestState };
      return asResult((await client.send('tools/call', retry)).result);
    },
    file: name => readFile(join(directory, name), 'utf8'),
    async [Symbol.asyncDispose]() {
      await pair.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Calls a server whose one tool, `act`, is this handler; and what it asked. */
export async function act(
  { era, answers = [], capabilities = { elicitation: {} } }: Omit<StageOptions, 'options'>,
  handler: (call: Call) => Promise<string>,
): Promise<Result & Pick<ScriptedPerson, 'asked'>> {
  const mid = midcall({ warn: () => {} });
  const factory = () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_, call) => ({ content: [{ type: 'text', text: await handler(call) }] }));
    return server;
  };
  const person = scriptedPerson(answers);
  await using pair = await connectPair(factory, { era, person, capabilities });
  return { ...asResult(await pair.client.callTool({ name: 'act' })), asked: person.asked };
}

export function asResult(result: unknown): Result {
  const { content, isError, structuredContent } = result as {
    content: { text: string }[];
    isError?: boolean;
    structuredContent?: Record<string, unknown>;
  };
  return { text: content[0]!.text, isError: isError === true, data: structuredContent ?? {} };
}

/** What was asked, as it travelled. */
export const questions = ({ person }: Stage) =>
  person.asked.map(({ params }) => ({ message: params['message'], schema: params['requestedSchema'] }));

export const accept = (content?: Record<string, unknown>) => ({ action: 'accept', ...(content && { content }) });
export const decline = { action: 'decline' } as const;
export const dismiss = { action: 'cancel' } as const;
/** A host that fails instead of answering. */
export const fails: Scripted = () => Promise.reject(new Error('The dialog could not be drawn.'));

/** True where a promise is still open after everything that can happen by itself has happened. */
export async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  let open = true;
  const settle = () => {
    open = false;
  };
  promise.then(settle, settle);
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
  return open;
}
