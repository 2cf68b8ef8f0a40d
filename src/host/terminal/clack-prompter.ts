/** Draws prompts on a real terminal; long lists can be filtered by typing. */
import type { Readable } from 'node:stream';
import { autocomplete, autocompleteMultiselect, isCancel, multiline, multiselect, select, text } from '@clack/prompts';
import { fitted } from './frame.ts';
import type { MaybeColumns } from './line-source.ts';
import { type Given, notGiven, type Pick, type Prompter } from './prompter.ts';
import { wrapped } from './wrap.ts';

/** What stands before a question, and as wide. */
const guide = '│  ';

/** From here on a list is searched rather than walked. */
const longList = 12;

/**
 * A prompter that draws.
 * @param input - a TTY
 */
export function clackPrompter(input: Readable, output: MaybeColumns): Prompter {
  const streams = (signal: AbortSignal) => ({ input, output, signal });
  const given = <T>(value: T): Given<Exclude<T, symbol>> =>
    isCancel(value) ? notGiven : { given: true, value: value as Exclude<T, symbol> };
  /** Clack sets in what it breaks of a choice's question, and not of these. */
  const setIn = (message: string): string =>
    wrapped(message, output.columns === undefined ? undefined : output.columns - guide.length, '').join(`\n${guide}`);
  const options = (picks: readonly Pick[]) =>
    picks.map(({ value, label, hint }) => ({ value, label, ...(hint !== undefined && { hint }) }));
  return {
    starved: false,
    say: lines =>
      void output.write(
        fitted(lines, output.columns)
          .map(line => `${line}\n`)
          .join(''),
      ),
    async text({ message, signal, initial, validate }) {
      const value = await text({
        ...streams(signal),
        message: setIn(message),
        ...(initial !== undefined && { initialValue: initial }),
        validate: typed => validate(typed ?? ''),
      });
      return given(value ?? '');
    },
    async lines({ message, signal, initial, validate }) {
      const value = await multiline({
        ...streams(signal),
        message: setIn(`${message} (Tab, then Enter, when you are done)`),
        showSubmit: true,
        ...(initial !== undefined && { initialValue: initial }),
        validate: typed => validate(typed ?? ''),
      });
      return given(value ?? '');
    },
    async choose({ message, signal, picks, initial }) {
      const common = {
        ...streams(signal),
        message,
        options: options(picks),
        ...(initial !== undefined && { initialValue: initial }),
      };
      if (picks.length > longList)
        return given(await autocomplete({ ...common, message: setIn(message), placeholder: 'Type to search' }));
      return given(await select(common));
    },
    async chooseMany({ message, signal, picks, initial, validate }) {
      const common = { ...streams(signal), options: options(picks), initialValues: [...initial], required: false };
      for (let problem = ''; ; ) {
        const asked = { ...common, message: problem === '' ? message : `${message} — ${problem}` };
        const long = { ...asked, message: setIn(asked.message) };
        const value =
          picks.length > longList
            ? await autocompleteMultiselect({ ...long, placeholder: 'Type to search' })
            : await multiselect(asked);
        if (isCancel(value)) return notGiven;
        const wrong = validate(value);
        if (wrong === undefined) return { given: true, value };
        problem = wrong;
        common.initialValues = [...value];
      }
    },
    close: () => {},
  };
}
