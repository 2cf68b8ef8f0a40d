/** The version of a client that gives none: the SDK's schemas require one, and nothing depends on it. */
import { isRecord, own } from '../json/index.ts';

/** Where a client introduces itself: in `initialize`, and with every request (2026-07-28). */
const inMeta = 'io.modelcontextprotocol/clientInfo';

/** @returns the message, unchanged unless its client has a name and no version: then with an empty one */
export function withClientVersion<T>(message: T): T {
  const params = own(message, 'params');
  if (!isRecord(params)) return message;
  const info = own(params, 'clientInfo');
  if (own(message, 'method') === 'initialize' && lacksVersion(info))
    return { ...message, params: { ...params, clientInfo: { ...info, version: '' } } };
  const meta = own(params, '_meta');
  const described = own(meta, inMeta);
  if (!isRecord(meta) || !lacksVersion(described)) return message;
  return { ...message, params: { ...params, _meta: { ...meta, [inMeta]: { ...described, version: '' } } } };
}

const lacksVersion = (info: unknown): info is Readonly<Record<string, unknown>> =>
  isRecord(info) && typeof info['name'] === 'string' && (info['version'] ?? null) === null;
