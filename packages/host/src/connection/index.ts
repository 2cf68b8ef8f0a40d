export type { Catalogue } from './catalogue.ts';
export { Connection, type ConnectionEvent } from './connection.ts';
export type { ListName, ListProblem } from './list-problem.ts';
