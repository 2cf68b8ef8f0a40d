/**
 * The notes server over HTTP: `/mcp` and, at the same address if people can sign in, the pages and the document that tells
 * clients where to get a token.
 */
import type { Bearer } from '@midcall/server/connect';
import { serveHttp } from '@midcall/server/node';
import { type NotesOptions, notesServer, type SignInConfig } from '../notes/index.ts';

export interface NotesHttpOptions {
  readonly notes: NotesOptions;
  readonly host: string;
  readonly port: number;
  /** Besides loopback and the public address. */
  readonly allowHost: readonly string[];
  /** The address at which people and clients reach it, without a path; the one it listens on if absent. */
  readonly publicUrl: URL | undefined;
  /** Who may call, and who people are; without it anybody may call, and pages know nobody. */
  readonly signIn: SignInConfig | undefined;
  readonly onError: (error: Error) => void;
}

/** A notes server that is listening. */
export interface NotesServing {
  /** Where clients reach it. */
  readonly url: URL;
  /** The address it listens on; differs from the one above only behind a proxy. */
  readonly local: URL;
  stop(): Promise<void>;
}

/** @throws MidcallError `server/setup` if the address cannot be listened on or used */
export async function serveNotes(options: NotesHttpOptions): Promise<NotesServing> {
  const { notes, host, port, allowHost, publicUrl, signIn, onError } = options;
  // Tokens and links contain the address, which is known once it listens; no request is read before that.
  let server: ReturnType<typeof notesServer> | undefined;
  let guard: Bearer | undefined;
  const serving = await serveHttp(context => server!.factory(context), {
    host,
    port,
    allowedHosts: [...allowHost, ...(publicUrl ? [publicUrl.hostname] : [])],
    onError,
    ...(signIn && {
      authenticate: request => guard!.authenticate(request),
      elsewhere: request =>
        guard?.metadata(request) ?? server?.pages?.fetch(request) ?? new Response(null, { status: 404 }),
    }),
  });
  try {
    const url = new URL('/mcp', publicUrl ?? serving.url);
    guard = signIn?.guard(url);
    server = notesServer({
      ...notes,
      ...(signIn &&
        guard && {
          store: signIn.store,
          key: signIn.key,
          principal: guard.principal,
          pages: { baseUrl: new URL('/connect', url), signIn: signIn.signIn },
        }),
    });
    return { url, local: serving.url, stop: () => serving.stop() };
  } catch (error) {
    await serving.stop({ within: 0 });
    throw error;
  }
}
