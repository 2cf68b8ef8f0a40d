/**
 * True if a proxy says that nobody answers behind it. No page of ours has a status that is as high.
 */
export const nobodyAnswers = ({ status }: Response): boolean => status >= 502;
