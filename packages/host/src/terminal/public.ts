export type { MaybeTty } from './borrowed-input.ts';
export type { DrawOptions } from './drawn-text.ts';
export { drawnText, drawnValue } from './drawn-text.ts';
export type { TerminalOptions } from './terminal.ts';
export { Terminal } from './terminal.ts';
