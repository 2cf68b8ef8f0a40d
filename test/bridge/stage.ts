/** A bridge between a scripted host and a server of the test's own, in any pair of revisions. */

import { systemClock } from '@midcall/core/time';
import {
  type Clock,
  type Connection,
  Inbox,
  machineDisk,
  OfferedRoots,
  type ServerEntry,
  urlTarget,
} from '@midcall/host';
import type { HostWait } from '@midcall/host/web';
import { type Midcall, midcall } from '@midcall/server';
import { serveHttp } from '@midcall/server/node';
import { type Era, eras, negotiation, type Scripted, scriptedPerson } from '@midcall/testing';
import { Client, type ClientCapabilities, type ClientOptions } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { type BridgeOptions, startBridge } from '../../packages/midcall/src/bridge/index.ts';
import { PageOpener } from '../../packages/midcall/src/shared-desk/page-opener.ts';
import { few } from '../fixtures/soak.ts';
import { ring, ringing } from './until.ts';

/** Host and upstream server. */
export const pairs: readonly (readonly [host: Era, upstream: Era])[] = eras.flatMap(host =>
  eras.map(upstream => [host, upstream] as const),
);

/** All pairs in a soak; else those of two eras, or those of one. */
export const crossed = few(pairs, ['2025-11-25', '2026-07-28'], ['2026-07-28', '2025-11-25']);
export const alike = few(pairs, ['2025-11-25', '2025-11-25'], ['2026-07-28', '2026-07-28']);

export interface StageOptions {
  readonly host: Era;
  readonly upstream: Era;
  /** Registers what the upstream server has. */
  readonly serve?: (mid: Midcall, server: McpServer) => void;
  /** An upstream server of the test's own, in place of one that `serve` makes. */
  readonly url?: string;
  /** What the person at the host answers, in order. */
  readonly answers?: readonly Scripted[];
  readonly capabilities?: ClientCapabilities;
  /** What the host wants to hear of changed lists. */
  readonly listChanged?: NonNullable<ClientOptions['listChanged']>;
  readonly roots?: readonly { readonly uri: string; readonly name?: string }[];
  /** How the person gets to the desk, if no browser can be opened. */
  readonly way?: string;
  /** What a person at the desk does when a page is opened; there is no browser where absent. */
  readonly atDesk?: (inbox: Inbox) => unknown;
  /** The desk, in place of `atDesk`. @param inbox - the bridge's */
  readonly desk?: (inbox: Inbox) => BridgeOptions['desk'];
  readonly options?: Partial<BridgeOptions>;
  readonly clock?: Clock;
}

/** Words that say what one model replies. */
export const reply = (text: string) => ({
  role: 'assistant' as const,
  content: { type: 'text' as const, text },
  model: 'test',
  stopReason: 'endTurn',
});

/** Starts the upstream server and the bridge, which waits for a host on `near`; `close` ends both. */
export async function bridgeStage({
  upstream,
  serve,
  atDesk,
  way,
  desk,
  ...given
}: Pick<StageOptions, 'upstream' | 'serve' | 'atDesk' | 'desk' | 'way' | 'url' | 'clock' | 'options'>) {
  const mid = midcall({
    roots: { askWhereDeprecated: true },
    sampling: { askWhereDeprecated: true },
    suspectBelowMs: 0,
    warn: () => {},
  });
  const served = await serveHttp(
    () => {
      const server = new McpServer({ name: 'upstream', version: '7.0.0' }, { instructions: 'Ask.' });
      serve?.(mid, server);
      return server;
    },
    { port: 0 },
  );
  const clock = ringing(given.clock ?? systemClock);
  const inbox = new Inbox({ clock });
  inbox.subscribe(ring);
  const opened: string[] = [];
  const waits: HostWait[] = [];
  let connection: Connection | undefined;
  const warned: string[] = [];
  const entry: ServerEntry = { id: 'upstream', target: urlTarget(given.url ?? served.url.href) };
  const opener = new PageOpener({
    desk: { viewers: 0, startUrl: () => 'http://127.0.0.1/start' },
    isOpen: ({ id }) => inbox.get(id) !== undefined,
    hasView: () => false,
    clock,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const starting = startBridge(entry, {
    host: far,
    client: { name: 'test-bridge', version: '1.0.0' },
    inbox,
    clock,
    era: upstream,
    roots: new OfferedRoots({ disk: machineDisk, lookEveryMs: 0 }),
    ownRoots: false,
    sampling: { model: noModel, always: false },
    desk: desk?.(inbox) ?? {
      join: () => {},
      tellWait: (_, wait) => {
        waits.push(wait);
        ring();
      },
      show: async (question, behindTheBridge) => {
        connection = behindTheBridge;
        // The desk is in another process.
        await new Promise(setImmediate);
        const isShown = await opener.show(question, async url => {
          opened.push(url);
          ring();
          await atDesk?.(inbox);
          return atDesk !== undefined;
        });
        if (isShown) return { seen: true, place: 'at their desk' };
        return way !== undefined && { seen: false, why: 'the bridge cannot open a browser', way };
      },
      close: async () => opener.close(),
    },
    warn: message => void warned.push(message),
    suspectBelowMs: 0,
    ...given.options,
  });
  return {
    near,
    inbox,
    opened,
    waits,
    warned,
    connection: () => connection,
    async close() {
      await (await starting)?.stop({ within: 0 });
      await served.stop({ within: 0 });
      await mid.stop();
    },
    started: async () => void (await starting),
  };
}

/** Starts everything; disposing of it ends everything. */
export async function stage({ host, ...given }: StageOptions) {
  const { near, inbox, opened, waits, warned, connection, close, started } = await bridgeStage(given);
  const person = scriptedPerson(given.answers ?? [], { roots: () => given.roots ?? [] });
  const capabilities = given.capabilities ?? { elicitation: { form: {} } };
  const client = new Client(
    { name: 'test-host', version: '1.0.0' },
    {
      capabilities,
      versionNegotiation: negotiation(host),
      inputRequired: { maxRounds: 40 },
      ...(given.listChanged && { listChanged: given.listChanged }),
    },
  );
  person.attach(client, capabilities);
  await client.connect(near);
  await started();
  return {
    client,
    inbox,
    person,
    opened,
    /** What the person was told of the host, in order. */
    waits,
    warned,
    /** The bridge's own, once the desk was needed. */
    connection,
    async [Symbol.asyncDispose]() {
      await client.close();
      await close();
    },
  };
}

export const noModel = {
  names: ['none'],
  tools: false,
  choose: () => ({ name: 'none', why: 'for a test', leftOut: [] }),
  run: async () => ({
    result: reply('from the desk'),
    usage: { inputTokens: 0, outputTokens: 0, estimated: true },
    notes: [],
  }),
};

/** The text of a result. */
export const textOf = (result: object): string =>
  (result as { content?: readonly { readonly text?: string }[] }).content?.[0]?.text ?? '';
