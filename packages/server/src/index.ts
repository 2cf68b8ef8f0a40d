export type {
  Page,
  PageAsk,
  PageLink,
  PageOutcome,
  PageService,
  Pages,
  PagesHost,
  PersonCheck,
} from './channels/page/pages.ts';
export { digest, type Json } from './digest.ts';
export { isPrincipal, type Principal } from './principal.ts';
export { CommonValues } from './state/common-values.ts';
export { type KeySource, keyRing } from './state/keys.ts';
export { createSealer, type Sealer } from './state/seal.ts';
export { openOrWarn, sealUnder } from './state/sealed-under.ts';
