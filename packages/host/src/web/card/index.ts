export { grantChoice } from './call-body.ts';
export { card, mayBeAllowed } from './card.ts';
export { issuesOf, problemSummary, sentValue } from './form-body.ts';
export {
  age,
  argumentRow,
  type CardContext,
  questionHeadline,
  questionIcon,
  questionSubject,
  quoted,
} from './frame.ts';
export { grantedRoots, newFolder } from './roots-body.ts';
export { samplingEdits } from './sampling-body.ts';
