/** The only file of the server library that names revisions of the protocol: what each of them has. */

/** The revision that asks in rounds, and deprecates roots and sampling. */
export const roundsRevision = '2026-07-28';

/** Whether a server asks in its results, and each request carries its client's identity and capabilities. */
export const hasRounds = (revision: string): boolean => revision >= roundsRevision;

/** True for the one revision whose clients ask for a task themselves (2025-11-25, basic/utilities/tasks). */
export const hasTaskParameter = (revision: string | undefined): boolean => revision === '2025-11-25';

/** Whether a client may declare that it opens pages; one may declare capabilities that its revision does not have. */
export const hasUrlMode = (revision: string | undefined): boolean => revision === undefined || revision >= '2025-11-25';

/** Whether forms are spelled as in 2025-06-18, the first revision that has them. */
export const hasFirstForms = (revision: string | undefined): boolean =>
  revision !== undefined && revision < '2025-11-25';

/** Batches exist in one revision (2025-03-26, basic, "Batching"); the next one removed them. */
export const hasBatches = (revision: string | undefined): boolean => revision === '2025-03-26';

/** Whether a stream may begin with an empty event (2025-11-25, basic/transports); in earlier revisions it broke clients. */
export const primesStreams = (revision: string): boolean => revision >= '2025-11-25';
