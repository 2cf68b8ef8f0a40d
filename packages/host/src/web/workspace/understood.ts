/** What a person means by what they enter to add a server: a command, a URL, a list of servers or an npm package. Pure. */
import { isMidcallError } from '@midcall/core/errors';
import { commandWords } from '../../index.ts';

/** What was entered. */
export type Understood =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'config' }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'command'; readonly program: string }
  | {
      readonly kind: 'package';
      readonly name: string;
      /** A version or a tag. */
      readonly version: string;
      readonly args: readonly string[];
    }
  | { readonly kind: 'wrong'; readonly why: string };

const packageName = /^(@[a-z0-9~-][a-z0-9._~-]*\/[a-z0-9~-][a-z0-9._~-]*|[a-z0-9~-][a-z0-9._~-]*)(?:@([\w.^~+-]+))?$/;

/** This machine is reached without encryption. */
const local = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)/i;

/**
 * @param text - as entered
 * @param isProgram - true for the name of a program on this machine
 */
export function understand(text: string, isProgram: (word: string) => boolean): Understood {
  const entered = text.trim();
  if (entered === '') return { kind: 'nothing' };
  if (/^https?:\/\//i.test(entered)) return { kind: 'url', url: entered };
  if (local.test(entered)) return { kind: 'url', url: `http://${entered}` };
  if (/^(?:[{[]|"[^"]*"\s*:|\/[/*])/.test(entered)) return { kind: 'config' };
  try {
    const [first = '', ...args] = commandWords(entered);
    const found = packageName.exec(first);
    const isScoped = first.startsWith('@');
    if (found && (isScoped || (args.length === 0 && !isProgram(first))))
      return { kind: 'package', name: found[1]!, version: found[2] ?? 'latest', args };
    return { kind: 'command', program: first };
  } catch (error) {
    if (!isMidcallError(error)) throw error;
    return { kind: 'wrong', why: error.message };
  }
}
