export { areAlike, foldAlike } from './alike-calls.ts';
export { argumentRows } from './argument-rows.ts';
export {
  appUri,
  type Elicitation,
  type ElicitationMode,
  type ElicitResult,
  elicitResult,
  readElicitation,
} from './elicitation.ts';
export {
  type GrantChoice,
  type GrantEnd,
  type GrantOffer,
  type GrantScope,
  grantScopes,
  type HostPersist,
  readGrantChoice,
  wouldPass,
} from './grant-choice.ts';
export type {
  Asker,
  CallApproval,
  CallContext,
  CallQuestion,
  Ending,
  FormQuestion,
  Presenter,
  Question,
  Receipt,
  Reply,
  RootsQuestion,
  SamplingPrompt,
  SamplingReplyQuestion,
  SamplingRequestQuestion,
  SamplingWishes,
  SignInQuestion,
  UrlFinishQuestion,
  UrlQuestion,
  Via,
} from './question.ts';
export { mask, maskedArguments, maskedEnding, secretNames, secretsOf, secretWarnings } from './secrets.ts';
