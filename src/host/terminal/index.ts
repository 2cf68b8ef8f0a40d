export { urlLines } from './consent-dialog.ts';
export type { TerminalOptions } from './terminal.ts';
export { Terminal } from './terminal.ts';
