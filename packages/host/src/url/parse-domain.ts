/** What the Public Suffix List says of a host name. The list is large, so it is loaded with the first name. */
import { createRequire } from 'node:module';
import type * as Tldts from 'tldts';

let library: typeof Tldts | undefined;

export const parseDomain: typeof Tldts.parse = (...name) => {
  library ??= createRequire(import.meta.url)('tldts') as typeof Tldts;
  return library.parse(...name);
};
