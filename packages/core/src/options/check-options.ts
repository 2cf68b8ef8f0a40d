/**
 * Checks the options of a factory once, before anything is built. TypeScript reports the same in an editor; this reports it in
 * plain JavaScript, and before a server runs with a typo in `principal` or `authenticate`.
 *
 * - options-O1 A name that is not an option is refused; the error suggests the one that was probably meant.
 * - options-O2 A missing or wrong option is named, with what it must be and what was given: its kind, its size, a number. No
 *   text is repeated, since it may be a key.
 * - options-O3 `undefined` is the same as absent.
 */
import { isRecord } from '../json/index.ts';

/** The kind of an option. */
export interface Kind {
  /** Completes "… must be", such as `a function`. */
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
  /** Checks the contents; what is wrong with them, as a sentence. */
  readonly inside?: (value: unknown, at: string) => string | undefined;
  readonly required?: true;
  /** What each member of a list must be. */
  readonly members?: Kind;
  /** The only allowed texts. */
  readonly choices?: readonly string[];
}

/** A kind for every option, so that none is forgotten. */
export type Kinds<O> = { readonly [K in keyof Required<O>]: Kind };

/** An option of any kind; its receiver checks it. */
export const anything: Kind = { words: 'anything', fits: () => true };
export const flag: Kind = { words: 'true or false', fits: value => typeof value === 'boolean' };
export const text: Kind = { words: 'a string', fits: value => typeof value === 'string' };
export const name: Kind = {
  words: 'a string that is not empty',
  fits: value => typeof value === 'string' && value.trim() !== '',
};
export const func: Kind = { words: 'a function', fits: value => typeof value === 'function' };
/** Milliseconds, and other amounts. */
export const positive: Kind = {
  words: 'a number greater than 0',
  fits: value => typeof value === 'number' && Number.isFinite(value) && value > 0,
};
export const notNegative: Kind = {
  words: 'a number of at least 0',
  fits: value => typeof value === 'number' && Number.isFinite(value) && value >= 0,
};
export const count: Kind = {
  words: 'a whole number of at least 1',
  fits: value => Number.isSafeInteger(value) && (value as number) >= 1,
};
/** A time span that any timer and store can represent, added to others too. */
export const duration: Kind = {
  words: 'a whole number of milliseconds from 1 to 3155695200000 (a hundred years)',
  fits: value => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= 3_155_695_200_000,
};
/** A host name as an address has it once it is parsed. */
export const hostName: Kind = {
  words: "a host name alone, in lower case, such as 'mcp.example.com' (no scheme, port, path or *)",
  fits: value => typeof value === 'string' && !value.includes('*') && parsed(`http://${value}`)?.hostname === value,
};
/** A path as an address has it once it is parsed. */
export const path: Kind = {
  words: "a path such as '/mcp': no ? or #, and characters beyond ASCII percent-encoded",
  fits: value =>
    typeof value === 'string' && value.startsWith('/') && parsed(`http://host${value}`)?.pathname === value,
};
export const port: Kind = {
  words: 'a whole number from 0 (any free port) to 65535',
  fits: value => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
};

const parsed = (address: string): URL | undefined => (URL.canParse(address) ? new URL(address) : undefined);

/** An option that must be one of these texts. */
export const oneOf = (...values: readonly string[]): Kind => ({
  words: [values.slice(0, -1), values.slice(-1)]
    .filter(part => part.length > 0)
    .map(part => part.map(each => `'${each}'`).join(', '))
    .join(' or '),
  choices: values,
  fits: value => typeof value === 'string' && values.includes(value),
});

/** A list, each member of one kind. */
export const listOf = (kind: Kind): Kind => ({
  words: `a list, each member ${kind.words}`,
  members: kind,
  fits: value => Array.isArray(value) && value.every(each => kind.fits(each)),
});

/** An object that has these methods, whoever made it. */
export const having = (words: string, ...methods: readonly string[]): Kind => ({
  words,
  fits: value => hasMethods(value, ...methods),
});

const hasMethods = (value: unknown, ...methods: readonly string[]): boolean =>
  isRecord(value) && methods.every(method => typeof value[method] === 'function');

/** An object with options of its own. */
export const parts = <O>(kinds: Kinds<O>): Kind => ({
  words: `an object: { ${Object.keys(kinds).join(', ')} }`,
  fits: isRecord,
  inside: (value, at) => problemIn(value as Readonly<Record<string, unknown>>, kinds, at),
});

/** Makes a kind required. */
export const required = (kind: Kind): Kind => ({ ...kind, required: true });

/** A schema of any library that follows Standard Schema. */
export const schemaKind: Kind = {
  words: 'a schema such as z.object({ … })',
  fits: value => ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value,
};

/** A function that makes a server for each connection or request. */
export const serverFactoryKind: Kind = { ...func, words: 'a function that makes a server: () => notesServer()' };

const sdk = "'@modelcontextprotocol/server' (SDK v2; '@modelcontextprotocol/sdk' is v1)";

/** What tools, prompts and resources are registered with. */
export const mcpServerKind: Kind = {
  words: `an McpServer of ${sdk}`,
  fits: value =>
    hasMethods(value, 'registerTool', 'registerPrompt', 'registerResource') &&
    isSdkServer((value as { readonly server?: unknown }).server),
};

const madeKind: Kind = {
  words: `an McpServer or a Server of ${sdk}`,
  fits: value => mcpServerKind.fits(value) || isSdkServer(value),
};

/**
 * Checks what a factory has returned: the SDK answers requests to anything else with an internal error, and tells nobody why.
 * @throws TypeError that says what to return
 */
export function checkMade(made: unknown): void {
  if (!madeKind.fits(made)) throw new TypeError(mismatch('What a factory of servers returns', madeKind, made));
}

/** A server of SDK v1 does not say which revision was negotiated, and cannot be served in two eras. */
const isSdkServer = (value: unknown): boolean =>
  hasMethods(value, 'connect', 'setRequestHandler', 'getNegotiatedProtocolVersion');

/** A store, by its methods. */
export const storeKind: Kind = {
  words:
    'a store, such as memoryStore(), await sqliteStore(path) or redisStore({ send }), with get, set, delete, take and ' +
    'sortedSets',
  fits: value =>
    hasMethods(value, 'get', 'set', 'delete', 'take') &&
    hasMethods((value as { readonly sortedSets?: unknown }).sortedSets, 'add', 'remove', 'range'),
};

/**
 * @param place - the factory, as its caller writes it
 * @throws TypeError that says which option is wrong and what it may be
 */
export function checkOptions<O>(place: string, options: O, kinds: Kinds<O>): void {
  if (!isRecord(options)) {
    throw new TypeError(
      `${place} takes an object of options, { ${Object.keys(kinds).join(', ')} }; got ${kindOf(options)}.`,
    );
  }
  const problem = problemIn(options, kinds, '');
  if (problem !== undefined) throw new TypeError(`${place}: ${problem}`);
}

/** @throws TypeError if a value that is not an options object is of the wrong kind; `what` names it */
export function checkKind(place: string, what: string, value: unknown, kind: Kind): void {
  if (!kind.fits(value)) throw new TypeError(`${place}: ${mismatch(what, kind, value)}`);
}

function problemIn(
  options: Readonly<Record<string, unknown>>,
  kinds: Readonly<Record<string, Kind>>,
  at: string,
): string | undefined {
  for (const key of Object.keys(options)) if (!Object.hasOwn(kinds, key)) return unknown(key, Object.keys(kinds), at);
  // Runs for each question and each step, so valid input allocates nothing.
  for (const key of Object.keys(kinds)) {
    const kind = kinds[key]!;
    const value = options[key];
    if (value === undefined) {
      if (kind.required) return `${at}${key} is missing; it must be ${kind.words}.`;
    } else if (!kind.fits(value)) {
      return mismatch(`${at}${key}`, kind, value);
    } else {
      const problem = kind.inside?.(value, `${at}${key}.`);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function unknown(key: string, names: readonly string[], at: string): string {
  const suggestion = nearest(key, names);
  const rest =
    suggestion === undefined ? `The options are: ${names.join(', ')}.` : `Did you mean '${at}${suggestion}'?`;
  return `there is no option '${at}${key.slice(0, 60)}'. ${rest}`;
}

/** What it must be and what it is; for a list, of the first wrong member. */
function mismatch(where: string, kind: Kind, value: unknown): string {
  const { members } = kind;
  const at = members && Array.isArray(value) ? value.findIndex(each => !members.fits(each)) : -1;
  if (members && at >= 0) return mismatch(`${where}[${at}]`, members, (value as readonly unknown[])[at]);
  const suggestion = typeof value === 'string' && kind.choices ? nearest(value, kind.choices) : undefined;
  const hint = suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`;
  return `${where} must be ${kind.words}; got ${kindOf(value)}.${hint}`;
}

/** What a value is, in words that repeat nothing of a text. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string')
    return value === '' ? 'an empty string' : `a string of ${counted(value.length, 'character')}`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (value instanceof Promise) return 'a promise: await it first';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const { name } = (Object.getPrototypeOf(value)?.constructor ?? Object) as { readonly name?: unknown };
  return typeof name === 'string' && name !== '' && name !== 'Object'
    ? `an instance of ${name.slice(0, 60)}`
    : 'an object';
}

const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** The name that was probably meant: it begins the same, or differs by one or two typos. */
export function nearest(key: string, names: readonly string[]): string | undefined {
  if (key.length > 40) return undefined;
  const one = key.toLowerCase();
  const begins = names.find(each => {
    const other = each.toLowerCase();
    return Math.min(one.length, other.length) >= 4 && (one.startsWith(other) || other.startsWith(one));
  });
  if (begins !== undefined) return begins;
  const [first] = names.map(each => ({ each, off: slips(one, each.toLowerCase()) })).sort((a, b) => a.off - b.off);
  return first && first.off <= Math.min(2, Math.floor(one.length / 2)) ? first.each : undefined;
}

/** Letters to add, drop or change to get from one word to the other (Levenshtein). */
function slips(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
