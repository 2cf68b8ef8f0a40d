export { personApp } from './app.ts';
export { type PersonNotice, personHeaders, personNotice } from './notice.ts';
export type { Visitor } from './visitor.ts';
