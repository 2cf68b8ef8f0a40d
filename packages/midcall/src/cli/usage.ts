import { MidcallError } from '@midcall/core/errors';

/** An unusable command line, or an unusable file that it names. */
export const usage = (message: string, options?: ErrorOptions): MidcallError =>
  new MidcallError('cli/usage', message, options);
