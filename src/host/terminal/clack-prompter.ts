/** Draws prompts on a real terminal; long lists can be filtered by typing. */
import type { Readable, Writable } from 'node:stream';
import { autocomplete, autocompleteMultiselect, isCancel, multiline, multiselect, select, text } from '@clack/prompts';
import { type Given, notGiven, type Pick, type Prompter } from './prompter.ts';

/** From here on a list is searched rather than walked. */
const longList = 12;

/**
 * A prompter that draws.
 * @param input - a TTY
 */
export function clackPrompter(input: Readable, output: Writable): Prompter {
  const streams = (signal: AbortSignal) => ({ input, output, signal });
  const given = <T>(value: T): Given<Exclude<T, symbol>> =>
    isCancel(value) ? notGiven : { given: true, value: value as Exclude<T, symbol> };
  const options = (picks: readonly Pick[]) =>
    picks.map(({ value, label, hint }) => ({ value, label, ...(hint !== undefined && { hint }) }));
  return {
    starved: false,
    say: lines => void output.write(lines.map(line => `${line}\n`).join('')),
    async text({ message, signal, initial, validate }) {
      const value = await text({
        ...streams(signal),
        message,
        ...(initial !== undefined && { initialValue: initial }),
        validate: typed => validate(typed ?? ''),
      });
      return given(value ?? '');
    },
    async lines({ message, signal, initial, validate }) {
      const value = await multiline({
        ...streams(signal),
        message: `${message} (Tab, then Enter, when you are done)`,
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
      if (picks.length > longList) return given(await autocomplete({ ...common, placeholder: 'Type to search' }));
      return given(await select(common));
    },
    async chooseMany({ message, signal, picks, initial, validate }) {
      const common = { ...streams(signal), options: options(picks), initialValues: [...initial], required: false };
      for (let problem = ''; ; ) {
        const asked = { ...common, message: problem === '' ? message : `${message} — ${problem}` };
        const value =
          picks.length > longList
            ? await autocompleteMultiselect({ ...asked, placeholder: 'Type to search' })
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
