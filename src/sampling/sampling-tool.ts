/**
 * A tool a server offers to the model within one sampling request. Its schema is any Standard Schema that can also give
 * its JSON Schema; whatever goes wrong inside it becomes an error result the model can read, never an exception.
 */
import { MidcallError } from '../errors.ts';
import { readToolOutput } from './check-content.ts';
import { describeIssues, Findings, quoted } from './issue.ts';
import type { JsonObject, ToolOutputContent, ToolResultContent, ToolUseContent } from './message.ts';
import { isSafeJson } from './read-json.ts';
import type { SamplingToolDefinition } from './request.ts';

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

/** What a tool's `run` is given, once the schema has accepted the model's arguments. */
export type ToolInput<S extends ToolInputSchema> = NonNullable<S['~standard']['types']>['output'];

/** What a tool hands back: a text, blocks, or blocks with a structured value beside them. */
export type ToolOutput =
  | string
  | readonly ToolOutputContent[]
  | {
      readonly content: readonly ToolOutputContent[];
      /** JSON. */
      readonly structuredContent?: unknown;
      readonly isError?: boolean;
    };

export interface ToolRunContext {
  /** The model's id for this use; unique within its message. */
  readonly id: string;
  readonly signal: AbortSignal;
}

/** A tool whose types are settled; see {@link samplingTool}. */
export interface SamplingTool {
  /** What the model sees. */
  readonly definition: SamplingToolDefinition;
  /**
   * Runs the tool once. Arguments that break the schema, a throw and an unusable output become an error result.
   * @throws the signal's reason, where it has fired
   */
  answer(use: ToolUseContent, options: { readonly signal: AbortSignal }): Promise<ToolResultContent>;
}

/**
 * Makes a tool for `sampleWithTools`.
 * @param tool - `name`: 1 to 64 letters, digits, `_` or `-`, which every provider takes; `description`: for the model;
 *   `input`: schema of the arguments, an object at the root; `run`: is given the schema's output. The message of an
 *   error it throws is read by the model and shown to the person: keep secrets out of it.
 * @throws MidcallError `sampling/invalid` where the name or the schema cannot be offered
 */
export function samplingTool<const S extends ToolInputSchema>(tool: {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  run(input: ToolInput<S>, context: ToolRunContext): ToolOutput | Promise<ToolOutput>;
}): SamplingTool {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(tool.name))
    throw new MidcallError(
      'sampling/invalid',
      `The tool name ${quoted(tool.name)} will not do: use 1 to 64 letters, digits, "_" or "-".`,
    );
  const schema = tool.input['~standard'];
  return {
    definition: { name: tool.name, description: tool.description, inputSchema: inputSchemaOf(tool.name, schema) },
    async answer(use, { signal }) {
      signal.throwIfAborted();
      try {
        const checked = await schema.validate(use.input);
        if (checked.issues) return errorResult(use, refusedArguments(tool.name, checked.issues));
        return toResult(use, await tool.run(checked.value as ToolInput<S>, { id: use.id, signal }));
      } catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof Error && error.message !== '' ? error.message : 'it gave no reason.';
        return errorResult(use, `The tool ${tool.name} failed: ${reason.slice(0, 2_000)}`);
      }
    },
  };
}

/** Answers one use with the tool it names; an unknown name becomes an error result that lists the known ones. */
export async function answerToolUse(
  tools: readonly SamplingTool[],
  use: ToolUseContent,
  options: { readonly signal: AbortSignal },
): Promise<ToolResultContent> {
  const tool = tools.find(each => each.definition.name === use.name);
  if (tool) return tool.answer(use, options);
  const known = tools.map(each => each.definition.name).join(', ') || 'none';
  return errorResult(use, `There is no tool called ${quoted(use.name)}. The tools are: ${known}.`);
}

/** A tool result that says what went wrong. */
export function errorResult(use: ToolUseContent, text: string): ToolResultContent {
  return { type: 'tool_result', toolUseId: use.id, content: [{ type: 'text', text }], isError: true };
}

function inputSchemaOf(name: string, schema: ToolInputSchema['~standard']): JsonObject {
  if (typeof schema?.jsonSchema?.input !== 'function')
    throw new MidcallError(
      'sampling/invalid',
      `The input schema of ${name} has no Standard JSON Schema. Use Zod 4.2 or later, ArkType, or Valibot through @valibot/to-json-schema.`,
    );
  const { $schema: _, ...inputSchema } = schema.jsonSchema.input({ target: 'draft-2020-12' });
  if (inputSchema['type'] !== 'object')
    throw new MidcallError('sampling/invalid', `The input schema of ${name} must describe an object.`);
  return inputSchema;
}

function refusedArguments(name: string, issues: readonly SchemaIssue[]): string {
  const lines = issues.slice(0, 20).map(issue => {
    const path = (issue.path ?? []).map(step => String(typeof step === 'object' ? step.key : step)).join('.');
    return `- ${path === '' ? 'arguments' : path}: ${issue.message}`;
  });
  return `The arguments for ${name} were not accepted:\n${lines.join('\n').slice(0, 4_000)}`;
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
