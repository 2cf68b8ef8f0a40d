import { ProtocolErrorCode } from '@modelcontextprotocol/server';

/** A JSON-RPC error. */
export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What a client is sent of something thrown. */
export function wireError(thrown: unknown): WireError {
  const { code, message, data } = (thrown ?? {}) as { code?: unknown; message?: unknown; data?: unknown };
  return {
    code: Number.isSafeInteger(code) ? (code as number) : ProtocolErrorCode.InternalError,
    message: typeof message === 'string' ? message : 'Internal error',
    ...(data !== undefined && { data }),
  };
}
