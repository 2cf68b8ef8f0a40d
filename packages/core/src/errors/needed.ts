/** Packages that only some users of Midcall need: loaded where they are used, and named in the error if they are missing. */
import { MidcallError } from './errors.ts';

/**
 * Loads an optional package.
 * @param what - what needs it, as the subject of a sentence
 * @param name - as npm knows it
 * @param load - imports it
 * @param install - every package that this use needs, so that one line installs them all
 * @throws MidcallError `server/setup` with the line that installs it
 */
export async function needed<T>(
  what: string,
  name: string,
  load: () => Promise<T>,
  install: readonly string[] = [name],
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const missing =
      (error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND' && String(error).includes(`'${name}'`);
    if (!missing) throw error;
    throw new MidcallError('server/setup', `${what} needs the package ${name}. Run: npm install ${install.join(' ')}`, {
      cause: error,
    });
  }
}
