/** JSON from servers, read the same way by every view. Pure. */
import { fromJson, isRecord } from '@midcall/core/json';

export type Members = Readonly<Record<string, unknown>>;

const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object';

/** The most rows that are examined, and the most columns of a table. */
const [mostRows, mostColumns] = [100, 8];

/** The columns of a list that is a table: objects with the same few scalar members. */
export function tableColumns(list: readonly unknown[]): readonly string[] | undefined {
  const rows = list.slice(0, mostRows);
  if (rows.length < 2 || !rows.every(isRecord)) return undefined;
  const names = [...new Set(rows.flatMap(row => Object.keys(row).slice(0, mostColumns + 1)))];
  const flat = rows.every(row =>
    Object.values(row)
      .slice(0, mostColumns + 1)
      .every(isScalar),
  );
  return names.length > 0 && names.length <= mostColumns && flat ? names : undefined;
}

/** The value of a text that is a JSON object or list. */
export function jsonIn(text: string): unknown {
  return text.length <= 2_000_000 && /^\s*[[{]/.test(text) ? fromJson(text) : undefined;
}
