export interface Statement {
  readonly id: string;
  readonly feature?: string;
  readonly level?: string;
  readonly role?: string;
  readonly revisions?: readonly string[];
}
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly source: string;
}
export interface Entry {
  readonly tests?: readonly string[];
  readonly reason?: string;
}
export type Evidence = Readonly<Record<string, Readonly<Record<string, Entry>>>>;
type Identified = { readonly id: string };

export function judge(input: {
  readonly statements: readonly (Statement | Row)[];
  readonly evidence: Evidence;
  readonly statuses: ReadonlyMap<string, string>;
}): { problems: string[]; missing: string[] };
export function differences(own: readonly Identified[], source: readonly Identified[]): string[];
export function reported(report: object, root: string): Map<string, string>;
export function listed(
  tests: readonly { readonly file: string; readonly name: string }[],
  root: string,
  named: readonly string[],
): Map<string, string>;
export function namedTests(evidence: Evidence): string[];
export function table(input: {
  readonly requirements: readonly Statement[];
  readonly rows: readonly Row[];
  readonly evidence: Evidence;
}): string;
