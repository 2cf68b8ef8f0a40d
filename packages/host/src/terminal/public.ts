export type { DrawOptions } from './drawn-text.ts';
export { drawnText, drawnValue } from './drawn-text.ts';
export type { MaybeTty } from './line-source.ts';
export type { TerminalOptions } from './terminal.ts';
export { Terminal } from './terminal.ts';
