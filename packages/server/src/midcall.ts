/** The composition root of the server library: `midcall()` once per process, then tools, prompts and resources. */

import { MidcallError } from '@midcall/core/errors';
import { own } from '@midcall/core/json';
import { checkKind, checkOptions, func, mcpServerKind, oneOf, text } from '@midcall/core/options';
import { type StopOptions, stopKinds, stopParts } from '@midcall/core/stop';
import type {
  CallToolResult,
  McpServer,
  RegisteredPrompt,
  RegisteredResource,
  RegisteredResourceTemplate,
  RegisteredTool,
  ResourceTemplate,
  ServerContext,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import {
  answerAtGateway,
  dispatcher,
  listCards,
  listedByGateway,
  listResume,
  notThroughFront,
  OwnHandlers,
  promptResult,
  type ResumableTool,
  registerCard,
  registerResume,
  resourceResult,
  runUnattended,
  toolResult,
  withContent,
} from './call/index.ts';
import { ceilingOf, configure } from './configure.ts';
import type { WaitingCall } from './observe/index.ts';
import { CARD_TOOL, CARD_URI, cardResource } from './questions/index.ts';
import {
  addressKind,
  boundedSchema,
  boundUpdates,
  cardsFor,
  checkRegistration,
  isHarmless,
  type PromptAnswer,
  type PromptConfig,
  promptKinds,
  type ResourceAnswer,
  type ResourceConfig,
  readArguments,
  type ToolAnswer,
  type ToolConfig,
  taskKind,
  taskSupport,
  toolKinds,
} from './registration.ts';
import {
  type AboutClient,
  aboutClient,
  belongsTo,
  type Call,
  type GatewayCall,
  type GatewayOptions,
  type Handled,
  type Instance,
  type MidcallOptions,
  markReplayable,
  type Registered,
  viewClient,
} from './request/index.ts';
import type { Files } from './roots/index.ts';
import {
  type AnyMcpServer,
  type AskingMethod,
  askingMethods,
  frontOf,
  type Respond,
  recognize,
} from './sdk-seam/index.ts';
import {
  type CallHandler,
  callsMayBecomeTasks,
  serveTasks,
  TaskPart,
  takesTaskParameter,
  waitingKinds,
} from './tasks/index.ts';

type ArgsOf<S> = S extends StandardSchemaWithJSON ? StandardSchemaWithJSON.InferOutput<S> : Record<string, never>;

/** A server library instance. One per process: it holds the key, the claims and the caches. */
export interface Midcall {
  /**
   * Registers a tool whose handler may ask.
   * @example
   * ```ts
   * mid.tool(server, 'note_delete', { inputSchema: z.object({ title: z.string() }) }, async ({ title }, call) => {
   *   const answer = await call.elicit({ message: `Delete '${title}'?`, form: Boolean });
   *   return answer.action === 'accept' && answer.content ? remove(title) : `Nothing was deleted: ${whyNot(answer)}`;
   * });
   * ```
   */
  tool<const I extends StandardSchemaWithJSON | undefined = undefined>(
    server: AnyMcpServer,
    name: string,
    config: ToolConfig<I>,
    handler: (args: ArgsOf<I>, call: Call) => ToolAnswer | Promise<ToolAnswer>,
  ): RegisteredTool;
  /**
   * Registers a prompt whose handler may ask.
   * @example
   * ```ts
   * mid.prompt(server, 'review', { argsSchema: z.object({ file: z.string() }) }, async ({ file }, call) => {
   *   const answer = await call.elicit({ message: 'How strict?', form: ['lenient', 'strict'] });
   *   return `Review ${file}${answer.action === 'accept' ? `, ${answer.content}` : ''}.`;
   * });
   * ```
   */
  prompt<const A extends StandardSchemaWithJSON | undefined = undefined>(
    server: AnyMcpServer,
    name: string,
    config: PromptConfig<A>,
    handler: (args: ArgsOf<A>, call: Call) => PromptAnswer | Promise<PromptAnswer>,
  ): RegisteredPrompt;
  /**
   * Registers a resource, or a template of resources, whose handler may ask.
   * @example
   * ```ts
   * mid.resource(server, 'todo', 'notes://todo', { mimeType: 'text/markdown' }, async (_uri, call) =>
   *   (await call.files()).readText('todo.md'),
   * );
   * ```
   */
  resource(
    server: AnyMcpServer,
    name: string,
    uri: string,
    config: ResourceConfig,
    handler: (uri: URL, call: Call) => ResourceAnswer | Promise<ResourceAnswer>,
  ): RegisteredResource;
  resource(
    server: AnyMcpServer,
    name: string,
    template: ResourceTemplate,
    config: ResourceConfig,
    handler: (
      uri: URL,
      call: Call,
      variables: Readonly<Record<string, string | string[]>>,
    ) => ResourceAnswer | Promise<ResourceAnswer>,
  ): RegisteredResourceTemplate;
  /**
   * Allows a server to have tools of both kinds: those of `mid.tool`, which may ask, and plain ones of `server.registerTool`,
   * which work as before. From then on the requests for what `mid` registers are answered before the SDK's server gets them;
   * it gets all others. Call it right after creating the server; `mid.tool`, `mid.prompt`, `mid.resource` and `mid.handle` do it
   * themselves, so it is only needed if a plain tool is registered before the first of them.
   * @returns the same server
   * @throws MidcallError `server/setup` if something was registered before
   * @example
   * ```ts
   * const server = mid.wrap(new McpServer({ name: 'notes', version: '1.0.0' }));
   * ```
   */
  wrap<S extends AnyMcpServer>(server: S): S;
  /**
   * Handles every request of one method, for servers that only learn at the time of the call what can be called, such as
   * gateways. You implement listing and the server's capabilities; the handler may only ask what the client itself can show,
   * and may ask again after a refusal, since questions of other servers are not distinguished by their wording.
   * @param options - whether calls of tools become tasks
   * @throws MidcallError `server/setup` if pages, an inbox or the relay are enabled, which need the tool `resume`, or if something was
   *   registered before
   * @example
   * ```ts
   * mid.handle(server, 'tools/call', async ({ params }, call) => forward(params, call));
   * ```
   */
  handle<R extends Readonly<Record<string, unknown>>>(
    server: AnyMcpServer,
    method: AskingMethod,
    handler: (request: Handled, call: GatewayCall) => R | Promise<R>,
    options?: GatewayOptions,
  ): void;
  /**
   * Files for a handler that cannot ask, such as the list of a resource template. Close them when it ends.
   * @returns undefined if this client has roots and cannot be asked for them here (lists on 2026-07-28)
   * @throws MidcallError `roots/none` if nothing is allowed
   * @example
   * ```ts
   * server.registerResource('notes', 'notes://list', {}, async (uri, ctx) => {
   *   const files = await mid.files(server, ctx);
   *   return { contents: [{ uri: uri.href, text: JSON.stringify(await files?.list('.')) }] };
   * });
   * ```
   */
  files(server: AnyMcpServer, ctx: ServerContext): Promise<Files | undefined>;
  /**
   * The tools of a gateway with cards as the client of a request is to see them: those of which `hasCard` is true with our App, which
   * is read as `ui://midcall/card`, and after them the tool by which the App answers. Unchanged for clients that show no Apps.
   */
  listed<T extends { readonly name: string }>(
    server: AnyMcpServer,
    ctx: ServerContext,
    tools: readonly T[],
    hasCard: (name: string) => boolean,
  ): readonly { readonly name: string }[];
  /**
   * What the client says about itself, for a handler without a `call`.
   * @example
   * ```ts
   * server.registerTool('about', {}, async ctx => ({
   *   content: [{ type: 'text', text: `You are ${mid.client(server, ctx).name}.` }],
   * }));
   * ```
   */
  client(server: AnyMcpServer, ctx: ServerContext): AboutClient;
  /**
   * Runs a handler without a client, such as from a command line: nobody is asked, and every question is `cancel/unavailable`.
   * @param annotations - the tool's; a question's `fallback` may accept only if they say that nothing is destroyed
   * @example
   * ```ts
   * const report = await mid.withoutClient(call => cleanUp(call), { readOnlyHint: false, destructiveHint: false });
   * ```
   */
  withoutClient<R>(handler: (call: Call) => R | Promise<R>, annotations?: ToolAnnotations): Promise<R>;
  /**
   * Changes the directories that the operator allows; calls that begin from now on work inside them.
   * @param ceiling - directories that exist, instead of `roots.ceiling`
   * @throws MidcallError `roots/invalid` for one that cannot be used; then nothing has changed
   * @example
   * ```ts
   * mid.allow(['/srv/notes', '/srv/archive']);
   * ```
   */
  allow(ceiling: readonly string[]): void;
  /**
   * The waiting calls, without their contents: tasks, calls that `resume` continues, and pages. With a shared store, those of
   * every process that shares it. Questions of an open request are not included.
   * @returns the oldest first
   * @throws MidcallError `store/corrupt` if all of them were sealed with another key; of some, `warn` is told
   * @example
   * ```ts
   * for (const { id, kind, since } of await mid.calls()) console.log(id, kind, new Date(since).toISOString());
   * ```
   */
  calls(): Promise<readonly WaitingCall[]>;
  /**
   * Ends a waiting call. A task is cancelled; a ticket becomes invalid; a question on a page ends as `cancel/error`, and its
   * handler continues. A call that is being continued at this moment is not stopped.
   * @param id - of {@link Midcall.calls}
   * @returns false if no such call is waiting
   * @example
   * ```ts
   * const wasWaiting = await mid.cancel(id);
   * ```
   */
  cancel(id: string): Promise<boolean>;
  /**
   * Refuses new calls with `call/closed`, lets those in progress end, and releases everything. Whatever serves this instance's servers
   * does it when it is stopped, so it is only needed where you connect servers yourself, or serve none.
   * @param options - `within`: milliseconds that calls in progress may take; 10,000 if absent
   * @example
   * ```ts
   * process.once('SIGTERM', () => void mid.stop());
   * ```
   */
  stop(options?: StopOptions): Promise<void>;
}

/**
 * @throws MidcallError `server/setup` for a key that cannot be used; TypeError for an option that is unknown or not what it may be
 * @example
 * ```ts
 * const mid = midcall({ key, store, principal: ({ http }) => principalOf(http?.authInfo) });
 * ```
 */
export function midcall(options: MidcallOptions = {}): Midcall {
  const config = configure(options);
  const dispatch = dispatcher(config);
  const tasks = new TaskPart(config);
  const waiting = waitingKinds(tasks, config);
  let stopping: Promise<void> | undefined;
  let closed: Promise<unknown> | undefined;
  const instance: Instance = {
    servedBy: new Set(),
    unstoredKey: options.store || config.keys.ephemeral ? undefined : config.keys.keys[0]?.id,
    warn: config.warn,
    begin() {
      config.stops.begin();
      tasks.release();
    },
    idle: async () => void (await Promise.all([dispatch.idle(), tasks.idle()])),
    end() {
      config.stops.end();
      tasks.leave();
    },
    async close() {
      closed ??= Promise.all([tasks.close(), config.pages?.close()]).finally(() => config.wake.close());
      await closed;
    },
  };
  const wrapped = new WeakMap<McpServer, Wrapped>();
  const findTool =
    (server: McpServer) =>
    (name: string): ResumableTool | undefined =>
      wrapped.get(server)?.tools.get(name);
  const mayBecomeTask = (server: McpServer, call: CallHandler): CallHandler =>
    callsMayBecomeTasks(
      server,
      call,
      tasks,
      name => findTool(server)(name)?.registered ?? wrapped.get(server)?.gateway,
    );
  const wrap = (server: McpServer): Wrapped => {
    const before = wrapped.get(server);
    if (before) return before;
    recognize(server);
    belongsTo(server, instance);
    const names = new Set<string>();
    markReplayable(server, {
      isReplayable: (method, { name }) => names.has(method) || names.has(`${method} ${name ?? ''}`),
      endAbandoned: dispatch.endAbandoned,
    });
    refuseRegistered(server);
    const handlers = new OwnHandlers(server, dispatch.refused);
    const wrapping: Wrapped = { handlers, names, tools: new Map(), hasCards: false, hasTasks: false };
    wrapped.set(server, wrapping);
    const call = mayBecomeTask(server, ({ params }, ctx) => handlers.callTool(params, ctx));
    frontOf(server).take('tools/call', ({ name, task }) =>
      handlers.hasTool(name) || (task !== undefined && takesTaskParameter(server)) ? asCall(call) : undefined,
    );
    const find = findTool(server);
    if (config.cards) listCards(server, name => find(name)?.registered.cards === 'yes');
    if (config.resume) {
      listResume(server, config.resume);
      registerResume(server, handlers, dispatch, find);
      names.add('tools/call resume');
    }
    return wrapping;
  };

  /** Registered with the first tool: a server without tools of ours asks nothing on cards. */
  const withCards = (server: McpServer, wrapping: Wrapped): void => {
    if (!config.cards || wrapping.hasCards) return;
    wrapping.hasCards = true;
    registerCard(server, wrapping.handlers, dispatch, findTool(server));
    wrapping.names.add(`tools/call ${CARD_TOOL}`);
  };

  const withTasks = (server: McpServer, wrapping: Wrapped): void => {
    if (wrapping.hasTasks) return;
    wrapping.hasTasks = true;
    serveTasks(server, tasks);
  };

  function resource(
    server: McpServer,
    name: string,
    uriOrTemplate: string | ResourceTemplate,
    config: ResourceConfig,
    handler: (
      uri: URL,
      call: Call,
      variables: Readonly<Record<string, string | string[]>>,
    ) => ResourceAnswer | Promise<ResourceAnswer>,
  ): never {
    checkRegistration('mid.resource', { server, name, config, handler });
    checkKind('mid.resource', 'the third argument', uriOrTemplate, addressKind);
    const { version = '', ...metadata } = config;
    const { handlers } = wrap(server);
    const registered = { method: 'resources/read', version, mayFallBack: true } as const;
    const resource =
      typeof uriOrTemplate === 'string'
        ? server.registerResource(name, uriOrTemplate, metadata, notThroughFront)
        : server.registerResource(name, uriOrTemplate, metadata, notThroughFront);
    handlers.resource(typeof uriOrTemplate === 'string' ? uriOrTemplate : name, resource, (uri, variables, received) =>
      dispatch.run(received, registered, async call =>
        resourceResult(await handler(uri, call, variables), uri, metadata.mimeType),
      ),
    );
    return resource as never;
  }

  const mid: Midcall = {
    tool(server: McpServer, name, config, handler) {
      checkRegistration('mid.tool', { server, name, config, handler });
      checkOptions<ToolConfig<StandardSchemaWithJSON | undefined>>('mid.tool', config, toolKinds);
      const { version = '', task = 'when-needed', ...rest } = config;
      const described = {
        ...rest,
        ...(rest.inputSchema && { inputSchema: boundedSchema('mid.tool', name, rest.inputSchema) }),
      };
      const wrapping = wrap(server);
      withCards(server, wrapping);
      if (task !== 'never') {
        withTasks(server, wrapping);
        tasks.offer(server, name);
      }
      const { annotations } = described;
      const structured = described.outputSchema !== undefined;
      const registered = {
        method: 'tools/call',
        version,
        mayFallBack: isHarmless(annotations),
        structured,
        cards: cardsFor(described),
        task,
      } as const;
      const runHandler = async (args: unknown, call: Call) => toolResult(await handler(args as never, call));
      wrapping.names.add(`tools/call ${name}`);
      wrapping.tools.set(name, {
        registered,
        read: raw => readArguments(tool.inputSchema, raw),
        run: runHandler,
      });
      const tool = boundUpdates(
        'mid.tool',
        name,
        server.registerTool(name, described as object, notThroughFront),
        'paramsSchema',
      );
      wrapping.handlers.tool(name, tool, (args, received, finish) =>
        dispatch.run(received, registered, call => runHandler(args ?? {}, call), finish),
      );
      // Listed on 2025-11-25 only; the SDK leaves it out of later revisions.
      tool.execution = { taskSupport: taskSupport[task] };
      return tool;
    },
    prompt(server: McpServer, name, config, handler) {
      checkRegistration('mid.prompt', { server, name, config, handler });
      checkOptions<PromptConfig<StandardSchemaWithJSON | undefined>>('mid.prompt', config, promptKinds);
      const { version = '', ...rest } = config;
      const described = {
        ...rest,
        ...(rest.argsSchema && { argsSchema: boundedSchema('mid.prompt', name, rest.argsSchema) }),
      };
      const { handlers, names } = wrap(server);
      names.add(`prompts/get ${name}`);
      const registered = { method: 'prompts/get', version, mayFallBack: true } as const;
      const prompt = boundUpdates(
        'mid.prompt',
        name,
        server.registerPrompt(name, described as object, notThroughFront),
        'argsSchema',
      );
      handlers.prompt(name, prompt, (args, received) =>
        dispatch.run(received, registered, async call => promptResult(await handler(args as never, call))),
      );
      return prompt;
    },
    resource: resource as Midcall['resource'],
    handle(server: McpServer, method, handler, options = {}) {
      checkKind('mid.handle', 'the first argument', server, mcpServerKind);
      checkKind('mid.handle', 'the method', method, oneOf(...askingMethods));
      checkKind('mid.handle', 'the handler', handler, func);
      checkOptions<GatewayOptions>('mid.handle', options, { task: taskKind, cards: func });
      const { task = 'never', cards } = options;
      if (task !== 'never' && method !== 'tools/call')
        throw new TypeError(`mid.handle: only calls of tools become tasks, not ${method}.`);
      if (config.resume) {
        throw new MidcallError(
          'server/setup',
          'mid.handle answers for every tool, and leaves no place for `resume`: give midcall() no pages, no inbox and no relay.',
        );
      }
      const wrapping = wrap(server);
      wrapping.names.add(method);
      const registered: Registered = {
        method,
        version: '',
        mayFallBack: false,
        gateway: true,
        task,
        ...(cards && { cards }),
      };
      if (task !== 'never') {
        withTasks(server, wrapping);
        wrapping.gateway = registered;
        tasks.offer(server);
      }
      // What the SDK registers for this method from now on would not be called.
      server.server.setRequestHandler(method, notThroughFront);
      const run = async (params: Handled['params'], ctx: ServerContext, call: Call): Promise<unknown> => {
        const result = await handler({ params, ctx }, call as GatewayCall);
        return method === 'tools/call' ? withContent(result) : result;
      };
      const respond: Respond = (params, ctx) =>
        dispatch.run({ server, ctx, params }, registered, call => run(params, ctx, call));
      const called =
        method === 'tools/call' ? asCall(mayBecomeTask(server, ({ params }, ctx) => respond(params, ctx))) : respond;
      if (method === 'resources/read') wrapping.gatewayReads = called;
      if (method !== 'tools/call' || !config.cards || !cards) {
        if (method !== 'resources/read') frontOf(server).take(method, () => called);
        else frontOf(server).take(method, ({ uri }) => (config.cards && uri === CARD_URI ? readCard : called));
        return;
      }
      const find = (name: string): ResumableTool => ({
        registered,
        read: async raw => raw,
        run: async (args, call, ctx) => (await run({ name, arguments: args }, ctx, call)) as CallToolResult,
      });
      const answer: Respond = async (params, ctx) => {
        const ticket = own(params['arguments'], 'ticket');
        // A server behind the gateway may ask on cards itself.
        const isOurs = typeof ticket !== 'string' || (await dispatch.hasTicket(ticket));
        return isOurs ? answerAtGateway({ server, ctx, params }, { dispatch, find }) : called(params, ctx);
      };
      frontOf(server).take(method, ({ name }) => (name === CARD_TOOL ? answer : called));
      frontOf(server).take('resources/read', ({ uri }) => (uri === CARD_URI ? readCard : wrapping.gatewayReads));
    },
    wrap(server) {
      checkKind('mid.wrap', 'the first argument', server, mcpServerKind);
      wrap(server as unknown as McpServer);
      return server;
    },
    files: (server: McpServer, ctx) => dispatch.files(server, ctx),
    listed: (server: McpServer, ctx, tools, hasCard) =>
      listedByGateway(tools, config.cards && viewClient(server, ctx).apps, hasCard),
    client: aboutClient,
    withoutClient: (handler, annotations) => runUnattended(handler, isHarmless(annotations), config),
    allow(ceiling) {
      config.ceiling = ceilingOf({ ...options.roots, ceiling });
    },
    calls: () => config.waiting.read(waiting, config.warn),
    async cancel(id) {
      checkKind('mid.cancel', 'the id', id, text);
      return config.waiting.cancel(id, waiting);
    },
    stop(how = {}) {
      checkOptions('mid.stop', how, stopKinds);
      stopping ??= stopParts([instance], how, config.clock);
      return stopping;
    },
  };
  /** Reports what a registration throws: the SDK tells nobody what a factory throws. */
  const reported = <F extends (...args: never[]) => unknown>(register: F): F =>
    ((...args) => {
      try {
        return register(...args);
      } catch (error) {
        config.onError(error, undefined);
        throw error;
      }
    }) as F;
  return {
    ...mid,
    tool: reported(mid.tool),
    prompt: reported(mid.prompt),
    resource: reported(mid.resource),
    handle: reported(mid.handle),
    wrap: reported(mid.wrap),
  };
}

/** What is registered at one server. */
interface Wrapped {
  readonly handlers: OwnHandlers;
  /** What is ours, by method and name; a server may also have plain tools. */
  readonly names: Set<string>;
  readonly tools: Map<string, ResumableTool>;
  /** The settings of `mid.handle` for every tool. */
  gateway?: Registered;
  /** Answers for the resources of a gateway. */
  gatewayReads?: Respond;
  hasCards: boolean;
  hasTasks: boolean;
}

const readCard: Respond = async () => cardResource();

/** A handler of calls as the front calls it. */
const asCall =
  (call: CallHandler): Respond =>
  (params, ctx) =>
    call({ method: 'tools/call', params: params as never }, ctx);

/** @throws MidcallError `server/setup` if tools, prompts or resources were registered before */
function refuseRegistered({ server }: McpServer): void {
  for (const method of askingMethods) {
    try {
      server.assertCanSetRequestHandler(method);
    } catch {
      throw new MidcallError(
        'server/setup',
        `This server already handles ${method}, so what its handlers are given cannot be checked. Create it without ` +
          'capabilities for tools, prompts and resources (registering one declares it; declare more with ' +
          'server.server.registerCapabilities), and call mid.wrap(server) before the first registration; plain tools ' +
          'registered after that work unchanged.',
      );
    }
  }
}
