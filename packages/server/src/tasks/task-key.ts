/** The name of a task in jobs and in the store, which gives no access to it. */
import { digest } from '../base/index.ts';

export const keyOfId = (id: string): string => digest(id).slice(0, 22);
export const keyOf = ({ id }: { readonly id: string }): string => keyOfId(id);
