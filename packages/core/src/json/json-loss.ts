/**
 * What a value would lose in JSON, and where: a Map becomes `{}`, NaN becomes null, a function is left out, all silently.
 * Pure.
 *
 * What JSON merely writes differently is not a loss: a member that is `undefined` reads the same when it is absent, an object
 * with `toJSON` (a valid Date, a URL) decides itself what it becomes, and -0 equals 0.
 */
export interface JsonLoss {
  /** Where it is, such as `result.items[3].when`. */
  readonly path: string;
  /** The value's kind, with an article: `a Map`, `NaN`, `an instance of Invoice`. */
  readonly what: string;
  /** What to return instead, as a sentence. */
  readonly instead: string;
}

/**
 * @param value - anything at all
 * @param name - what the path begins with
 * @param options - `asItIs`: values that `toJSON` changes, such as a Date, count as lost too
 * @returns the first thing that JSON would lose; undefined if nothing is lost. A value of `undefined` is not a loss
 */
export function jsonLoss(
  value: unknown,
  name = 'result',
  { asItIs = false }: { readonly asItIs?: boolean } = {},
): JsonLoss | undefined {
  try {
    const loss = value === undefined ? undefined : lossIn(value, new Set(), asItIs ? 'refused' : 'heard');
    return loss && at(name, loss);
  } catch {
    // Nested deeper than the stack, or a proxy that throws on every access.
    return { path: name, what: 'something that cannot be read to its end', instead: defaultAdvice };
  }
}

/** The loss as the end of a sentence that begins with who returned it. */
export const lossText = ({ path, what, instead }: JsonLoss): string =>
  `${what} at ${path}, which JSON cannot carry. ${instead}`;

const defaultAdvice = 'Return plain data.';
const insteadOf: Readonly<Record<string, string>> = {
  Map: 'Return Object.fromEntries(map) or [...map].',
  Set: 'Return [...set].',
  BigInt: 'Return a string: String(value).',
  Date: 'Return null, or leave it out.',
};

/** How `toJSON` is treated: it is called, it was already called on this very value, or it is itself a loss. */
type Says = 'heard' | 'over' | 'refused';

/** Paths are built on the way back from a loss, since most values have none. */
const lost = (what: string, instead = defaultAdvice): JsonLoss => ({ path: '', what, instead });
const at = (where: string, { path, what, instead }: JsonLoss): JsonLoss => ({ path: `${where}${path}`, what, instead });

function lossIn(value: unknown, above: Set<object>, says: Says): JsonLoss | undefined {
  if (value === null) return undefined;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : lost(String(value), 'Return null, or leave it out.');
    case 'undefined':
      return lost('undefined', 'Return null in its place.');
    case 'function':
    case 'symbol':
      return lost(`a ${typeof value}`);
  }
  if (says !== 'over' && typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    if (says === 'refused') return lost(kindOf(value));
    const spelling = spoken(value as { toJSON(): unknown });
    if (!spelling) return lost('something whose toJSON throws');
    // An invalid Date, and whatever else serializes to nothing.
    if (spelling.value === undefined || spelling.value === null)
      return lost(kindOf(value), insteadOf[classOf(value)] ?? defaultAdvice);
    return lossIn(spelling.value, above, 'over');
  }
  if (typeof value === 'bigint') return lost('a BigInt', insteadOf['BigInt']);
  if (above.has(value))
    return lost('what contains it (a cycle)', 'Return each thing once, and name it elsewhere by its id.');
  above.add(value);
  const members = says === 'over' ? 'heard' : says;
  const loss = Array.isArray(value) ? lossInList(value, above, members) : lossInObject(value, above, members);
  above.delete(value);
  return loss;
}

function lossInList(list: readonly unknown[], above: Set<object>, says: Says): JsonLoss | undefined {
  for (let index = 0; index < list.length; index++) {
    const loss = Object.hasOwn(list, index)
      ? lossIn(list[index], above, says)
      : lost('a gap in a list', 'Return null in its place.');
    if (loss) return at(`[${index}]`, loss);
  }
  const more = Reflect.ownKeys(list).find(key => key !== 'length' && isEnumerable(list, key) && !isIndex(key));
  if (more === undefined) return undefined;
  return at(memberOf(more), lost('a member of a list beside its items', 'Return an object.'));
}

function lossInObject(value: object, above: Set<object>, says: Says): JsonLoss | undefined {
  const kind = classOf(value);
  if (kind !== '') return lost(kindOf(value), insteadOf[kind]);
  for (const key of Reflect.ownKeys(value)) {
    if (!isEnumerable(value, key)) continue;
    const loss = typeof key === 'symbol' ? lost('a member named by a symbol') : lossInMember(value, key, above, says);
    if (loss) return at(memberOf(key), loss);
  }
  return undefined;
}

function lossInMember(value: object, key: string, above: Set<object>, says: Says): JsonLoss | undefined {
  let member: unknown;
  try {
    member = (value as Record<string, unknown>)[key];
  } catch {
    return lost('a member that throws when it is read');
  }
  return member === undefined ? undefined : lossIn(member, above, says);
}

const isEnumerable = (value: object, key: PropertyKey): boolean =>
  Object.prototype.propertyIsEnumerable.call(value, key);
const isIndex = (key: PropertyKey): boolean => typeof key === 'string' && /^(0|[1-9]\d*)$/.test(key);

function spoken(value: { toJSON(): unknown }): { readonly value: unknown } | undefined {
  try {
    return { value: value.toJSON() };
  } catch {
    return undefined;
  }
}

/** The class of an object; empty for plain ones, of any realm. */
function classOf(value: object | bigint): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || (typeof prototype === 'object' && Object.getPrototypeOf(prototype) === null)) return '';
  const maker = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value as { name?: unknown } | undefined;
  return typeof maker?.name === 'string' && maker.name !== '' ? maker.name.slice(0, 60) : 'a class of its own';
}

const builtIn = /^(Map|Set|WeakMap|WeakSet|Date|Promise|RegExp|BigInt|ArrayBuffer|DataView|\w+Array)$/;
const kindOf = (value: object): string => {
  const kind = classOf(value);
  if (kind === '') return 'an object whose toJSON returns nothing';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : 'a Date';
  return builtIn.test(kind) ? `a ${kind}` : `an instance of ${kind}`;
};

const memberOf = (key: string | symbol): string => {
  if (typeof key === 'symbol') return `[${String(key)}]`;
  if (/^[A-Za-z_$][\w$]*$/.test(key) && key.length <= 60) return `.${key}`;
  return `[${JSON.stringify(key.length > 60 ? `${key.slice(0, 59)}…` : key)}]`;
};
