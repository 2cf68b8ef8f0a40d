/** Reads the SDK's error about a result that its schemas refuse: which member is wrong is only in its text. Pure. */
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
