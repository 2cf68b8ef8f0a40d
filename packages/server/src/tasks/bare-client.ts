/**
 * What a stored task says about its client, without the shape that it usually has (see state/bare-request.ts). Never change what
 * is rebuilt here: stored tasks are read by it. Pure.
 */
import { bare } from '../state/index.ts';

/** What a client says about itself with each request (2026-07-28, basic, `_meta`). */
export const envelopeAgain = (stored: unknown): unknown => {
  if (!Array.isArray(stored)) return stored;
  const [protocolVersion, name, version, capabilities] = stored as unknown[];
  return {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': { name, version },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
};

export function bareEnvelope(envelope: unknown): unknown {
  const said = (envelope ?? {}) as Readonly<Record<string, unknown>>;
  const { name, version } = (said['io.modelcontextprotocol/clientInfo'] ?? {}) as { name?: unknown; version?: unknown };
  const [protocolVersion, capabilities] = ['protocolVersion', 'clientCapabilities'].map(
    each => said[`io.modelcontextprotocol/${each}`],
  );
  return bare(envelope, [protocolVersion, name, version, capabilities], envelopeAgain);
}

/** Many ids of clients are lists, spelled as JSON. */
export const clientIdAgain = (stored: unknown): unknown => (Array.isArray(stored) ? JSON.stringify(stored) : stored);

export function bareClientId(id: string): unknown {
  try {
    return bare(id, JSON.parse(id), clientIdAgain);
  } catch {
    return id;
  }
}
