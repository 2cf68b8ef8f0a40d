import type { HostFlags } from './host-parts.ts';
import type { ServerFlags } from './server-choice.ts';

/** What was given to `midcall bridge`. */
export interface BridgeFlags extends ServerFlags, HostFlags {
  readonly http?: number;
  readonly host?: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly auth?: string;
  readonly publicUrl?: URL;
  readonly root?: readonly string[];
  readonly models?: string;
  readonly link?: boolean;
  readonly trustHost?: boolean;
}
