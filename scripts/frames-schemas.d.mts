import type { Validate } from './frames-judge.mjs';

export function schemas(spec: (revision: string) => object | undefined): Validate;
