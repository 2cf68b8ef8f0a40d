/** What `midcall bridge` tells the person who runs it, all on standard error. */
import { openUrl } from '@midcall/core/node';
import { visible } from '@midcall/core/text';
import { isReaderGone } from './reader-gone.ts';

export const bridgeLog = (message: string): void => void process.stderr.write(`midcall bridge: ${message}\n`);
export const bridgeComplaint = (error: unknown): void =>
  void (
    isReaderGone(error) || bridgeLog(visible(error instanceof Error ? error.message : String(error), { max: 2_000 }))
  );

/** Opens the desk in a browser, or says where it is. @returns false if neither is possible */
export async function openPage(url: string, print: boolean): Promise<boolean> {
  if (await openUrl(url)) return true;
  if (print) bridgeLog(`a question waits at ${url} (the link works once)`);
  else
    bridgeLog(
      'a question needs the desk, and no browser can be opened here. Start the bridge with --link to get a link.',
    );
  return print;
}
