/** `midcall notes [dir…]`: the notes server, over standard input and output or over HTTP. Logs go to standard error only. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Command, InvalidArgumentError } from 'commander';
import { isMidcallError, MidcallError } from '../errors.ts';
import {
  checkDirectories,
  directoriesInForce,
  notesServer,
  readImportConfig,
  readSettings,
  settingsPath,
} from '../notes/index.ts';
import { serveHttp } from '../server/index.ts';
import { exitCodes } from './exit-codes.ts';

interface Options {
  readonly http?: number;
  readonly host: string;
  readonly allowHost: readonly string[];
  readonly settings: string;
  readonly import?: string;
}

/** Adds the subcommand. */
export function registerNotes(program: Command): void {
  program
    .command('notes')
    .description('serve Markdown notes; what is deleted can be restored, and a person decides where it is unclear')
    .argument('[dir...]', 'directories it may use; the client’s roots within them, or alone where none is given')
    .option(
      '--http <port>',
      'serve Streamable HTTP at /mcp on this port (0: any free one) instead of standard input',
      port,
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--allow-host <name>',
      'host name, besides localhost, under which clients reach it; may be repeated',
      also,
      [],
    )
    .option('--settings <file>', 'where notes_setup keeps what the person chose', settingsPath())
    .option(
      '--import <file>',
      'offer notes_import from the service this JSON file describes; on standard input and output only',
    )
    .action(notes);
}

async function notes(named: readonly string[], options: Options): Promise<void> {
  const ceiling = await checkDirectories(named);
  const settings = await readSettings(options.settings);
  const directories = await directoriesInForce(settings, ceiling);
  const log = (message: string): void => void process.stderr.write(`midcall notes: ${message}\n`);
  const onError = (error: Error): void => log(error.message);
  const setup = { path: options.settings, settings: settings && { ...settings, directories } };
  if (options.import !== undefined && options.http !== undefined) {
    throw new MidcallError(
      'cli/usage',
      '--import needs to know who a person is, which --http without sign-in does not. Serve it on standard input and output.',
    );
  }
  const config = options.import === undefined ? undefined : await readImportConfig(options.import);
  const server = notesServer({
    directories: ceiling,
    setup,
    ...(config && { importing: config.importing }),
    ...(config?.port !== undefined && { pages: { port: config.port } }),
  });
  const places = directories.length > 0 ? directories.join(', ') : 'the directories the client grants (its roots)';

  if (options.http === undefined) {
    const { close } = serveStdio(server.factory, { onerror: onError });
    log(`serving ${places} on standard input and output`);
    onSignal(close);
    return;
  }
  try {
    const { host, allowHost } = options;
    const { url, close } = await serveHttp(server.factory, {
      host,
      port: options.http,
      allowedHosts: allowHost,
      onError,
    });
    log(`serving ${places} at ${url.href}`);
    onSignal(close);
  } catch (error) {
    if (!isMidcallError(error, 'server/setup')) throw error;
    log(error.message);
    process.exitCode = exitCodes.noServer.code;
  }
}

function onSignal(close: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close());
}

function also(name: string, before: readonly string[]): readonly string[] {
  return [...before, name];
}

function port(text: string): number {
  const number = Number(text);
  if (/^\d+$/u.test(text) && number <= 65_535) return number;
  throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
}
