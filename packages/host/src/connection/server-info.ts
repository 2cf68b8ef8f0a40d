import type { Era } from '../era.ts';

/** What a server says of itself; everything but `era` is untrusted. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly instructions?: string;
  readonly era: Era;
  readonly protocolVersion: string;
}
