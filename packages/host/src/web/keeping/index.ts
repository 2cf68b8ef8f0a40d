export { type BrowserKey, type BrowserMemory, isBrowserKey } from './browsers-file.ts';
export type { CallMemory, StoredCall } from './call-file.ts';
export type { DeskMemory, DeskRecord } from './desk-file.ts';
export type { Theme } from './preferences.ts';
export { Preferences } from './preferences.ts';
export { type RememberedOffer, worthRemembering } from './remembered-offers.ts';
