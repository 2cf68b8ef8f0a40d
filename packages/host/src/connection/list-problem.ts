/** Why one of a server's lists could not be read, in words to follow a colon. Pure. */

import { invalidListReason } from '@midcall/core/sdk-seam';
import { visible } from '@midcall/core/text';
import { ProtocolErrorCode, SdkErrorCode } from '@modelcontextprotocol/client';

/** The kinds of list. */
export type ListName = 'tools' | 'prompts' | 'resources' | 'resource templates';

/** A list that could not be read. */
export interface ListProblem {
  readonly list: ListName;
  /** One sentence without a capital; quotes the server if it gave a reason. */
  readonly why: string;
}

/** @returns undefined if nothing is wrong: templates are optional, and no capability declares them */
export function listProblem(list: ListName, error: unknown): string | undefined {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (code === ProtocolErrorCode.MethodNotFound) {
    if (list === 'resource templates') return undefined;
    return `the server declares ${list} but does not implement the list.`;
  }
  if (code === SdkErrorCode.RequestTimeout) return 'the server did not answer in time.';
  if (code === SdkErrorCode.InvalidResult) return invalidListReason(String(message));
  return `the server answered “${visible(String(message), { max: 300 })}”.`;
}
