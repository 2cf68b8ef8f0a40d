/**
 * Our tools, prompts and resources at one server, and what the SDK does around a callback: it finds the one that is meant, reads
 * its arguments, and makes of a tool's outcome what the client gets.
 */
import { MidcallError, messageOf } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import {
  type CallToolResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type RegisteredPrompt,
  type RegisteredResource,
  type RegisteredResourceTemplate,
  type RegisteredTool,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { type FinalOutcome, isUrlRequired } from '../request/index.ts';
import {
  type AskingMethod,
  frontOf,
  type RawParams,
  type Respond,
  readToolArguments,
  servesRounds,
} from '../sdk-seam/index.ts';

/** A request for one of our handlers. */
export interface Received {
  readonly server: McpServer;
  readonly ctx: ServerContext;
  readonly params: RawParams;
}

/** Makes of a handler's outcome what the client gets. */
export type Finish = (outcome: FinalOutcome) => FinalOutcome | Promise<FinalOutcome>;

type ToolRun = (args: unknown, received: Received, finish: Finish) => Promise<unknown>;
type PromptRun = (args: unknown, received: Received) => Promise<unknown>;
type ResourceRun = (uri: URL, variables: Record<string, string | string[]>, received: Received) => Promise<unknown>;

interface Named<T, R> {
  readonly registered: T;
  /** Undefined for one that is not ours. */
  readonly run: R | undefined;
}

export class OwnHandlers {
  readonly #server: McpServer;
  readonly #refused: (method: AskingMethod, params: RawParams) => void;
  readonly #tools = new Map<string, Named<RegisteredTool, ToolRun>>();
  readonly #prompts = new Map<string, Named<RegisteredPrompt, PromptRun>>();
  /** All resources of the server, since one that is not ours may come first. */
  readonly #resources = new Map<string, Named<RegisteredResource, ResourceRun>>();
  readonly #templates = new Map<string, Named<RegisteredResourceTemplate, ResourceRun>>();

  /**
   * @param server - without tools, prompts and resources
   * @param refused - called with a request that is refused before its handler runs
   */
  constructor(server: McpServer, refused: (method: AskingMethod, params: RawParams) => void) {
    this.#server = server;
    this.#refused = refused;
    const register = server.registerResource.bind(server) as (...all: unknown[]) => never;
    server.registerResource = ((name: string, address: unknown, ...rest: unknown[]) => {
      const registered: RegisteredResource | RegisteredResourceTemplate = register(name, address, ...rest);
      if (typeof address === 'string')
        this.#follow(this.#resources, address, 'uri', registered as RegisteredResource, undefined);
      else this.#follow(this.#templates, name, 'name', registered as RegisteredResourceTemplate, undefined);
      return registered;
    }) as typeof server.registerResource;
    const front = frontOf(server);
    front.take('prompts/get', ({ name }) =>
      this.#prompts.get(name as string)?.run ? (params, ctx) => this.#getPrompt(params, ctx) : undefined,
    );
    front.take('resources/read', ({ uri }) => this.#findResource(uri as string));
  }

  hasTool(name: unknown): boolean {
    return this.#tools.get(name as string)?.run !== undefined;
  }

  tool(name: string, registered: RegisteredTool, run: ToolRun): void {
    this.#follow(this.#tools, name, 'name', registered, run);
  }

  prompt(name: string, registered: RegisteredPrompt, run: PromptRun): void {
    this.#follow(this.#prompts, name, 'name', registered, run);
  }

  /** @param key - the URI of a resource, or the name of a template */
  resource(key: string, registered: RegisteredResource | RegisteredResourceTemplate, run: ResourceRun): void {
    const all = 'resourceTemplate' in registered ? this.#templates : this.#resources;
    (all as Map<string, Named<typeof registered, ResourceRun>>).set(key, { registered, run });
  }

  /** Answers a call of one of our tools. */
  async callTool(params: RawParams, ctx: ServerContext): Promise<unknown> {
    const { name = '' } = params;
    const { registered: tool, run } = this.#tools.get(name) ?? {};
    if (!tool || !run) throw invalid(`Tool ${name} not found`);
    if (!tool.enabled) throw this.#refuse('tools/call', params, `Tool ${name} disabled`);
    let args: unknown;
    try {
      args = await readToolArguments(this.#server, tool, params.arguments, name);
    } catch (error) {
      this.#refused('tools/call', params);
      return toolError(error);
    }
    const finish: Finish = outcome => this.#finished(name, tool, outcome);
    return run(args, { server: this.#server, ctx, params }, finish);
  }

  async #getPrompt(params: RawParams, ctx: ServerContext): Promise<unknown> {
    const { name = '' } = params;
    const { registered: prompt, run } = this.#prompts.get(name)!;
    if (!prompt.enabled) throw this.#refuse('prompts/get', params, `Prompt ${name} disabled`);
    const { argsSchema } = prompt;
    const read = argsSchema ? await parsed(argsSchema, params.arguments) : { value: {} };
    if ('issues' in read)
      throw this.#refuse('prompts/get', params, `Invalid arguments for prompt ${name}: ${read.issues}`);
    return run!(read.value, { server: this.#server, ctx, params });
  }

  #findResource(address: string): Respond | undefined {
    if (!URL.canParse(address)) return undefined;
    const uri = new URL(address);
    const fixed = this.#resources.get(uri.href);
    if (fixed) return this.#reads(fixed, uri, {}, `Resource ${uri} disabled`);
    for (const template of this.#templates.values()) {
      const { uriTemplate } = template.registered.resourceTemplate;
      const variables = uriTemplate.match(uri.href);
      if (variables) return this.#reads(template, uri, variables, `Resource template ${uriTemplate} disabled`);
    }
    return undefined;
  }

  #reads(
    { registered, run }: Named<RegisteredResource | RegisteredResourceTemplate, ResourceRun>,
    uri: URL,
    variables: Record<string, string | string[]>,
    disabled: string,
  ): Respond | undefined {
    if (!run) return undefined;
    return async (params, ctx) => {
      if (!registered.enabled) throw this.#refuse('resources/read', params, disabled);
      const result = (await run(uri, variables, { server: this.#server, ctx, params })) as object;
      const { cacheHint } = registered as { readonly cacheHint?: object };
      return cacheHint && servesRounds(this.#server) ? { ...cacheHint, ...result } : result;
    };
  }

  /** Makes of the outcome of a tool what the SDK makes of it. */
  async #finished(name: string, tool: RegisteredTool, outcome: FinalOutcome): Promise<FinalOutcome> {
    try {
      if ('error' in outcome) throw outcome.error;
      const result = withContent(outcome.result) as CallToolResult;
      await checkOutput(name, tool, result);
      return { result: this.#server.server.projectCallToolResult(result, tool.outputSchemaJson) };
    } catch (error) {
      return isUrlRequired(error) ? { error } : { result: toolError(error) };
    }
  }

  #refuse(method: AskingMethod, params: RawParams, message: string): Error {
    this.#refused(method, params);
    return invalid(message);
  }

  /** Registers a handler, and follows its name when its author changes that. */
  #follow<T extends { update: (updates: never) => void }, R>(
    all: Map<string, Named<T, R>>,
    key: string,
    named: 'name' | 'uri',
    registered: T,
    run: R | undefined,
  ): void {
    all.set(key, { registered, run });
    let now: string | undefined = key;
    const update = registered.update.bind(registered) as (updates: object) => void;
    registered.update = ((updates: { readonly callback?: unknown } & Readonly<Record<string, unknown>>) => {
      update(updates);
      if (now === undefined) return;
      const own = all.get(now)!;
      // With another callback it is the SDK's.
      if (updates.callback !== undefined) all.set(now, { ...own, run: undefined });
      const to = updates[named];
      if (to === undefined || to === now) return;
      all.delete(now);
      now = typeof to === 'string' && to !== '' ? to : undefined;
      if (now !== undefined) all.set(now, own);
    }) as T['update'];
  }
}

/** What the SDK calls in place of a handler of ours, if a request has not come through the front. */
export const notThroughFront = (): never => {
  throw new MidcallError('server/setup', 'This handler was called outside a wrapped server.');
};

const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

export const toolError = (error: unknown): CallToolResult => ({
  content: [{ type: 'text', text: messageOf(error) }],
  isError: true,
});

/** A result of a tool with content, which clients expect even if it is structured alone. */
export const withContent = (result: unknown): unknown =>
  isRecord(result) &&
  result['content'] === undefined &&
  !['task', 'inputRequests', 'requestState'].some(key => key in result)
    ? { ...result, content: [] }
    : result;

/** @throws ProtocolError if the structured content does not fit the tool's output schema */
async function checkOutput(
  name: string,
  { outputSchema }: RegisteredTool,
  { isError, structuredContent }: CallToolResult,
): Promise<void> {
  if (!outputSchema || isError) return;
  if (structuredContent === undefined)
    throw invalid(`Output validation error: Tool ${name} has an output schema but no structured content was provided`);
  const read = await parsed(outputSchema, structuredContent);
  if ('issues' in read)
    throw invalid(`Output validation error: Invalid structured content for tool ${name}: ${read.issues}`);
}

async function parsed(
  schema: StandardSchemaWithJSON,
  value: unknown = {},
): Promise<{ readonly value: unknown } | { readonly issues: string }> {
  const read = await schema['~standard'].validate(value);
  if (!read.issues) return { value: read.value };
  const texts = read.issues.map(({ path = [], message }) => {
    const at = path.map(each => String(typeof each === 'object' ? each.key : each)).join('.');
    return at === '' ? message : `${at}: ${message}`;
  });
  return { issues: texts.join(', ') };
}
