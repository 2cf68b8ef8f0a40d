/** What is said where a call may have had effects, so that nobody repeats it without looking. */

/** Ends a text that says what a call has done, or may have done. */
export const findOut = 'Find out what took effect before calling again.';

/** Refuses to go on with a call that has had a round before. */
export const nothingNow = `Nothing was done now. What this call did before stays done. ${findOut}`;
