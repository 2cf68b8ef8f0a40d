/** What the SDK's client says when it and a server agree on no revision: it has no member for it, only words. */

const notOffered = /did not offer pinned protocol version (\d{4}-\d\d-\d\d)/u;

/** The revision that was demanded and that the server, which did answer, does not offer; undefined for other failures. */
export const notOfferedRevision = (message: string): string | undefined => notOffered.exec(message)?.[1];

/** The message without what the SDK says of its own procedure. */
export const negotiationReason = (message: string): string =>
  message.replace(/^Version negotiation(?: probe)? failed: /, '').replace(/ \(no fallback.*$/, '');

/** True if a server ended when it was asked which revision it speaks, as some do at any request before the first they know. */
export const endedWhenProbed = (message: string): boolean =>
  message.includes('the connection closed during the server/discover probe');
