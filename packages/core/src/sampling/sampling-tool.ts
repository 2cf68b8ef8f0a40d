/**
 * A tool a server offers to the model within one sampling request. Its schema is any Standard Schema that can also give
 * its JSON Schema; whatever goes wrong inside it becomes an error result the model can read, never an exception.
 */

import { MidcallError } from '../errors/index.ts';
import { checkOptions, func, name, required, schemaKind, text } from '../options/index.ts';
import { readToolOutput } from './check-content.ts';
import { describeIssues, Findings, isSafeJson, quoted } from './findings.ts';
import type {
  JsonObject,
  SamplingToolDefinition,
  ToolOutputContent,
  ToolResultContent,
  ToolUseContent,
} from './wire.ts';

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type Validated<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** A Standard Schema with Standard JSON Schema: Zod 4.2 and later, ArkType, Valibot through its adapter. */
export interface ToolInputSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly jsonSchema: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** A Standard Schema that can also give the JSON Schema of its output. */
export interface ToolOutputSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<unknown> | Promise<Validated<unknown>>;
    readonly jsonSchema: {
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/** The input of a tool's `run`, once the schema has accepted the model's arguments. */
export type ToolInput<S extends ToolInputSchema> = NonNullable<S['~standard']['types']>['output'];

/** A tool's result: a text, blocks, or blocks with a structured value. */
export type ToolOutput =
  | string
  | readonly ToolOutputContent[]
  | {
      readonly content: readonly ToolOutputContent[];
      /** JSON; fits `output` if the tool has one. */
      readonly structuredContent?: unknown;
      readonly isError?: boolean;
    };

/** A tool's second argument. */
export interface ToolRunContext {
  /** The model's id for this use; unique within its message. */
  readonly id: string;
  readonly signal: AbortSignal;
}

/** A tool whose types are settled; see {@link samplingTool}. */
export interface SamplingTool {
  /** The definition that the model sees. */
  readonly definition: SamplingToolDefinition;
  /**
   * Runs the tool once. Invalid arguments, a thrown error and an unusable output become an error result.
   * @throws the signal's reason, if it has fired
   */
  answer(use: ToolUseContent, options: { readonly signal: AbortSignal }): Promise<ToolResultContent>;
}

/**
 * Makes a tool for `sampleWithTools`.
 * @param tool - `name`: 1 to 64 letters, digits, `_` or `-`, which every provider takes; `description`: for the model;
 *   `input`: schema of the arguments, an object at the root; `output`: schema of `structuredContent`, an object at the
 *   root, which every result that is no error then has and keeps to; `run`: is given the schema's output. The message of
 *   an error it throws is read by the model and shown to the person: keep secrets out of it.
 * @throws MidcallError `sampling/invalid` if the name or the schema cannot be offered
 * @example
 * ```ts
 * const search = samplingTool({
 *   name: 'search',
 *   description: 'Finds notes by words.',
 *   input: z.object({ words: z.string() }),
 *   run: async ({ words }) => (await notes.find(words)).join('\n'),
 * });
 * ```
 */
export function samplingTool<const S extends ToolInputSchema>(tool: {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  readonly output?: ToolOutputSchema;
  run(input: ToolInput<S>, context: ToolRunContext): ToolOutput | Promise<ToolOutput>;
}): SamplingTool {
  checkOptions('samplingTool', tool as Omit<typeof tool, never>, {
    name: required(name),
    description: required(text),
    input: required(schemaKind),
    output: schemaKind,
    run: required(func),
  });
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(tool.name))
    throw new MidcallError(
      'sampling/invalid',
      `The tool name ${quoted(tool.name)} is not valid: use 1 to 64 letters, digits, "_" or "-".`,
    );
  const schema = tool.input['~standard'];
  const output = tool.output?.['~standard'];
  return {
    definition: {
      name: tool.name,
      description: tool.description,
      inputSchema: jsonSchemaOf(`input schema of ${tool.name}`, schema.jsonSchema, 'input'),
      ...(output && {
        outputSchema: jsonSchemaOf(`output schema of ${tool.name}`, output.jsonSchema, 'output'),
      }),
    },
    async answer(use, { signal }) {
      signal.throwIfAborted();
      try {
        const checked = await schema.validate(use.input);
        if (checked.issues) return errorResult(use, refusedArguments(tool.name, checked.issues));
        const result = toResult(use, await tool.run(checked.value as ToolInput<S>, { id: use.id, signal }));
        if (!output || result.isError) return result;
        const { issues } = await output.validate(result.structuredContent);
        return issues ? errorResult(use, offSchema(tool.name, issues)) : result;
      } catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof Error && error.message !== '' ? error.message : 'it gave no reason.';
        return errorResult(use, `The tool ${tool.name} failed: ${reason.slice(0, 2_000)}`);
      }
    },
  };
}

/**
 * Answers a tool use with the tool it names; an unknown name becomes an error result that lists the known ones.
 * @example
 * ```ts
 * const use = { type: 'tool_use', id: '1', name: 'search', input: { words: 'soup' } } as const;
 * const result = await answerToolUse([searchTool], use, { signal: call.signal });
 * ```
 */
export async function answerToolUse(
  tools: readonly SamplingTool[],
  use: ToolUseContent,
  options: { readonly signal: AbortSignal },
): Promise<ToolResultContent> {
  const tool = tools.find(each => each.definition.name === use.name);
  if (tool) return tool.answer(use, options);
  const names = tools.map(each => each.definition.name).join(', ') || 'none';
  return errorResult(use, `There is no tool called ${quoted(use.name)}. The tools are: ${names}.`);
}

/** A tool result that says what went wrong. */
export function errorResult(use: ToolUseContent, text: string): ToolResultContent {
  return { type: 'tool_result', toolUseId: use.id, content: [{ type: 'text', text }], isError: true };
}

const dialect = { target: 'draft-2020-12' } as const;

type Writer<K extends string> = Readonly<Record<K, (options: typeof dialect) => Record<string, unknown>>>;

function jsonSchemaOf<K extends string>(what: string, writer: Writer<K> | undefined, side: K): JsonObject {
  if (typeof writer?.[side] !== 'function')
    throw new MidcallError(
      'sampling/invalid',
      `The ${what} has no Standard JSON Schema. Use Zod 4.2 or later, ArkType, or Valibot through @valibot/to-json-schema.`,
    );
  const { $schema: _, ...schema } = writer[side](dialect);
  if (schema['type'] !== 'object') throw new MidcallError('sampling/invalid', `The ${what} must describe an object.`);
  return schema;
}

const refusedArguments = (name: string, issues: readonly SchemaIssue[]): string =>
  `The arguments for ${name} were not accepted:\n${listed('arguments', issues)}`;

const offSchema = (name: string, issues: readonly SchemaIssue[]): string =>
  `The tool ${name} gave structured content that breaks its output schema:\n${listed('structuredContent', issues)}`;

function listed(whole: string, issues: readonly SchemaIssue[]): string {
  const lines = issues.slice(0, 20).map(issue => {
    const path = (issue.path ?? []).map(step => String(typeof step === 'object' ? step.key : step)).join('.');
    return `- ${path === '' ? whole : path}: ${issue.message}`;
  });
  return lines.join('\n').slice(0, 4_000);
}

function toResult(use: ToolUseContent, output: ToolOutput): ToolResultContent {
  const whole =
    typeof output === 'string'
      ? { content: [{ type: 'text', text: output } as const] }
      : 'content' in output
        ? output
        : { content: output };
  const findings = new Findings();
  const content = whole.content.map((block, index) => readToolOutput(findings, `content[${index}]`, block));
  isSafeJson(findings, 'structuredContent', whole.structuredContent);
  if (findings.issues.length > 0 || !content.every(block => block !== undefined))
    return errorResult(
      use,
      `The tool ${use.name} gave an output that cannot be sent. ${describeIssues(findings.issues)}`,
    );
  return {
    type: 'tool_result',
    toolUseId: use.id,
    content,
    ...(whole.structuredContent !== undefined && { structuredContent: whole.structuredContent }),
    ...(whole.isError !== undefined && { isError: whole.isError }),
  };
}
