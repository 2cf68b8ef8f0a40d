/** What examples in doc comments take for granted: tools/doc-examples.ts imports these names where an example uses them. */
import type {
  Audit,
  Connection,
  FormQuestion,
  Inbox,
  OfferedRoots,
  Policy,
  ServerEntry,
  TaskQuestion,
} from '@midcall/host';
import type { DeskOptions, SecretBox } from '@midcall/host/web';
import type {
  Call,
  GatewayCall,
  Midcall,
  Principal,
  SamplingMessage,
  SamplingRequest,
  SamplingTool,
  Store,
} from '@midcall/server';
import type { PageKind, Provider } from '@midcall/server/connect';
import type { LanguageModel } from '@midcall/server/models';
import type { Root } from '@midcall/server/roots';
import type { Client, Transport } from '@modelcontextprotocol/client';
import type { AuthInfo, McpServer } from '@modelcontextprotocol/server';

export { readFileSync } from 'node:fs';
export { writeFile } from 'node:fs/promises';
export { createServer } from 'node:http';
export { homedir } from 'node:os';
export { Client } from '@modelcontextprotocol/client';
export { McpServer } from '@modelcontextprotocol/server';
export { it } from 'vitest';
export { z } from 'zod';

export declare const about: { readonly name: string; readonly version: string };
export declare const audit: Audit;
export declare const book: (date: string, name: string) => void;
export declare const box: SecretBox;
export declare const buy: (size: string, asGift: boolean) => void;
export declare const call: Call;
export declare const calls: readonly {
  readonly serverId: string;
  readonly context: { readonly kind: 'tool'; readonly name: string; readonly arguments: Record<string, unknown> };
}[];
export declare const cleanUp: (call: Call) => Promise<string>;
export declare const client: Client;
export declare const clock: { advance(ms: number): void };
export declare const company: Provider;
export declare const connection: Connection;
export declare const deadline: number;
export declare const entry: ServerEntry;
export declare const error: unknown;
export declare const fields: FormQuestion['fields'];
export declare const forward: (params: object, call: GatewayCall) => Promise<Record<string, unknown>>;
export declare const id: string;
export declare const inbox: Inbox;
export declare const isSecret: boolean;
export declare const key: string;
export declare const languageModel: LanguageModel;
export declare const log: (line: string) => void;
export declare const matches: readonly string[];
export declare const messages: readonly SamplingMessage[];
export declare const mid: Midcall;
export declare const myStore: () => Store;
export declare const newKey: Uint8Array;
export declare const note: string;
export declare const notes: { find(words: string): Promise<string[]> };
export declare const notesServer: (mid: Midcall) => McpServer;
export declare const offeredRoots: OfferedRoots;
export declare const oldKey: Uint8Array;
export declare const order: string;
export declare const ordersServer: (mid: Midcall) => McpServer;
export declare const parts: DeskOptions;
export declare const pay: (order: string, key: string) => Promise<void>;
export declare const policy: Policy;
export declare const principalOf: (authInfo: AuthInfo | undefined) => Principal | undefined;
export declare const question: FormQuestion;
export declare const quill: Provider;
export declare const redis: { call(command: string, ...args: string[]): Promise<unknown> };
export declare const remove: (title: string) => Promise<string>;
export declare const replyTo: (question: TaskQuestion) => Promise<object>;
export declare const request: Request;
export declare const roots: readonly Root[];
export declare const sample: (request: SamplingRequest) => Promise<unknown>;
export declare const save: (principal: Principal | undefined, folder: string) => Promise<void>;
export declare const searchTool: SamplingTool;
export declare const secretOfClient: string;
export declare const server: McpServer;
export declare const store: Store;
export declare const terms: PageKind;
export declare const text: string;
export declare const title: string;
export declare const transport: Transport;
export declare const value: string;
export declare const watch: (title: string) => { close(): void };
