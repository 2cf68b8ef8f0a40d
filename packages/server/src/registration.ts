/** What tools, prompts and resources are registered with, and what their handlers return. */
import { MidcallError, nothingNow } from '@midcall/core/errors';
import { describe, type StandardForm } from '@midcall/core/form';
import { isForModels, isRecord, own } from '@midcall/core/json';
import { type ArgumentCost, argumentCost } from '@midcall/core/json-schema';
import {
  anything,
  checkKind,
  func,
  type Kind,
  mcpServerKind,
  name as nameKind,
  oneOf,
  schemaKind,
  text,
} from '@midcall/core/options';
import type {
  CallToolResult,
  GetPromptResult,
  Icon,
  ReadResourceResult,
  ResourceMetadata,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { TaskMode, ToolCards } from './request/index.ts';

interface Described {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: Icon[];
  readonly _meta?: Record<string, unknown>;
  /**
   * Changed by the author when a handler changes so that an answer given to the old one must not reach the new one:
   * calls in flight are then refused and start again.
   */
  readonly version?: string;
}

/** How a tool is listed, as in the SDK; the annotations decide what a question may fall back to. */
export interface ToolConfig<I extends StandardSchemaWithJSON | undefined> extends Described {
  readonly inputSchema?: I;
  readonly outputSchema?: StandardSchemaWithJSON;
  readonly annotations?: ToolAnnotations;
  /**
   * When a call of it becomes a task (extension `io.modelcontextprotocol/tasks`), for clients that have tasks. `when-needed`,
   * the default: when it would outlive its request, because it runs long or asks more often than a client allows. `always`: at
   * once. `required`: at once, and clients without tasks are refused. `never`: not at all.
   */
  readonly task?: TaskMode;
}

/** How a prompt is listed, as in the SDK. */
export interface PromptConfig<A extends StandardSchemaWithJSON | undefined> extends Described {
  readonly argsSchema?: A;
}

/** How a resource is listed, as in the SDK. */
export interface ResourceConfig extends ResourceMetadata {
  readonly version?: string;
}

/** What the handler of a tool returns: a text, or the whole result. */
export type ToolAnswer = CallToolResult | string;
/** What the handler of a prompt returns: the text of one message, or the whole result. */
export type PromptAnswer = GetPromptResult | string;
/** What the handler of a resource returns: the text of the resource that was read, or the whole result. */
export type ResourceAnswer = ReadResourceResult | string;

/** How a tool's `task` is listed on 2025-11-25. */
export const taskSupport = {
  never: 'forbidden',
  'when-needed': 'optional',
  always: 'optional',
  required: 'required',
} as const;
export const taskKind = oneOf('never', 'when-needed', 'always', 'required');
const described = { title: text, description: text, icons: anything, _meta: anything, version: text };
/** The SDK lists a tool by the JSON Schema of its schemas, and would find out only then that there is none. */
const describedKind: Kind = {
  words:
    "a schema that describes itself as JSON Schema ('~standard.jsonSchema'), such as z.object({ … }) of Zod 4.2 or newer",
  fits: value =>
    schemaKind.fits(value) && typeof (value as StandardSchemaWithJSON)['~standard'].jsonSchema?.output === 'function',
};
export const toolKinds = {
  ...described,
  inputSchema: schemaKind,
  outputSchema: describedKind,
  annotations: anything,
  task: taskKind,
};
export const promptKinds = { ...described, argsSchema: schemaKind };
export const addressKind: Kind = {
  words: 'a URI or a ResourceTemplate',
  fits: value => typeof value === 'string' || (typeof value === 'object' && value !== null && 'uriTemplate' in value),
};

const configKind: Kind = { words: 'an object, such as {}, and the handler comes after it', fits: isRecord };

/** @throws TypeError that names the wrong argument */
export function checkRegistration(
  place: string,
  registration: { server: unknown; name: unknown; config: unknown; handler: unknown },
): void {
  checkKind(place, 'the first argument', registration.server, mcpServerKind);
  checkKind(place, 'the name', registration.name, nameKind);
  checkKind(place, 'the config', registration.config, configKind);
  checkKind(place, 'the handler', registration.handler, func);
}

/** schema.json, `ToolAnnotations`: a tool may be destructive unless it says otherwise. */
export const isHarmless = (annotations: ToolAnnotations | undefined): boolean =>
  annotations?.readOnlyHint === true || annotations?.destructiveHint === false;

/** Whether our App may show the results of a tool. */
export function cardsFor(config: Pick<ToolConfig<undefined>, 'outputSchema' | '_meta'>): ToolCards {
  const { outputSchema, _meta } = config;
  // A tool that only an App calls has no results of its own on the page.
  if (own(own(_meta, 'ui'), 'resourceUri') !== undefined || !isForModels(config)) return 'own-app';
  return outputSchema === undefined || admitsNothing(outputSchema) ? 'yes' : 'structured';
}

/** True if structured content may be an empty object, as in the result of a call that waits. */
function admitsNothing(schema: StandardSchemaWithJSON): boolean {
  const read = schema['~standard'].validate({});
  return !(read instanceof Promise) && !read.issues;
}

const costs = new WeakMap<StandardSchemaWithJSON, ArgumentCost>();

/**
 * A schema that refuses to judge what the engine of its library could take forever to match: arguments come from strangers,
 * and its patterns backtrack. What a refinement does is the author's own business.
 * @throws TypeError if it has a pattern whose cost cannot be counted
 */
export function boundedSchema<S extends StandardSchemaWithJSON | undefined>(place: string, name: string, schema: S): S {
  if (schema === undefined) return schema;
  const cost = costs.get(schema) ?? argumentCost(describe(schema as StandardForm));
  costs.set(schema, cost);
  if (cost.uncounted !== undefined)
    throw new TypeError(
      `${place} '${name}': the arguments have a pattern with a lookbehind or a backreference, or too large a one, so a text could ` +
        `keep its engine busy without end: ${cost.uncounted.slice(0, 200)}. Use a simpler pattern, or check the text in the handler.`,
    );
  const standard = schema['~standard'];
  const message = 'A text takes too long to check against its pattern: send a shorter one.';
  const bounded = {
    ...standard,
    validate: (value: unknown) => (cost.isWithin(value) ? standard.validate(value) : { issues: [{ message }] }),
  };
  // With all other members of the schema: the SDK finds what completes an argument in its `shape`.
  return Object.create(schema, { '~standard': { value: bounded, enumerable: true } }) as S;
}

/** Makes {@link boundedSchema} of the schemas too that its author gives a registered tool or prompt later. */
export function boundUpdates<T extends { update: (updates: never) => void }>(
  place: string,
  name: string,
  registered: T,
  member: 'paramsSchema' | 'argsSchema',
): T {
  const update = registered.update.bind(registered) as (updates: object) => void;
  registered.update = ((updates: { readonly [K in typeof member]?: StandardSchemaWithJSON }) => {
    const schema = updates[member];
    update(schema ? { ...updates, [member]: boundedSchema(`${place} … update`, name, schema) } : updates);
  }) as T['update'];
  return registered;
}

/** Parses raw arguments as the SDK does for a first call. */
export async function readArguments(schema: StandardSchemaWithJSON | undefined, raw: unknown): Promise<unknown> {
  if (!schema) return {};
  const read = await schema['~standard'].validate(raw ?? {});
  if (read.issues)
    throw new MidcallError('state/invalid', `The arguments of the waiting call no longer fit its tool. ${nothingNow}`);
  return read.value;
}
