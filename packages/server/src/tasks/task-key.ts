/** The name of a task in jobs and in the store, which gives no access to it. */
import { shortDigest } from '../base/index.ts';

export const keyOfId = (id: string): string => shortDigest(id);
export const keyOf = ({ id }: { readonly id: string }): string => keyOfId(id);
