/** Objects of unknown make, such as what arrived from outside, read by their own members only. Pure. */

/** True for an object with named members: no array, no null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member of a value; undefined where it has none of this name. Inherited ones do not exist here. */
export function own(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
