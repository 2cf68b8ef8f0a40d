/** What an open page has already is left out of the page that comes with a question. */
import { request } from 'node:http';
import { html } from '@midcall/core/page';
import { expect, it } from 'vitest';
import { part } from '../../packages/host/src/web/pages/layout.ts';
import { enter } from './client.ts';
import { pickOne, stageOfFile } from './stage.ts';

const item = (text: string) => part('li', { class: 'row', 'data-key': 'k' }, html`<b>${text}</b>`);

it('markup knows where its parts are, however it was put together, and leaves out those that somebody has', () => {
  const [one, two] = [item('1 < 2'), item('two')];
  const whole = html`<ul>${['a & b', [one, html`<i>${two}</i>`]]}</ul>`;
  expect(whole.parts.map(({ start, end }) => whole.text.slice(start, end))).toEqual([one.text, two.text]);
  expect(whole.without(new Set()).text).toBe(whole.text);
  const instead = `<li data-part="${one.parts[0]!.name}" data-key="k" data-left-out></li>`;
  expect(whole.without(new Set([one.parts[0]!.name])).text).toBe(`<ul>a &amp; b${instead}<i>${two.text}</i></ul>`);
});

it('parts have the same name only where they are the same', () => {
  expect(item('a').parts[0]!.name).toBe(item('a').parts[0]!.name);
  expect(item('a').parts[0]!.name).not.toBe(item('b').parts[0]!.name);
});

const on = await stageOfFile();

it('the next question brings what has changed since the last, and leaves out the rest', async () => {
  const { cookie } = await enter(on.desk);
  const page = new URL('policy', on.desk.url).pathname;
  const url = new URL(`events?${new URLSearchParams({ since: '0', page })}`, on.desk.url);
  const brought: string[] = [];
  let heard = (): void => {};
  const stream = request(url, { headers: { cookie } }, response => {
    let text = '';
    response.setEncoding('utf8').on('data', chunk => {
      text += chunk;
      const events = text.split('\n\n');
      text = events.pop()!;
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        const came = data === undefined ? undefined : (JSON.parse(data) as { page?: string }).page;
        if (came !== undefined) brought.push(came);
      }
      heard();
    });
  });
  stream.end();
  const next = () =>
    new Promise<void>(resolve => {
      heard = resolve;
    });
  await next();
  // Two pages do not come at once, so questions are put until one has.
  for (const count of [1, 2])
    while (brought.length < count) {
      const question = pickOne('p-1');
      const told = next();
      void on.inbox.ask(question);
      await told;
      on.inbox.end(question.id, { how: 'withdrawn' });
    }
  stream.destroy();
  const [first, second] = brought as [string, string];
  expect([first, second].map(each => each.includes('data-key="i-'))).toEqual([true, true]);
  expect([first, second].map(each => each.includes('id="side-find"'))).toEqual([true, false]);
  expect([first, second].map(each => each.includes('data-left-out'))).toEqual([false, true]);
  expect(second.length).toBeLessThan(first.length);
});
