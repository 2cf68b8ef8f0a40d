import { defined } from '@midcall/core/json';
import type { Client } from '@modelcontextprotocol/client';
import type { Attachment } from '../attach/index.ts';
import type { Era } from '../base/index.ts';

/** What a server says about itself; everything but `era` is untrusted. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly instructions?: string;
  readonly era: Era;
  readonly protocolVersion: string;
  /** True if it completes the arguments of prompts and resource templates. */
  readonly completes?: true;
}

/**
 * Reads it.
 * @param id - the name to use if the server gives none
 * @returns undefined until the server is connected
 */
export function serverInfoOf(client: Client, attachment: Attachment, id: string): ServerInfo | undefined {
  const protocolVersion = client.getNegotiatedProtocolVersion();
  if (protocolVersion === undefined) return undefined;
  const info = client.getServerVersion();
  return {
    name: info?.name ?? id,
    version: info?.version ?? '',
    ...defined({ title: info?.title, instructions: client.getInstructions() }),
    era: attachment.asker().era,
    protocolVersion,
    ...(client.getServerCapabilities()?.completions && { completes: true }),
  };
}
