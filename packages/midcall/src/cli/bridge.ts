/**
 * `midcall bridge -- <server>`: sits between any host and any server. Logs go to standard error only. Hosts wait for it to
 * start, so modules are loaded only once it is known which way it serves.
 */
import { type Command, Option } from 'commander';
import { configPath } from '../install/index.ts';
import { type BridgeFlags, checkHttpFlags } from './bridge-flags.ts';
import { addRulesFlags } from './call-rules.ts';
import { origin, portNumber, repeatable, webAddress } from './flag-values.ts';
import { addServerFlags, onlyAfterDashes } from './server-flags.ts';
import { usage } from './usage.ts';

/** Adds `midcall bridge`. */
export function register(command: Command): void {
  addServerFlags(
    command
      .argument('[server...]', 'after --: the command that starts the server')
      .usage('[options] [-- <command that starts the server…>]'),
  )
    .addOption(
      new Option(
        '--ask <what>',
        'ask you before each call of a tool that the server calls neither read-only nor not destructive',
      ).choices(['destructive']),
    )
    .option(
      '--root <directory>',
      'a folder the server may use, in place of the host’s roots; DIR=/path where a container has it there; repeatable',
      repeatable,
    )
    .option('--models <file>', 'module whose default export is a list of models, or a sampling model')
    .option(
      '--trust-host',
      'accept answers from the host that come faster than a person can read, such as those of a script',
    )
    .option('--link', 'if no browser can be opened, print the link of the desk on standard error')
    .option(
      '--http <port>',
      'serve hosts over Streamable HTTP on this port (0: any free one): at /mcp, or each server of --config at /mcp/<name>',
      portNumber,
    )
    .option('--host <address>', 'with --http: the address to listen on (default: 127.0.0.1)')
    .option(
      '--auth <file>',
      'with --http: who may call, as a JSON file of bearer tokens or of an OpenID Connect issuer',
    )
    .option('--public-url <origin>', 'with --auth: where hosts on other machines reach the bridge', origin)
    .option('--allow-host <name>', 'with --auth: host name under which hosts reach the bridge; repeatable', repeatable)
    .option('--allow-origin <name>', 'with --http: host name of pages that may call the bridge; repeatable', repeatable)
    .option(
      '--redis <address>',
      'with --http: serve hosts together with the other bridges on this Redis; needs MIDCALL_KEY, the same for all',
      redisAddress,
    )
    .option(
      '--peer-url <origin>',
      'with --redis: where the other bridges reach this one (default: where it listens)',
      origin,
    )
    .option(
      '--inbox [store]',
      'with --auth: give each principal an inbox at /inbox, in a SQLite file or a postgres:// database that bridges share',
    )
    .option(
      '--webhook <url>',
      'with --inbox: tell this address that a question waits, and where; signed with MIDCALL_WEBHOOK_SECRET',
      webAddress,
    )
    .option(
      '--allow-target <host>',
      'with --inbox: a host of push services that may be in your network; repeatable',
      repeatable,
    )
    .option('--audit <file>', 'keep the audit log in this file')
    .option('--decisions <file>', 'where your permanent decisions are kept', configPath('decisions.json'))
    .action(bridge);
  addRulesFlags(command);
}

async function bridge(words: readonly string[], flags: BridgeFlags): Promise<void> {
  onlyAfterDashes(words, process.argv);
  checkHttpFlags(flags);
  if (flags.http === undefined) await (await import('./bridge-stdio.ts')).bridgeStdio(flags);
  else await (await import('./bridge-http.ts')).bridgeHttp(flags, flags.http);
}

/**
 * Reads `--redis`.
 * @throws MidcallError `cli/usage` if it is not the address of a Redis server. It may contain a password, so no error repeats
 *   it.
 */
function redisAddress(text: string): string {
  if (text.startsWith('/') || (/^rediss?:\/\//iu.test(text) && URL.canParse(text))) return text;
  throw usage(
    '--redis must be an address such as redis://user:password@host:6379/0, one that begins with rediss://, or the path of a socket.',
  );
}
