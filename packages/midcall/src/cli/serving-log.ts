/** What a command that serves tells the person who runs it, all on standard error: its host may read standard output. */
import { isMidcallError, messageOf } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import { exitCodes } from './exit-codes.ts';
import { isReaderGone } from './reader-gone.ts';

export interface ServingLog {
  readonly log: (message: string) => void;
  /** Tells what went wrong, unless nobody would read it. */
  readonly complain: (error: unknown) => void;
  /** Ends the command because it cannot listen. @throws what it is given, if that is anything else */
  readonly notServed: (error: unknown) => void;
}

/** @param command - the name of the subcommand */
export function servingLog(command: string): ServingLog {
  const log = (message: string): void => void process.stderr.write(`midcall ${command}: ${message}\n`);
  return {
    log,
    complain: error => void (isReaderGone(error) || log(visible(messageOf(error), { max: 2_000 }))),
    notServed(error) {
      if (!isMidcallError(error, 'server/setup')) throw error;
      log(error.message);
      process.exitCode = exitCodes.noServer.code;
    },
  };
}

export const { log: bridgeLog, complain: bridgeComplaint, notServed: bridgeNotServed } = servingLog('bridge');
