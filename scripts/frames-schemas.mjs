/** The schemas that frames are judged by (frames-judge.mjs): those of the SDK, and a revision's own where it is given. */
import { specTypeSchemas } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';

const noResult = new Set(['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/**
 * @param spec - revision -> its JSON Schema, or undefined
 * @returns `(revision, name, value)` -> lines that say what is wrong; a name is a type's, or `method M` or
 *   `result M` for what a method says or comes back with
 */
export function schemas(spec) {
  const ofSdk = sdkValidator();
  const ofRevision = new Map();
  return (revision, name, value) => {
    if (!ofRevision.has(revision)) ofRevision.set(revision, specValidator(spec(revision)));
    return [...ofSdk(revision, name, value), ...ofRevision.get(revision)(name, value)];
  };
}

/** Type of a method's frame -> the methods, as the schema itself says. */
function methodsOf(entries) {
  const methods = new Map(
    entries
      .filter(([name, method]) => typeof method === 'string' && /(Request|Notification)$/.test(name))
      .map(([name, method]) => [method, name]),
  );
  if (methods.size < 15) throw new Error(`Only ${methods.size} methods were found in the schemas.`);
  return methods;
}

function typeOf(name, methods) {
  const [kind, method] = name.split(' ');
  if (method === undefined) return name;
  const type = methods.get(method);
  if (kind !== 'result') return type;
  return noResult.has(method) ? 'EmptyResult' : type?.replace(/Request$/, 'Result');
}

/** The SDK has one schema for both revisions; where they differ, it has that of 2025-11-25. */
function asOlder(revision, type, value) {
  const isUrl = type === 'ElicitRequest' && value?.params?.mode === 'url';
  if (!isUrl || revision === '2025-11-25') return value;
  return { ...value, params: { elicitationId: 'none in this revision', ...value.params } };
}

const withTools = { CreateMessageResult: 'CreateMessageResultWithTools' };

function sdkValidator() {
  const methods = methodsOf(
    Object.entries(specTypeSchemas).map(([name, schema]) => [name, schema.shape?.method?.value]),
  );
  return (revision, name, value) => {
    const type = typeOf(name, methods);
    const schema = specTypeSchemas[withTools[type] ?? type];
    const issues = schema?.['~standard'].validate(asOlder(revision, type, value)).issues ?? [];
    return issues.map(
      ({ path = [], message }) => `SDK ${type}${path.map(each => `/${String(each)}`).join('')}: ${message}`,
    );
  };
}

/** A schema may say that the numbers of forms and answers are whole, which no revision's text does. */
function mendNumbers({ NumberSchema, ElicitResult }) {
  for (const bound of ['minimum', 'maximum', 'default']) {
    if (NumberSchema?.properties?.[bound]) NumberSchema.properties[bound] = { type: 'number' };
  }
  for (const answer of ElicitResult?.properties?.content?.additionalProperties?.anyOf ?? []) {
    if (Array.isArray(answer.type)) answer.type = [...answer.type, 'number'];
  }
}

function specValidator(schema) {
  if (schema === undefined) return () => [];
  const { $schema, $defs } = schema;
  mendNumbers($defs);
  const ajv = new AjvJsonSchemaValidator();
  const compiled = new Map();
  const methods = methodsOf(Object.entries($defs).map(([name, each]) => [name, each.properties?.method?.const]));
  const check = type => {
    if (!compiled.has(type)) compiled.set(type, ajv.getValidator({ $schema, $defs, $ref: `#/$defs/${type}` }));
    return compiled.get(type);
  };
  return (name, value) => {
    const type = typeOf(name, methods);
    if (type === undefined || !(type in $defs)) return [];
    const { valid, errorMessage } = check(type)(value);
    return valid ? [] : [`${type}: ${errorMessage}`];
  };
}
