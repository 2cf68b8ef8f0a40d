export { grantChoice } from './call-body.ts';
export { card, mayBeAllowed } from './card.ts';
export { issuesOf, problemSummary } from './form-body.ts';
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
export { sentValue } from './sent-value.ts';
