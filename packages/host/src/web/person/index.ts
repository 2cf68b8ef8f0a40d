export { personApp, personHeaders } from './app.ts';
export { type PersonNotice, personNotice } from './notice.ts';
export type { EndedQuestion, OpenQuestion, PersonEnding, PersonQuestions, Visitor } from './questions.ts';
