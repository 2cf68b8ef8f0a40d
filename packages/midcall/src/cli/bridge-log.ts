/** What `midcall bridge` tells the person who runs it, all on standard error. */
import { openUrl } from '@midcall/core/node';
import { visible } from '@midcall/core/text';
import type { BridgeOptions } from '../bridge/index.ts';
import { writeLink } from './link-file.ts';
import { isReaderGone } from './reader-gone.ts';

export const bridgeLog = (message: string): void => void process.stderr.write(`midcall bridge: ${message}\n`);
export const bridgeComplaint = (error: unknown): void =>
  void (
    isReaderGone(error) || bridgeLog(visible(error instanceof Error ? error.message : String(error), { max: 2_000 }))
  );

/** Opens the desk in a browser, or says where it is: with `--link` in the log, else in a file. */
export async function openPage(url: string, print: boolean): ReturnType<BridgeOptions['openPage']> {
  if (await openUrl(url)) return true;
  if (print) {
    bridgeLog(`a question waits at ${url} (the link works once)`);
    return true;
  }
  try {
    const file = `'${visible(await writeLink(url), { max: 1_000 })}'`;
    bridgeLog(
      `a question needs the desk, and no browser can be opened here. The link to it is in ${file}; it works once. Start the bridge with --link to get such links here.`,
    );
    return `The link to the question is in the file ${file} on the machine of the bridge; it is for the person alone, and works once.`;
  } catch (error) {
    bridgeComplaint(error);
    return false;
  }
}
