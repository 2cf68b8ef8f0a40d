/** The schemas that frames are judged by (frames-judge.ts): those of the SDK, and a revision's own where it is given. */
import { specTypeSchemas } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import type { Validate } from './frames-judge.ts';

type Methods = ReadonlyMap<string, string>;
type ByName = (name: string, value: unknown) => string[];

/** The members of a JSON Schema that are looked at here. */
interface Schema {
  readonly $schema?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema;
  properties?: Record<string, Schema>;
  type?: string | string[];
}

/** The members of one of the SDK's schemas that are looked at here. */
interface SdkSchema {
  readonly shape?: { readonly method?: { readonly value?: unknown } };
  readonly '~standard': {
    validate(value: unknown): {
      readonly issues?: readonly { readonly path?: readonly unknown[]; readonly message: string }[];
    };
  };
}

const sdkSchemas = specTypeSchemas as unknown as Readonly<Record<string, SdkSchema>>;

const noResult = new Set(['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/**
 * @param spec - revision -> its JSON Schema, or undefined
 * @returns `(revision, name, value)` -> lines that say what is wrong; a name is a type's, or `method M` or
 *   `result M` for what a method says or comes back with
 */
export function schemas(spec: (revision: string) => object | undefined): Validate {
  const ofSdk = sdkValidator();
  const ofRevision = new Map<string, ByName>();
  return (revision, name, value) => {
    const own = ofRevision.get(revision) ?? specValidator(spec(revision), revision !== 'tasks');
    ofRevision.set(revision, own);
    // The SDK knows the tasks of 2025-11-25 alone.
    return revision === 'tasks' ? own(name, value) : [...ofSdk(revision, name, value), ...own(name, value)];
  };
}

/** Type of a method's frame -> the methods, as the schema itself says. */
function methodsOf(entries: readonly (readonly [name: string, method: unknown])[]): Methods {
  const methods = new Map(
    entries.flatMap(([name, method]) =>
      typeof method === 'string' && /(Request|Notification)$/.test(name) ? [[method, name] as const] : [],
    ),
  );
  if (methods.size < 15) throw new Error(`Only ${methods.size} methods were found in the schemas.`);
  return methods;
}

function typeOf(name: string, methods: Methods): string | undefined {
  const [kind, method] = name.split(' ');
  if (method === undefined) return name;
  const type = methods.get(method);
  if (kind !== 'result') return type;
  return noResult.has(method) ? 'EmptyResult' : type?.replace(/Request$/, 'Result');
}

/** The SDK has one schema for both revisions; where they differ, it has that of 2025-11-25. */
function asOlder(revision: string, type: string | undefined, value: unknown): unknown {
  const { params } = (value ?? {}) as { readonly params?: { readonly mode?: unknown } };
  if (type !== 'ElicitRequest' || params?.mode !== 'url' || revision === '2025-11-25') return value;
  return { ...(value as object), params: { elicitationId: 'none in this revision', ...params } };
}

const withTools: Readonly<Record<string, string>> = { CreateMessageResult: 'CreateMessageResultWithTools' };

function sdkValidator(): Validate {
  const methods = methodsOf(Object.entries(sdkSchemas).map(([name, schema]) => [name, schema.shape?.method?.value]));
  return (revision, name, value) => {
    const type = typeOf(name, methods);
    const schema = type === undefined ? undefined : sdkSchemas[withTools[type] ?? type];
    const issues = schema?.['~standard'].validate(asOlder(revision, type, value)).issues ?? [];
    return issues.map(
      ({ path = [], message }) => `SDK ${type}${path.map(each => `/${String(each)}`).join('')}: ${message}`,
    );
  };
}

/** A schema may say that the numbers of forms and answers are whole, which no revision's text does. */
function mendNumbers({ NumberSchema, ElicitResult }: Readonly<Record<string, Schema>>): void {
  for (const bound of ['minimum', 'maximum', 'default']) {
    if (NumberSchema?.properties?.[bound]) NumberSchema.properties[bound] = { type: 'number' };
  }
  for (const answer of ElicitResult?.properties?.['content']?.additionalProperties?.anyOf ?? []) {
    if (Array.isArray(answer.type)) answer.type = [...answer.type, 'number'];
  }
}

/** @param byMethod - false where types are asked for by their own names alone */
function specValidator(schema: Schema | undefined, byMethod: boolean): ByName {
  if (schema === undefined) return () => [];
  const { $schema, $defs = {} } = schema;
  mendNumbers($defs);
  const ajv = new AjvJsonSchemaValidator();
  const compiled = new Map<string, ReturnType<typeof ajv.getValidator>>();
  const methods: Methods = byMethod
    ? methodsOf(Object.entries($defs).map(([name, each]) => [name, each.properties?.['method']?.const]))
    : new Map();
  const check = (type: string) => {
    const known = compiled.get(type) ?? ajv.getValidator({ $schema, $defs, $ref: `#/$defs/${type}` } as never);
    compiled.set(type, known);
    return known;
  };
  return (name, value) => {
    const type = typeOf(name, methods);
    if (type === undefined || !(type in $defs)) return [];
    const { valid, errorMessage } = check(type)(value);
    return valid ? [] : [`${type}: ${errorMessage}`];
  };
}
