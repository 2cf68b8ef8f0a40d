import type { IncomingMessage, ServerResponse } from 'node:http';

export interface AuthorizationServerOptions {
  /** Clients as dynamic registration has them (RFC 7591). */
  readonly clients: readonly Record<string, unknown>[];
  /** Besides `openid` and `offline_access`. */
  readonly scopes?: readonly string[];
  /** A name or address of this machine; `127.0.0.1` where absent. Browsers tell cookies apart by it, not by port. */
  readonly host?: string;
  /** A free one where absent. */
  readonly port?: number;
  /** False to leave refresh tokens as they are. */
  readonly rotate?: boolean;
  readonly accessTokenSeconds?: number;
  /** Issues access tokens for whatever service is asked for (RFC 8707), in this format; for no service where absent. */
  readonly tokens?: 'opaque' | 'jwt';
  /** Takes clients that describe themselves (client id metadata documents), which are read with this. */
  readonly documents?: typeof fetch;
  /** Registers clients by request (RFC 7591). */
  readonly registration?: boolean;
  /** Gives tokens to programs of their own (client credentials), and to devices without a browser (RFC 8628). */
  readonly machines?: boolean;
  /** Signs this person in without a page; a page asks where absent. */
  readonly person?: string;
}

export interface AuthorizationServer {
  readonly issuer: string;
  /** The `oidc-provider` instance: an event emitter. */
  readonly provider: {
    on(event: string, listener: (...args: never[]) => void): unknown;
    off(event: string, listener: (...args: never[]) => void): unknown;
  };
  /** What can be changed while it runs. */
  readonly state: {
    person: string | undefined;
    accessTokenSeconds: number;
    /** Scopes that are not granted, whoever asks for them. */
    refused: string[];
    /** Sees every request first; true says that it answered. */
    intercept: ((req: IncomingMessage, res: ServerResponse) => boolean | Promise<boolean>) | undefined;
  };
  close(): Promise<void>;
}

export function startAuthorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer>;
