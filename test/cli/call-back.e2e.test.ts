/** Going back in a real pseudo-terminal: Esc and Ctrl-C, and what was entered by then. */
import { describe, expect, it } from 'vitest';
import { down, enter, esc, interrupt, shiftTab, terminal, up } from './tty.ts';

/** Fills in the names of the long form, each when it is asked for. */
async function fillNames(tty: ReturnType<typeof terminal>, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) {
    await tty.until(`Name ${n} (`);
    tty.type(`person ${n}${enter}`);
    await tty.until(`person ${n}`);
  }
}

describe.each(['2025', '2026'])('going back, %s', era => {
  it('loses none of 20 answers: a key is one step back, and the next asks before it ends anything', async () => {
    const tty = terminal(['long', '--era', era]);
    await tty.until('What do you want to do?');
    tty.type(enter);
    await fillNames(tty, 1, 18);
    await tty.until('Meal (required)');
    tty.type(down + enter);
    await tty.until('Days (required)');
    tty.type(' ');
    await tty.until('◼ Mon');
    tty.type(esc);
    await tty.until('Meal (required)');
    await tty.until('● fish');
    tty.type(interrupt);
    await tty.until('Leave this question? Nothing has been sent.');
    tty.type(enter);
    await tty.until('● fish');
    tty.type(enter);
    await tty.until('Days (required)');
    await tty.until('◼ Mon');
    tty.type(enter);
    await tty.until('Sure (required)');
    tty.type(down + enter);
    await tty.until('Name 18: person 18');
    await tty.until('Send it?');
    tty.type(enter);
    await tty.until(/"name18": "person 18",\s+"meal": "fish",\s+"days": \[\s+"Mon"\s+\],\s+"sure": true/);
    expect(await tty.ended).toBe(0);
    expect(tty.text()).not.toContain('MaxListeners');
  });

  it('goes from field to field with Up and Shift+Tab, to the one that is wrong and forwards again over what stands there', async () => {
    const tty = terminal(['long', '{"fields":10}', '--era', era]);
    await tty.until('What do you want to do?');
    tty.type(enter);
    await fillNames(tty, 1, 2);
    await tty.until('Up goes back to Name 2');
    expect(tty.text().slice(0, tty.text().indexOf('Name 2 ('))).not.toContain('Up goes back');
    tty.type(`preson 3${enter}`);
    await tty.until('preson 3');
    await fillNames(tty, 4, 7);
    await tty.until('Meal (required)');
    tty.type(shiftTab);
    for (const name of [7, 6, 5, 4]) {
      await tty.until(`Name ${name} (optional)`);
      await tty.until(`person ${name}`);
      tty.type(up);
    }
    await tty.until('Name 3 (optional)');
    await tty.until('preson 3');
    tty.type(`${'\u007f'.repeat(7)}erson 3${enter}`);
    for (const name of [4, 5, 6, 7]) {
      await tty.until(`Name ${name} (optional)`);
      await tty.until(`person ${name}`);
      tty.type(enter);
    }
    await tty.until('Meal (required)');
    tty.type(down + enter);
    await tty.until('Days (required)');
    tty.type(' ');
    await tty.until('◼ Mon');
    tty.type(shiftTab);
    await tty.until('Meal (required)');
    await tty.until('● fish');
    tty.type(enter);
    await tty.until('Days (required)');
    await tty.until('◼ Mon');
    tty.type(enter);
    await tty.until('Sure (required)');
    tty.type(down + enter);
    await tty.until('Send it?');
    tty.type(enter);
    await tty.until(/"name2": "person 2",\s+"name3": "person 3",\s+"name4": "person 4"/);
    expect(tty.text()).not.toContain('Leave this question?');
    expect(await tty.ended).toBe(0);
  });

  it('leaves a question that is given up three times, and writes out what had been entered', async () => {
    const tty = terminal(['long', '{"fields":5}', '--era', era]);
    await tty.until('What do you want to do?');
    tty.type(enter);
    await fillNames(tty, 1, 1);
    await tty.until('Name 2 (');
    tty.type('half a na');
    await tty.until('half a na');
    tty.type(interrupt);
    await tty.until('Name 1 (required)');
    await tty.until('person 1');
    tty.type(interrupt);
    await tty.until('Leave this question?');
    tty.type(interrupt);
    await tty.until('Not sent. You had entered:');
    await tty.until('Name 1: person 1');
    await tty.until('Name 2: half a na');
    await tty.until('"action":"cancel"');
    expect(await tty.ended).toBe(0);
  });
});

describe('going back', () => {
  it('keeps a text that is half typed, and goes back as far as one wants', async () => {
    const tty = terminal(['long', '{"fields":5}', '--era', '2026']);
    await tty.until('What do you want to do?');
    tty.type(enter);
    await fillNames(tty, 1, 1);
    await tty.until('Name 2 (');
    tty.type('half a na');
    await tty.until('half a na');
    tty.type(esc);
    await tty.until('Name 1 (required)');
    tty.type(esc);
    await tty.until('Leave this question?');
    tty.type(down + enter);
    await tty.until('What do you want to do?');
    tty.type(enter);
    await tty.until('Name 1 (required)');
    await tty.until('person 1');
    tty.type(enter);
    await tty.until('Name 2 (optional)');
    await tty.until('half a na');
    tty.type(`me${enter}`);
    await tty.until('Meal (required)');
    tty.type(down + enter);
    await tty.until('Days (required)');
    tty.type(enter);
    await tty.until('Sure (required)');
    tty.type(down + down + enter);
    await tty.until('Send it?');
    tty.type(enter);
    await tty.until('{"name1":"person 1","name2":"half a name","meal":"fish","days":[],"sure":false}');
    expect(await tty.ended).toBe(0);
  });

  it('has no answer chosen where one is required: Enter alone asks again', async () => {
    const tty = terminal(['long', '{"fields":4}', '--era', '2026']);
    await tty.until('What do you want to do?');
    tty.type(enter);
    await fillNames(tty, 1, 1);
    for (const [field, keys] of [
      ['Meal', down],
      ['Days', ''],
      ['Sure', down],
    ] as const) {
      await tty.until(`${field} (required)`);
      if (keys !== '') {
        await tty.until('● (nothing chosen yet)');
        tty.type(enter);
        await tty.until(`${field} (required) — choose one of them`);
        await tty.until('● (nothing chosen yet)');
      }
      tty.type(keys + enter);
    }
    await tty.until('Send it?');
    tty.type(enter);
    await tty.until('"meal":"fish","days":[],"sure":true}');
    expect(await tty.ended).toBe(0);
  });

  it('has no answer chosen in plain lines either, and takes Ctrl-C as a step back there', async () => {
    const tty = terminal(['long', '{"fields":4}', '--era', '2026'], { NO_COLOR: '1' });
    await tty.until('Number or name');
    tty.type(`1${enter}`);
    await tty.until('Name 1 (required): ');
    tty.type(`Ann${enter}`);
    await tty.until('Number or name: ');
    tty.type(enter);
    await tty.until('! None of the choices.');
    tty.type(interrupt);
    await tty.until('Name 1 (required) [Enter: Ann;');
    tty.type(enter);
    await tty.until('Number or name: ');
    tty.type(`fish${enter}`);
    await tty.until('Numbers or names');
    tty.type(`Tue${interrupt}`);
    await tty.until('[Enter: fish]');
    tty.type(enter);
    await tty.until('[Enter: Tue;');
    tty.type(enter);
    await tty.until('Sure (required)');
    await tty.until('Number or name: ');
    tty.type(enter);
    await tty.until('! None of the choices.');
    tty.type(`no${enter}`);
    await tty.until('Send it?');
    await tty.until('Number or name');
    tty.type(`1${enter}`);
    await tty.until('{"name1":"Ann","meal":"fish","days":["Tue"],"sure":false}');
    expect(await tty.ended).toBe(0);
  });

  it('takes an interrupt from outside as one step back, too', async () => {
    const tty = terminal(['long', '{"fields":5}', '--era', '2026']);
    await tty.until('What do you want to do?');
    tty.type(enter);
    await fillNames(tty, 1, 1);
    await tty.until('Name 2 (');
    tty.signal('SIGINT');
    await tty.until('Name 1 (required)');
    await tty.until('person 1');
    tty.signal('SIGINT');
    await tty.until('Leave this question?');
    tty.type(down + down + enter);
    await tty.until('"action":"decline"');
    expect(await tty.ended).toBe(0);
  });

  it('puts back the ticks of a list that is long enough to be searched', async () => {
    const tty = terminal(['many-days', '--era', '2026']);
    await tty.until('What do you want to do?');
    tty.type(enter);
    await tty.until('Days (required');
    tty.type(`${down} `);
    await tty.until('◼ day 2');
    tty.type(esc);
    await tty.until('What do you want to do?');
    tty.type(enter);
    await tty.until('◼ day 2');
    tty.type(enter);
    await tty.until('Send it?');
    tty.type(enter);
    await tty.until('{"days":["day 2"]}');
    expect(await tty.ended).toBe(0);
  });

  it('loses no reply that was written in place of a model', async () => {
    const tty = terminal(['sample', '--era', '2026']);
    await tty.until('Reply in place of a model?');
    tty.type(`${down}${down}${enter}`);
    await tty.until('Tab, then Enter');
    tty.type(' and more');
    await tty.until('Hello and more');
    tty.type(esc);
    await tty.until('Reply in place of a model?');
    tty.type(interrupt);
    await tty.until('Leave this question?');
    tty.type(enter);
    await tty.until('Reply in place of a model?');
    tty.type(`${down}${down}${enter}`);
    await tty.until('Hello and more');
    tty.type(`\t${enter}`);
    await tty.until('  | Hello and more');
    await tty.until('Reply in place of a model?');
    tty.type(interrupt);
    await tty.until('Leave this question?');
    tty.type(interrupt);
    expect(await tty.ended).toBe(4);
  });
});
