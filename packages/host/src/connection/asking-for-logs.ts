/** Has a server send the log messages of a call. */
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import type { CallRequest, ServerIntroduction } from '../attach/index.ts';
import { eraOf, logsOnRequest } from '../base/index.ts';

/**
 * The request of a call that asks for every log message of the server, if it logs and has to be asked
 * (2026-07-28, server/utilities/logging); else the request as it is. On 2025-11-25 a server decides itself what it sends.
 * @param revision - as negotiated
 */
export function askingForLogs(
  request: CallRequest,
  revision: string | undefined,
  introduction: ServerIntroduction | undefined,
): CallRequest {
  const isNeeded = logsOnRequest(eraOf(revision)) && introduction?.capabilities['logging'] !== undefined;
  if (!isNeeded) return request;
  const meta = request.rest?.['_meta'] as object | undefined;
  return { ...request, rest: { ...request.rest, _meta: { [LOG_LEVEL_META_KEY]: 'debug', ...meta } } };
}
