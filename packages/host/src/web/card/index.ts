export { callArguments, diffBlock, textBlock, unabridged } from './call-body.ts';
export { card, mayBeAllowed } from './card.ts';
export { issuesOf, problemSummary, sentValue } from './form-body.ts';
export {
  age,
  argumentRow,
  type CardContext,
  callLine,
  leftLine,
  questionChips,
  questionHeadline,
  questionIcon,
  questionSubject,
  quoted,
  type SharedAnswer,
} from './frame.ts';
export { postedAction, postedAnswer } from './posted-reply.ts';
export { grantedRoots, newFolder } from './roots-body.ts';
