/** Reads the SDK client's error for a failed negotiation of the revision: it has no member for that, only a text. */

const notOffered = /did not offer pinned protocol version (\d{4}-\d\d-\d\d)/u;

/** The revision that was demanded and that the server, which did answer, does not offer; undefined for other failures. */
export const notOfferedRevision = (message: string): string | undefined => notOffered.exec(message)?.[1];

/** The message without the SDK's remarks about its own procedure. */
export const negotiationReason = (message: string): string =>
  message.replace(/^Version negotiation(?: probe)? failed: /, '').replace(/ \(no fallback.*$/, '');

/** True if a server exited when asked for its revision, as some do at any unknown first request. */
export const endedWhenProbed = (message: string): boolean =>
  message.includes('the connection closed during the server/discover probe');
