export type { Catalogue, ListName, ListProblem } from './catalogue.ts';
export { Connection, type ConnectionEvent } from './connection.ts';
