/** `midcall notes [dir…]`: the notes server, over standard input and output or over HTTP. Logs go to standard error only. */
import { rm } from 'node:fs/promises';
import { isLoopback } from '@midcall/core/url';
import type { Bearer } from '@midcall/server/connect';
import { serveHttp, serveStdio } from '@midcall/server/node';
import type { Command } from 'commander';
import { HostStdio } from '../host-stdio/index.ts';
import {
  checkDirectories,
  directoriesInForce,
  type NotesOptions,
  notesServer,
  readImportConfig,
  readSettings,
  readSignInConfig,
  type SignInConfig,
  settingsPath,
} from '../notes/index.ts';
import { origin, portNumber, repeatable } from './flag-values.ts';
import { stopOnSignal } from './on-signal.ts';
import { servingLog } from './serving-log.ts';
import { must } from './usage.ts';

interface Options {
  readonly http?: number;
  readonly host?: string;
  readonly allowHost?: readonly string[];
  readonly signIn?: string;
  readonly publicUrl?: URL;
  readonly settings: string;
  readonly forgetSetup?: boolean;
  readonly import?: string;
}

const loopback = '127.0.0.1';

/** Adds the subcommand. */
export function register(command: Command): void {
  command
    .argument('[dir...]', 'directories it may use; the client’s roots within them, or alone where none is given')
    .option(
      '--http <port>',
      'serve Streamable HTTP at /mcp on this port (0: any free one) instead of standard input',
      portNumber,
    )
    .option('--host <address>', `with --http: address to listen on (default: ${loopback})`)
    .option(
      '--allow-host <name>',
      'with --http: host name, besides localhost, under which clients reach it; repeatable',
      repeatable,
    )
    .option(
      '--sign-in <file>',
      'with --http: take only tokens of the OpenID Connect server this JSON file describes, and sign people in there on the pages',
    )
    .option('--public-url <origin>', 'with --sign-in: where people and clients reach this server', origin)
    .option('--settings <file>', 'where notes_setup keeps what the person chose', settingsPath())
    .option('--forget-setup', 'forget first what the person chose')
    .option(
      '--import <file>',
      'offer notes_import from the service this JSON file describes; over HTTP with --sign-in only',
    )
    .action(notes);
}

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

/**
 * Serves notes over HTTP: `/mcp` and, at the same address if people can sign in, the pages and the document that tells clients where
 * to get a token.
 * @throws MidcallError `server/setup` if the address cannot be listened on or used
 */
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

async function notes(folders: readonly string[], options: Options): Promise<void> {
  check(folders, options);
  const ceiling = await checkDirectories(folders);
  if (options.forgetSetup) await rm(options.settings, { force: true });
  const settings = await readSettings(options.settings);
  const { directories, misfit } = await directoriesInForce(settings, ceiling);
  const { log, complain: onError, notServed } = servingLog('notes');
  const config = options.import === undefined ? undefined : await readImportConfig(options.import);
  const parts: NotesOptions = {
    directories: ceiling,
    setup: {
      path: options.settings,
      settings: settings && {
        ...settings,
        directories: misfit === undefined ? [...directories] : settings.directories,
      },
      misfit,
    },
    ...(config && { importing: config.importing }),
  };
  if (misfit !== undefined)
    log(
      `${misfit} Until the person chooses again, with the tool notes_setup, no notes are served. Or start with --forget-setup.`,
    );
  const places =
    misfit !== undefined
      ? 'no notes'
      : directories.length > 0
        ? directories.join(', ')
        : 'the directories the client grants (its roots)';

  if (options.http === undefined) {
    const { factory } = notesServer({ ...parts, ...(config?.port !== undefined && { pages: { port: config.port } }) });
    const serving = serveStdio(factory, { transport: new HostStdio(), onError });
    log(`serving ${places} on standard input and output`);
    stopOnSignal(() => serving.stop());
    return;
  }
  const { host = loopback, allowHost = [], publicUrl } = options;
  const signIn = options.signIn === undefined ? undefined : await readSignInConfig(options.signIn);
  try {
    const over = { notes: parts, host, port: options.http, allowHost, publicUrl, signIn, onError };
    const { url, local, stop } = await serveNotes(over);
    const behind = url.href === local.href ? '' : `, listening at ${local.href}`;
    log(`serving ${places} at ${url.href}${behind}`);
    stopOnSignal(() => stop());
  } catch (error) {
    notServed(error);
  }
}

/** Checks for options that exclude each other. */
function check(
  folders: readonly string[],
  { http, host, allowHost = [], signIn, publicUrl, import: from }: Options,
): void {
  must(http !== undefined || (host === undefined && allowHost.length === 0), '--host and --allow-host need --http.');
  must(
    signIn === undefined || http !== undefined,
    '--sign-in is for --http: on standard input and output the caller is you.',
  );
  must(
    publicUrl === undefined || signIn !== undefined,
    '--public-url needs --sign-in, so that not just anybody may call.',
  );
  must(
    from === undefined || http === undefined || signIn !== undefined,
    '--import needs to know who a person is, which --http does only with --sign-in. Or serve it on standard input and output.',
  );
  must(
    folders.length > 0 || (signIn === undefined && allowHost.length === 0),
    'Name the directories to serve: the roots of clients on other machines say nothing about this one.',
  );
  must(
    signIn === undefined || publicUrl !== undefined || host === undefined || isLoopback(host),
    `--sign-in on ${host} needs --public-url: the https address under which people reach it.`,
  );
}
