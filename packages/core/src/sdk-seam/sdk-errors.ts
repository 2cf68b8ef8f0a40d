/**
 * Reads the SDK's errors whose facts are only in their text: which member of a result its schemas refuse, and why the negotiation of
 * the revision failed. Pure.
 */
import { visible } from '../text/index.ts';

/** Where a result deviates from the protocol, and how. */
export interface ResultIssue {
  /** Empty for the result itself. */
  readonly path: string;
  readonly says: string;
}

/** An issue as text, safe to show. */
export const issueText = ({ path, says }: ResultIssue): string =>
  visible(`${path || 'the result'}: ${says}`, { max: 300 });

/** The first deviation of a result; undefined if the message of `InvalidResult` does not say. */
export function invalidResultIssue(message: string): ResultIssue | undefined {
  try {
    const [issue] = JSON.parse(message.slice(message.indexOf('['))) as readonly {
      path?: readonly unknown[];
      message?: unknown;
    }[];
    return { path: (issue?.path ?? []).join('.'), says: String(issue?.message) };
  } catch {
    return undefined;
  }
}

/** The SDK's text of an error, in which the issues of a schema are written out as JSON, with the first of them in words. */
export function withoutDump(message: string): string {
  const at = message.search(/\[\s*\{/u);
  const issue = at < 0 ? undefined : invalidResultIssue(message.slice(at));
  return issue ? `${message.slice(0, at).trim()} ${issueText(issue)}` : message;
}

/** Why a list was refused, worded to follow a colon. */
export function invalidListReason(message: string): string {
  const issue = invalidResultIssue(message);
  return `the server sent a list that the protocol does not allow${issue ? `: ${issueText(issue)}` : ''}.`;
}

const notOffered = /did not offer pinned protocol version (\d{4}-\d\d-\d\d)/u;

/** The revision that was demanded and that the server, which did answer, does not offer; undefined for other failures. */
export const notOfferedRevision = (message: string): string | undefined => notOffered.exec(message)?.[1];

/** The message without the SDK's remarks about its own procedure. */
export const negotiationReason = (message: string): string =>
  message.replace(/^Version negotiation(?: probe)? failed: /, '').replace(/ \(no fallback.*$/, '');

/** True if a server exited when asked for its revision, as some do at any unknown first request. */
export const endedWhenProbed = (message: string): boolean =>
  message.includes('the connection closed during the server/discover probe');
