/** Going back in a real pseudo-terminal: Esc and Ctrl-C, and what was entered by then. */
import { describe, expect, it } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { down, endOfInput, enter, esc, interrupt, shiftTab, suspend, terminal, up } from './tty.ts';

/** Fills in the names of the long form, each when it is asked for. */
async function fillNames(tty: ReturnType<typeof terminal>, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) {
    await tty.pass([`Name ${n} (`, `person ${n}${enter}`], [`person ${n}`]);
  }
}

describe.each(few(['2025', '2026'], '2026'))('going back, %s', era => {
  it('a person going back loses none of 20 answers: a key is one step back, and the next asks before it ends anything', async () => {
    const tty = terminal(['long', '--era', era]);
    await tty.pass(['What do you want to do?', enter]);
    await fillNames(tty, 1, 18);
    await tty.pass(
      ['Meal (required)', down + enter],
      ['Days (required)', ' '],
      ['◼ Mon', esc],
      ['Meal (required)'],
      ['● fish', interrupt],
      ['Leave this question? Nothing has been sent.', enter],
      ['● fish', enter],
      ['Days (required)'],
      ['◼ Mon', enter],
      ['Sure (required)', down + enter],
      ['Name 18: person 18'],
      ['Send it?', enter],
      [/"name18": "person 18",\s+"meal": "fish",\s+"days": \[\s+"Mon"\s+\],\s+"sure": true/],
    );
    expect(await tty.ended).toBe(0);
    expect(tty.text()).not.toContain('MaxListeners');
  });

  it('Ctrl-D is one step back, and Ctrl-Z nothing, so that neither leaves a prompt that hears no key', async () => {
    const tty = terminal(['long', '{"fields":5}', '--era', era]);
    await tty.pass(['What do you want to do?', suspend + enter]);
    await fillNames(tty, 1, 1);
    await tty.pass(
      ['Name 2 (', `${suspend}person 2`],
      ['person 2', endOfInput],
      ['Name 1 (required)'],
      ['person 1', enter],
      ['Name 2 ('],
      ['person 2', interrupt],
      ['Name 1 (required)'],
      ['person 1', endOfInput],
      ['Leave this question?', endOfInput],
      ['Not sent. You had entered:'],
    );
    expect(await tty.ended).toBe(0);
  });

  it('Up and Shift+Tab lead from field to field, to the one that is wrong, and forwards again over what stands there', async () => {
    const tty = terminal(['long', '{"fields":10}', '--era', era]);
    await tty.pass(['What do you want to do?', enter]);
    await fillNames(tty, 1, 2);
    await tty.until('Up goes back to Name 2');
    expect(tty.text().slice(0, tty.text().indexOf('Name 2 ('))).not.toContain('Up goes back');
    tty.type(`preson 3${enter}`);
    await tty.until('preson 3');
    await fillNames(tty, 4, 7);
    await tty.pass(['Meal (required)', shiftTab]);
    for (const name of [7, 6, 5, 4]) {
      await tty.pass([`Name ${name} (optional)`], [`person ${name}`, up]);
    }
    await tty.pass(['Name 3 (optional)'], ['preson 3', `${'\u007f'.repeat(7)}erson 3${enter}`]);
    for (const name of [4, 5, 6, 7]) {
      await tty.pass([`Name ${name} (optional)`], [`person ${name}`, enter]);
    }
    await tty.pass(
      ['Meal (required)', down + enter],
      ['Days (required)', ' '],
      ['◼ Mon', shiftTab],
      ['Meal (required)'],
      ['● fish', enter],
      ['Days (required)'],
      ['◼ Mon', enter],
      ['Sure (required)', down + enter],
      ['Send it?', enter],
      [/"name2": "person 2",\s+"name3": "person 3",\s+"name4": "person 4"/],
    );
    expect(tty.text()).not.toContain('Leave this question?');
    expect(await tty.ended).toBe(0);
  });

  it('a question that is given up three times is left, and what had been entered is written out', async () => {
    const tty = terminal(['long', '{"fields":5}', '--era', era]);
    await tty.pass(['What do you want to do?', enter]);
    await fillNames(tty, 1, 1);
    await tty.pass(
      ['Name 2 (', 'half a na'],
      ['half a na', interrupt],
      ['Name 1 (required)'],
      ['person 1', interrupt],
      ['Leave this question?', interrupt],
      ['Not sent. You had entered:'],
      ['Name 1: person 1'],
      ['Name 2: half a na'],
      ['"action":"cancel"'],
    );
    expect(await tty.ended).toBe(0);
  });
});

describe('going back', () => {
  it('a text that is half typed is kept, and one may go back as far as one wants', async () => {
    const tty = terminal(['long', '{"fields":5}', '--era', '2026']);
    await tty.pass(['What do you want to do?', enter]);
    await fillNames(tty, 1, 1);
    await tty.pass(
      ['Name 2 (', 'half a na'],
      ['half a na', esc],
      ['Name 1 (required)', esc],
      ['Leave this question?', down + enter],
      ['What do you want to do?', enter],
      ['Name 1 (required)'],
      ['person 1', enter],
      ['Name 2 (optional)'],
      ['half a na', `me${enter}`],
      ['Meal (required)', down + enter],
      ['Days (required)', enter],
      ['Sure (required)', down + down + enter],
      ['Send it?', enter],
      ['{"name1":"person 1","name2":"half a name","meal":"fish","days":[],"sure":false}'],
    );
    expect(await tty.ended).toBe(0);
  });

  it('no answer is chosen where one is required: Enter alone asks again', async () => {
    const tty = terminal(['long', '{"fields":4}', '--era', '2026']);
    await tty.pass(['What do you want to do?', enter]);
    await fillNames(tty, 1, 1);
    for (const [field, keys] of [
      ['Meal', down],
      ['Days', ''],
      ['Sure', down],
    ] as const) {
      await tty.until(`${field} (required)`);
      if (keys !== '') {
        await tty.pass(
          ['● (nothing chosen yet)', enter],
          [`${field} (required) — choose one of them`],
          ['● (nothing chosen yet)'],
        );
      }
      tty.type(keys + enter);
    }
    await tty.pass(['Send it?', enter], ['"meal":"fish","days":[],"sure":true}']);
    expect(await tty.ended).toBe(0);
  });

  it('no answer is chosen in plain lines either, and Ctrl-C is a step back there', async () => {
    const tty = terminal(['long', '{"fields":4}', '--era', '2026'], { NO_COLOR: '1' });
    await tty.pass(
      ['Number or name', `1${enter}`],
      ['Name 1 (required): ', `Ann${enter}`],
      ['Number or name: ', enter],
      ['! None of the choices.', interrupt],
      ['Name 1 (required) [Enter: Ann;', enter],
      ['Number or name: ', `fish${enter}`],
      ['Numbers or names', `Tue${interrupt}`],
      ['[Enter: fish]', enter],
      ['[Enter: Tue;', enter],
      ['Sure (required)'],
      ['Number or name: ', enter],
      ['! None of the choices.', `no${enter}`],
      ['Send it?'],
      ['Number or name', `1${enter}`],
      ['{"name1":"Ann","meal":"fish","days":["Tue"],"sure":false}'],
    );
    expect(await tty.ended).toBe(0);
  });

  it('an interrupt from outside is one step back, too', async () => {
    const tty = terminal(['long', '{"fields":5}', '--era', '2026']);
    await tty.pass(['What do you want to do?', enter]);
    await fillNames(tty, 1, 1);
    await tty.until('Name 2 (');
    tty.signal('SIGINT');
    await tty.pass(['Name 1 (required)'], ['person 1']);
    tty.signal('SIGINT');
    await tty.pass(['Leave this question?', down + down + enter], ['"action":"decline"']);
    expect(await tty.ended).toBe(0);
  });

  it('the ticks of a list that is long enough to be searched are put back', async () => {
    const tty = terminal(['many-days', '--era', '2026']);
    await tty.pass(
      ['What do you want to do?', enter],
      ['Days (required', `${down} `],
      ['◼ day 2', esc],
      ['What do you want to do?', enter],
      ['◼ day 2', enter],
      ['Send it?', enter],
      ['{"days":["day 2"]}'],
    );
    expect(await tty.ended).toBe(0);
  });

  it('a reply that was written in place of a model is not lost', async () => {
    const tty = terminal(['sample', '--era', '2026']);
    await tty.pass(
      ['Reply in place of a model?', `${down}${down}${enter}`],
      ['Tab, then Enter', ' and more'],
      ['Hello and more', esc],
      ['Reply in place of a model?', interrupt],
      ['Leave this question?', enter],
      ['Reply in place of a model?', `${down}${down}${enter}`],
      ['Hello and more', `\t${enter}`],
      ['  | Hello and more'],
      ['Reply in place of a model?', interrupt],
      ['Leave this question?', interrupt],
    );
    expect(await tty.ended).toBe(4);
  });
});
