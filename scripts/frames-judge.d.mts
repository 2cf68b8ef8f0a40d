export interface Frame {
  readonly test: string;
  readonly connection: string;
  readonly from: 'client' | 'server';
  readonly over: 'memory' | 'stdio' | 'http';
  readonly version?: string;
  readonly frame?: unknown;
  readonly text?: string;
}
export interface Wrong {
  readonly record: Frame;
  readonly revision: string;
  readonly problems: readonly string[];
}
export interface Allowed {
  readonly test: string;
  readonly from: 'client' | 'server';
  readonly why: string;
}
export type Validate = (revision: string, name: string, value: unknown) => string[];

export function judgeFrames(records: readonly Frame[], validate: Validate): Wrong[];
export function setAside(wrong: readonly Wrong[], allowed: readonly Allowed[]): { left: Wrong[]; stale: Allowed[] };
export function redacted(value: unknown, key?: string): unknown;
