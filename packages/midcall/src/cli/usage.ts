import { MidcallError } from '@midcall/core/errors';

/** A command line, or a file that it names, that cannot be used as it is. */
export const usage = (message: string, options?: ErrorOptions): MidcallError =>
  new MidcallError('cli/usage', message, options);
