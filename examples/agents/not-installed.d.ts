/**
 * As much as these examples use of packages that are not installed here: one needs a later version of Node, the other brings a
 * program of 360 MB. test/examples/agents.soak.test.ts runs the examples with the packages themselves.
 */
declare module '@anthropic-ai/claude-agent-sdk' {
  export interface Options {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly cwd?: string;
    readonly model?: string;
    readonly tools?: string[];
    readonly allowedTools?: string[];
    readonly settingSources?: never[];
    readonly strictMcpConfig?: boolean;
    readonly resume?: string;
    readonly mcpServers?: Readonly<
      Record<string, { readonly type: 'sdk'; readonly name: string; readonly instance: object }>
    >;
  }
  type Message =
    | { readonly type: 'system' | 'assistant' | 'user'; readonly session_id: string }
    | { readonly type: 'result'; readonly session_id: string; readonly subtype: 'success'; readonly result: string }
    | { readonly type: 'result'; readonly session_id: string; readonly subtype: 'error_during_execution' };
  export function query(given: { readonly prompt: string; readonly options: Options }): AsyncIterable<Message>;
}

declare module '@mastra/core/tools' {
  interface Context {
    readonly agent?: { readonly toolCallId: string };
    readonly abortSignal?: AbortSignal;
  }
  export interface Tool {
    readonly id: string;
  }
  export function createTool(tool: {
    readonly id: string;
    readonly description: string;
    readonly inputSchema: object;
    readonly execute: (args: unknown, context: Context) => Promise<unknown>;
  }): Tool;
}

declare module '@mastra/core/agent' {
  import type { Tool } from '@mastra/core/tools';
  import type { LanguageModel } from 'ai';

  interface Call {
    readonly runId: string;
    readonly toolCallId?: string | undefined;
  }
  interface Result {
    readonly finishReason?: string;
    readonly text: string;
    readonly runId?: string;
    readonly suspendPayload: { readonly toolCallId: string };
  }
  export class Agent {
    constructor(options: {
      readonly id: string;
      readonly name: string;
      readonly instructions: string;
      readonly model: LanguageModel;
      readonly tools: Readonly<Record<string, Tool>>;
    });
    generate(ask: string, options: { readonly requireToolApproval: boolean }): Promise<Result>;
    approveToolCallGenerate(call: Call): Promise<Result>;
    listSuspendedRuns(): Promise<{
      readonly runs: readonly { readonly runId: string; readonly toolCalls: readonly Partial<Call>[] }[];
    }>;
  }
}

declare module '@mastra/core/mastra' {
  import type { Agent } from '@mastra/core/agent';
  export class Mastra {
    constructor(options: {
      readonly agents: Readonly<Record<string, Agent>>;
      readonly storage: object;
      readonly logger: false;
    });
  }
}

declare module '@mastra/libsql' {
  export class LibSQLStore {
    constructor(options: { readonly id: string; readonly url: string });
  }
}
