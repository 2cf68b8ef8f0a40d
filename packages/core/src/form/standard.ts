/**
 * Standard Schema with Standard JSON Schema, as much of it as a form needs (standardschema.dev, version 1). Described
 * structurally, so that Zod, ArkType and Valibot through its adapter fit without being imported.
 */

import { MidcallError, messageOf } from '../errors/index.ts';
import type { JsonObject } from '../json/index.ts';

/** A library's verdict on a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One finding of a library. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema that can both judge a value and describe itself as JSON Schema. */
export interface StandardForm<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema: {
      readonly input: (options: {
        readonly target: 'draft-2020-12';
        readonly libraryOptions?: Record<string, unknown>;
      }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** How to get a description from a library that does not provide one itself. */
const adapters: Readonly<Record<string, string>> = {
  valibot: "wrap it: toStandardJsonSchema(schema) from '@valibot/to-json-schema'",
  zod: "use Zod 4.2 or later, and 'zod' instead of 'zod/mini'",
  arktype: 'use ArkType 2.1.28 or later',
};

/**
 * Options that make a library describe what it can and leave the rest blank, so that our error can name the field,
 * which the library's would not. Rules it leaves out stay with its `validate`.
 */
const vendorOptions: Readonly<Record<string, Record<string, unknown>>> = {
  zod: { unrepresentable: 'any' },
  valibot: { errorMode: 'ignore' },
  arktype: { fallback: (context: { readonly base: unknown }) => context.base },
};

/**
 * What a library says its input looks like.
 * @throws MidcallError `form/unsupported` if it cannot say
 */
export function describe(schema: StandardForm): JsonObject {
  const standard = schema['~standard'];
  const vendor = String(standard.vendor);
  if (typeof standard.jsonSchema?.input !== 'function') {
    const way = Object.hasOwn(adapters, vendor)
      ? adapters[vendor]
      : "use a library or adapter that has '~standard.jsonSchema'";
    throw new MidcallError('form/unsupported', `This ${vendor} schema cannot describe itself as JSON Schema; ${way}.`);
  }
  const libraryOptions = Object.hasOwn(vendorOptions, vendor) ? vendorOptions[vendor] : undefined;
  try {
    return standard.jsonSchema.input({ target: 'draft-2020-12', ...(libraryOptions && { libraryOptions }) });
  } catch (cause) {
    const reason = messageOf(cause);
    throw new MidcallError('form/unsupported', `${vendor} cannot describe this schema as JSON Schema: ${reason}`, {
      cause,
    });
  }
}

/** True for a schema of any library that follows Standard Schema. */
export function isStandard(input: unknown): input is StandardForm {
  return ((typeof input === 'object' && input !== null) || typeof input === 'function') && '~standard' in input;
}

/**
 * Asks a library once. Zod's `validate` first tries synchronously, and if a refinement turns out to be asynchronous (or throws)
 * runs all of them a second time, so its own asynchronous method is used.
 */
export async function askLibrary<Output>(
  schema: StandardForm<unknown, Output>,
  value: unknown,
): Promise<StandardResult<Output>> {
  const standard = schema['~standard'];
  const zod = schema as { readonly safeParseAsync?: (value: unknown) => Promise<ZodResult<Output>> };
  if (standard.vendor !== 'zod' || typeof zod.safeParseAsync !== 'function') return standard.validate(value);
  const parsed = await zod.safeParseAsync(value);
  return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues };
}

type ZodResult<Output> =
  | { readonly success: true; readonly data: Output }
  | { readonly success: false; readonly error: { readonly issues: readonly StandardIssue[] } };
