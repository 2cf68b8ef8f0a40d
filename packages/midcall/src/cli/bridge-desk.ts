/** The desk of a person who uses `midcall bridge`: the one that all bridges of this OS user share. */
import { hasBrowser, openUrl } from '@midcall/core/node';
import { systemClock } from '@midcall/core/time';
import type { Inbox } from '@midcall/host';
import { DeskLink, deskSocketPath } from '../shared-desk/index.ts';
import { bridgeLog } from './serving-log.ts';

/** Told to the model, and written to the log, which its host keeps: neither may hold a link, which opens the desk. */
const way =
  'They answer on the machine of the bridge: with "midcall inbox" in a terminal, or in a browser with the link that "midcall ' +
  'desk" prints. These commands are for the person alone.';

/** @param printLink - if no browser can be opened, the link to a question is written to standard error */
export function deskLink(inbox: Inbox, printLink: boolean): DeskLink {
  const print = async (url: string): Promise<boolean> => {
    bridgeLog(`a question waits at ${url} (the link works once)`);
    return true;
  };
  const open = async (url: string): Promise<boolean> =>
    (hasBrowser() && (await openUrl(url))) || (printLink && print(url));
  return new DeskLink({
    socket: deskSocketPath,
    inbox,
    clock: systemClock,
    ...((printLink || hasBrowser()) && { open }),
    way,
    warn: bridgeLog,
  });
}
