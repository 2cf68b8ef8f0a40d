import type { CallContext } from '../../index.ts';

/** What a server offers: tools, prompts and resources. */
export type OfferKind = CallContext['kind'];

const kinds: readonly unknown[] = ['tool', 'prompt', 'resource'] satisfies readonly OfferKind[];

export const isOfferKind = (value: unknown): value is OfferKind => kinds.includes(value);
