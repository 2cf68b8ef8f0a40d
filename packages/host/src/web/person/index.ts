export { personApp } from './app.ts';
export { type PersonNotice, personHeaders, personNotice } from './notice.ts';
export type { EndedQuestion, OpenQuestion, PersonEnding, PersonQuestions, Visitor } from './questions.ts';
