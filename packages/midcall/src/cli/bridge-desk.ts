/** The desk of a person who uses `midcall bridge`: the one that all bridges of this OS user share. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openUrl, writeWhole } from '@midcall/core/node';
import { visible } from '@midcall/core/text';
import { systemClock } from '@midcall/core/time';
import type { Inbox } from '@midcall/host';
import { dataPath } from '../install/index.ts';
import { DeskLink, deskSocketPath } from '../shared-desk/index.ts';
import { bridgeComplaint, bridgeLog } from './bridge-log.ts';

/** @param printLink - if no browser can be opened, the link of the desk is written to standard error */
export function deskLink(inbox: Inbox, printLink: boolean): DeskLink {
  return new DeskLink({
    socket: deskSocketPath,
    inbox,
    clock: systemClock,
    open: url => openPage(url, printLink),
    warn: bridgeLog,
  });
}

/** Opens the desk in a browser, or says where it is: with `--link` in the log, else in a file. */
async function openPage(url: string, print: boolean): Promise<boolean | string> {
  if (await openUrl(url)) return true;
  if (print) {
    bridgeLog(`a question waits at ${url} (the link works once)`);
    return true;
  }
  try {
    const file = `'${visible(await writeLink(url), { max: 1_000 })}'`;
    bridgeLog(
      `a question needs the desk, and no browser can be opened here. The link to it is in ${file}; it works once. Start the bridge with --link to get such links here, or answer in a terminal: midcall inbox`,
    );
    return `The link to the question is in the file ${file} on the machine of the bridge; it is for the person alone, and works once.`;
  } catch (error) {
    bridgeComplaint(error);
    return false;
  }
}

/** The file for the link to a question that no browser could be opened for. */
const linkPath = (): string => {
  const name = `question-${process.pid}.link`;
  const runtime = process.env['XDG_RUNTIME_DIR'];
  return runtime ? join(runtime, 'midcall', name) : join(dataPath('links'), name);
};

let hasLinkFile = false;

/**
 * Writes the newest link to a file of the person's own, in place of the one before. The host stores what the bridge logs, and
 * what it answers reaches a model: neither may contain the link, which opens the desk. The file is removed when this process
 * ends.
 * @returns the path of the file
 */
async function writeLink(url: string): Promise<string> {
  const file = linkPath();
  await writeWhole(file, `${url}\n`);
  if (!hasLinkFile) process.once('exit', () => rmSync(file, { force: true }));
  hasLinkFile = true;
  return file;
}
