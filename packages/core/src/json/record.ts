/** Untrusted objects, such as those from outside, read by their own members only. Pure. */

/** A plain JSON object, as far as reading goes: own members only. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for an object with named members; false for arrays and null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member of a value; undefined if it has none of this name. Inherited ones are ignored. */
export function own(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The members that have a value, so that optional ones stay absent. */
export function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
