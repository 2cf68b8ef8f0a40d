/** What `midcall bridge` tells the person who runs it, all on standard error. */
import { messageOf } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import { isReaderGone } from './reader-gone.ts';

export const bridgeLog = (message: string): void => void process.stderr.write(`midcall bridge: ${message}\n`);
export const bridgeComplaint = (error: unknown): void =>
  void (
    isReaderGone(error) || bridgeLog(visible(messageOf(error), { max: 2_000 }))
  );
