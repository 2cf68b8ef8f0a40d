/** A desk in this process, and questions of every kind and state to put on it. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SamplingModel } from '@midcall/core/sampling';
import type { Clock } from '@midcall/core/time';
import {
  Audit,
  Connection,
  type ConnectionOptions,
  type ConsentStorage,
  type DecisionStorage,
  type Era,
  type FormQuestion,
  Inbox,
  judgeUrl,
  machineDisk,
  OfferedRoots,
  Policy,
  type Question,
  type Rules,
  type TaskStorage,
} from '@midcall/host';
import { type BrowserMemory, deskDeclares, type RunningDesk } from '@midcall/host/web';
import { afterAll, expect } from 'vitest';
import { serveDesk } from '../../packages/host/src/web/desk.ts';
import { clientScripts } from '../../packages/host/src/web/routes/client-scripts.ts';
import { Workspace } from '../../packages/host/src/web/workspace/workspace.ts';

/** Where the build puts the client script. */
export const builtClient = new URL('../../packages/host/script/', import.meta.url);

/** Empty files in place of the client script, for tests that need no browser. */
export function noClient(): URL {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-client-'));
  for (const name of clientScripts) writeFileSync(join(folder, `${name}.js`), '');
  return pathToFileURL(`${folder}/`);
}

/** A desk, and what it is a view of. */
export type StagedDesk = RunningDesk & { readonly workspace: Workspace };

export interface Stage extends AsyncDisposable {
  readonly desk: StagedDesk;
  readonly inbox: Inbox;
  readonly policy: Policy;
  readonly audit: Audit;
  readonly roots: OfferedRoots;
  readonly errors: unknown[];
}

/** Resolves when something on the desk has become so. */
export function whenSo<T>({ workspace }: StagedDesk, look: () => T | undefined): Promise<T> {
  return new Promise(resolve => {
    const stop = workspace.subscribe(() => check());
    const check = (): void => {
      const found = look();
      if (found === undefined) return;
      stop();
      resolve(found);
    };
    check();
  });
}

interface StageOptions {
  readonly client?: URL;
  readonly clock?: Clock;
  readonly zone?: string;
  readonly sampling?: SamplingModel;
  readonly proposedRoot?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly storedDecisions?: DecisionStorage;
  readonly consent?: ConsentStorage;
  readonly rules?: Rules;
  readonly tasks?: TaskStorage;
  readonly port?: number;
  readonly browsers?: BrowserMemory;
  /** A question that is open from the start. */
  readonly ask?: Question;
  readonly era?: Era;
  /** True if servers are told that the desk shows Apps, as that of the command tells them. */
  readonly showsApps?: boolean;
  readonly authorization?: NonNullable<ConnectionOptions['authorization']>;
}

/** A desk for all tests of a file; closed after the last, and nothing may have gone wrong inside by then. */
export async function stageOfFile(options: StageOptions = {}): Promise<Stage> {
  const on = await stage(options);
  afterAll(async () => {
    await on[Symbol.asyncDispose]();
    expect(on.errors).toEqual([]);
  });
  return on;
}

/** Starts a desk without servers. */
export async function stage(options: StageOptions = {}): Promise<Stage> {
  const errors: unknown[] = [];
  const inbox = new Inbox();
  if (options.ask) {
    inbox.subscribe(() => {});
    void inbox.ask(options.ask);
  }
  const policy = new Policy();
  const audit = new Audit();
  const roots = new OfferedRoots({ disk: machineDisk });
  const client = { name: 'midcall-test', version: '0' };
  const workspace = new Workspace({
    inbox,
    policy,
    audit,
    roots,
    ...(options.clock && { clock: options.clock }),
    ...(options.sampling && { models: options.sampling }),
    ...(options.storedDecisions && { storedDecisions: options.storedDecisions }),
    ...(options.consent && { consent: options.consent }),
    ...(options.tasks && { tasks: options.tasks }),
    connect: entry =>
      new Connection(entry, {
        client,
        inbox,
        policy,
        audit,
        roots,
        ...(options.tasks && { tasks: options.tasks }),
        ...(options.showsApps && { declares: deskDeclares }),
        ...(options.rules && { rules: options.rules }),
        ...(options.era && { era: options.era }),
        ...(options.authorization && { authorization: options.authorization }),
        ...(options.sampling && { sampling: { model: options.sampling } }),
      }),
  });
  const served = await serveDesk(workspace, {
    ...(options.port !== undefined && { port: options.port }),
    ...(options.browsers && { browsers: options.browsers }),
    client: options.client ?? noClient(),
    zone: options.zone ?? 'Europe/Berlin',
    ...(options.proposedRoot !== undefined && { proposedRoot: options.proposedRoot }),
    ...(options.environment && { environment: options.environment }),
    onError: error => errors.push(error),
  });
  const desk = Object.defineProperty(served, 'workspace', { value: workspace }) as StagedDesk;
  return { desk, inbox, policy, audit, roots, errors, [Symbol.asyncDispose]: () => desk.stop({ within: 0 }) };
}

const asker: Question['asker'] = {
  id: 'notes',
  name: 'midcall-notes',
  version: '0.1.0',
  origin: 'node packages/midcall/bin/midcall.js notes',
  era: '2026-07-28',
};

const frame = (call: string | undefined, name: string, args: Record<string, unknown> = {}) => ({
  id: randomUUID(),
  asker,
  askedAt: Date.now() - 12_000,
  ...(call !== undefined && { call: { id: call, kind: 'tool' as const, name, arguments: args } }),
});

/** Three notes to choose from, and a confirmation. */
export const pickOne = (call: string | undefined): FormQuestion => ({
  ...frame(call, 'notes_delete', { title: 'TPS report' }),
  kind: 'form',
  message: "Delete 'TPS report'? Multiple notes match; pick one.",
  fields: [
    {
      kind: 'select',
      name: 'note_id',
      title: 'Note',
      required: true,
      choices: ['2023', '2024', '2025'].map(year => ({ value: `note-${year}`, title: `TPS report · work/${year}` })),
    },
    { kind: 'boolean', name: 'confirm', title: 'Move it to the trash', required: true },
  ],
});

/** One field of every kind and format. */
export const everyField = (call: string): FormQuestion => ({
  ...frame(call, 'profile_edit'),
  kind: 'form',
  message: 'Tell us about you.\nMost of it is optional.',
  fields: [
    { kind: 'text', name: 'full_name', description: 'As on your badge', required: true, minLength: 2, maxLength: 40 },
    { kind: 'text', name: 'email', format: 'email', required: false, default: 'ada@example.com' },
    { kind: 'text', name: 'site', format: 'uri', required: false },
    { kind: 'text', name: 'birthday', format: 'date', required: false },
    { kind: 'text', name: 'meet_at', format: 'date-time', required: true, default: '2026-07-01T10:00:00Z' },
    { kind: 'number', name: 'age', integer: true, minimum: 18, maximum: 120, required: false },
    { kind: 'number', name: 'ratio', integer: false, required: false, default: 0.5 },
    { kind: 'boolean', name: 'news', title: 'Send me news', required: false, default: true },
    {
      kind: 'select',
      name: 'country',
      required: true,
      choices: Array.from({ length: 130 }, (_, at) => ({ value: `c${at}`, title: `Country ${at}` })),
    },
    {
      kind: 'select',
      name: 'shift',
      required: false,
      choices: Array.from({ length: 9 }, (_, at) => ({ value: `s${at}`, title: `Shift ${at}` })),
    },
    {
      kind: 'multi-select',
      name: 'days',
      required: false,
      minItems: 1,
      maxItems: 2,
      default: ['mon'],
      choices: ['mon', 'tue', 'wed', 'thu'].map(value => ({ value, title: value.toUpperCase() })),
    },
  ],
});

/** A page to open, with everything wrong with its address. */
export const openPage = (href = 'http://user@xn--pypal-4ve.example.co.uk:8443/login?next=/a'): Question => ({
  ...frame(undefined, ''),
  kind: 'url',
  message: 'Sign in to go on',
  url: judgeUrl(href),
});

/** A page that was opened and is waited for. */
export const finishPage = (call: string): Question => ({
  ...frame(call, 'connect'),
  kind: 'url-finish',
  message: 'Sign in to go on',
  url: judgeUrl('https://example.com/connect/abc'),
  elicitationId: 'e-1',
});

const wishes = {
  hints: ['llama', 'claude'],
  costPriority: 0.2,
  speedPriority: 0.9,
  temperature: 0.7,
  stopSequences: ['END'],
  toolChoice: 'auto',
  metadata: { 'example.com/trace': 7 },
};

/** A request to the person's model. */
export const useModel = (call: string): Question => ({
  ...frame(call, 'summarise', { path: 'inbox.md' }),
  kind: 'sampling-request',
  model: { name: 'llama-3.1-8b', why: 'the fastest of those the server asked for' },
  models: ['llama-3.1-8b', 'claude-sonnet'],
  systemPrompt: 'You are terse.',
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Summarise:\n\n- call Ann' }] },
    { role: 'assistant', content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
  ],
  maxTokens: 400,
  tools: ['lookup'],
  wishes,
  ignored: ['includeContext: thisServer'],
});

/** A reply of the person's model. */
export const useReply = (call: string): Question => ({
  ...frame(call, 'summarise', { path: 'inbox.md' }),
  kind: 'sampling-reply',
  model: { name: 'llama-3.1-8b', why: 'as asked' },
  prompt: {
    systemPrompt: 'You are terse.',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Summarise:\n\n- call Ann' }] }],
    maxTokens: 400,
    tools: ['lookup'],
    wishes,
  },
  content: [{ type: 'text', text: 'Call Ann.' }],
  stopReason: 'endTurn',
  notes: ['The model does not take a temperature, so it was not sent.'],
});

/** Folders a server wants to know. */
export const shareRoots = (): Question => ({
  ...frame(undefined, ''),
  kind: 'roots',
  roots: [
    { uri: 'file:///home/ada/notes', name: 'notes' },
    { uri: 'file:///home/ada/work', name: 'work' },
  ],
});

/** A model that says nothing, so that the reply is written by hand. */
export const byHand: SamplingModel = {
  names: ['you'],
  tools: false,
  choose: () => ({ name: 'you', why: 'there is no other', leftOut: [] }),
  run: async () => ({
    result: { role: 'assistant', content: { type: 'text', text: '' }, model: 'human', stopReason: 'endTurn' },
    usage: { inputTokens: 0, outputTokens: 0, estimated: true },
    notes: [],
  }),
};
