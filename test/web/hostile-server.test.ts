/** What a server may name, nest and cause without end, and the pages of the desk that stay whole. */
import type { Catalogue, Question } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { callPage } from '../../packages/host/src/web/pages/call-page.ts';
import { layout } from '../../packages/host/src/web/pages/layout.ts';
import { againPath, offerPath } from '../../packages/host/src/web/pages/paths.ts';
import { History } from '../../packages/host/src/web/workspace/history.ts';
import { shownOffers } from '../../packages/host/src/web/workspace/offers.ts';
import type { CallView, DeskView, ServerView } from '../../packages/host/src/web/workspace/views.ts';

const link = (path: string): string => path;

const half = 'a\uD800b';
const named = (name: string) => ({ name, inputSchema: { type: 'object' as const } });
const call = (more: Partial<CallView> = {}): CallView => ({
  context: { id: 'c', kind: 'tool', name: 'act', arguments: {} },
  serverId: 's',
  startedAt: 0,
  items: [],
  ...more,
});

describe('a name with half a surrogate pair in it, or of dots alone', () => {
  it('a name with half a surrogate pair in it, or of dots alone is listed for no tool, prompt or resource, and the page around the others is made', () => {
    const offers = shownOffers({
      tools: [named('plain'), named(half), named('..')],
      prompts: [{ name: half }, { name: '.' }],
      resources: [{ name: 'r', uri: `x:${half}` }],
      resourceTemplates: [],
      problems: [],
    } as Catalogue);
    expect(offers).toMatchObject({ tools: [{ name: 'plain' }], prompts: [], resources: [] });
    const server: ServerView = { id: half, origin: 'o', state: 'ready', unlisted: [], roots: [], log: [], ...offers };
    const view: DeskView = {
      servers: [server],
      open: [],
      csrf: 'x',
      link,
      now: 0,
      zone: 'UTC',
      event: 0,
      isFolded: () => undefined,
      singleKeys: true,
    };
    const content = { title: 't', main: '' as never };
    const page = layout(view, content, {
      icon: '',
      waiting: '',
      style: '/s',
      script: '/e',
      usedLinkScript: '/a',
      worker: '/k',
      manifest: '/m',
    });
    expect(page.body.text).toContain('href="/servers/a%EF%BF%BDb/tools/plain"');
  });

  it('a name with half a surrogate pair in it, or of dots alone has an address all the same where a call has it', () => {
    expect(offerPath('s', 'tool', half)).toBe('/servers/s/tools/a%EF%BF%BDb');
    expect(againPath(call({ context: { id: 'c', kind: 'tool', name: half, arguments: {} } }))).toContain('%EF%BF%BD');
  });
});

it('the title of a tab hides and reorders nothing, and is cut where it is long', () => {
  const view = { servers: [], open: [], csrf: 'x', link, now: 0, zone: 'UTC', event: 0, isFolded: () => undefined };
  const assets = {
    icon: '',
    waiting: '',
    style: '/s',
    script: '/e',
    usedLinkScript: '/a',
    worker: '/k',
    manifest: '/m',
  };
  const titled = (title: string) => layout({ ...view, singleKeys: true }, { title, main: '' as never }, assets).title;
  expect(titled('a\u202Eb')).toBe('a⟦U+202E⟧b · Midcall');
  expect(titled('x'.repeat(5_000))).toBe(`${'x'.repeat(200)}… (4,800 more characters) · Midcall`);
});

it('the page says of a result nested deeper than can be written out that it is', () => {
  let structuredContent: object = {};
  for (let depth = 0; depth < 100_000; depth += 1) structuredContent = { a: structuredContent };
  const result = { content: [{ type: 'odd', structuredContent }], structuredContent };
  const context = { csrf: 'x', link, now: 0, zone: 'UTC' };
  const page = callPage(call({ outcome: { how: 'completed', result }, endedAt: 1 }), context);
  expect(page.main.text.split('Nested too deeply').length - 1).toBe(2);
});

it('the page shows a little of a progress or status message of a megabyte, and writes out what is hidden in it', () => {
  const message = `half\u202E\u2800\u0007<b>${'m'.repeat(1_000_000)}`;
  const context = { csrf: 'x', link, now: 0, zone: 'UTC' };
  const running: Partial<CallView>[] = [
    { progress: { progress: 1, message } },
    { task: { status: 'working', resumable: true, message } },
  ];
  for (const more of running) {
    const text = callPage(call(more), context).main.text.replace(/<\/?mark[^>]*>/g, '');
    expect(text).toContain('half⟦U+202E⟧⟦U+2800⟧⟦U+0007⟧&lt;b&gt;m');
    expect(text).toContain('more characters');
    expect(text.length).toBeLessThan(20_000);
  }
});

it('a question that names no call is in every running call of its server, as one that may be its own, open and ended', () => {
  const history = new History();
  for (const [id, server] of [
    ['one', 's'],
    ['two', 's'],
    ['ended', 's'],
    ['elsewhere', 'other'],
  ] as const)
    history.started({ ...call().context, id }, server, 0);
  history.update('ended', { outcome: { how: 'cancelled' }, endedAt: 1 });
  const question: Question = {
    id: 'q',
    asker: { id: 's', name: 's', origin: 'o', era: '2025-11-25' },
    askedAt: 2,
    kind: 'form',
    message: 'Whose is this?',
    fields: [],
  };
  const context = { csrf: 'x', link, now: 3, zone: 'UTC' };
  const page = (id: string): string => callPage(history.call(id)!, context).main.text;
  history.asked(question);
  for (const id of ['one', 'two']) {
    expect(history.call(id)?.items).toMatchObject([{ perhaps: true }]);
    expect(page(id)).toMatch(/class="(?:frame-call )?perhaps"[\s\S]*Whose is this\?/);
    expect(page(id)).not.toContain('The server is working');
  }
  for (const id of ['ended', 'elsewhere']) expect(page(id)).not.toContain('Whose is this?');
  history.ended({ question, ending: { how: 'declined', via: 'web' }, endedAt: 4 });
  expect(page('two')).toMatch(/class="(?:frame-call )?perhaps"[\s\S]*Whose is this\?/);
  expect(history.call('two')?.items).toMatchObject([{ perhaps: true, ending: { how: 'declined' } }]);
});

it('the page shows a call with a hundred notices at most', () => {
  const history = new History();
  history.started(call().context, 's', 0);
  for (let at = 0; at < 10_000; at += 1)
    history.noticed({
      notice: { type: 'refused', kind: 'form', by: 'policy', why: `${at}`, call: call().context },
      serverId: 's',
      at,
    });
  expect(history.notices()).toHaveLength(500);
  expect(history.call('c')?.items).toHaveLength(100);
});

it('the history keeps results that weigh little together, the newest always, and forgets whole calls for the rest', () => {
  const history = new History();
  const ended = (id: string, characters: number) => {
    history.started({ ...call().context, id }, 's', 0);
    const result = { content: [{ type: 'text', text: 'x'.repeat(characters) }] };
    history.update(id, { outcome: { how: 'completed', result }, endedAt: 1 });
  };
  const ids = () => history.calls().map(each => each.context.id);
  history.started({ ...call().context, id: 'running' }, 's', 0);
  ended('small', 1_000);
  ended('half', 120_000_000);
  expect(ids()).toEqual(['half', 'small', 'running']);
  ended('other-half', 120_000_000);
  expect(ids()).toEqual(['other-half', 'running']);
  ended('huge', 300_000_000);
  expect(ids()).toEqual(['huge', 'running']);
  ended('after', 1_000);
  expect(ids()).toEqual(['after', 'running']);
});

it('the page says whose refusal a call ended with, before what the server says of it, and only where it is that', () => {
  const context = { csrf: 'x', link, now: 0, zone: 'UTC' };
  const notice = { type: 'refused', kind: 'form', by: 'policy', why: 'You refuse forms from this server.' } as const;
  const item = { notice, serverId: 's', at: 0 };
  const page = (more: Partial<CallView>) => callPage(call({ endedAt: 1, ...more }), context).main.text;
  const ends = [
    { how: 'refused', code: -1, message: 'MCP error -1: User rejected' },
    { how: 'tool-error', result: { content: [{ type: 'text', text: 'MCP error -1: User rejected' }], isError: true } },
  ] as const;
  for (const outcome of ends) {
    const own = page({ outcome, items: [item] });
    expect(own).toContain('The call ended because your policy refused a request');
    expect(own).toContain('chip-refused-by-policy">Refused by policy');
    const [ours, theirs] = ['Your policy refused what the server asked for', 'MCP error -1'].map(text =>
      own.indexOf(text),
    );
    expect(ours).toBeGreaterThan(0);
    expect(theirs).toBeGreaterThan(ours!);
    for (const items of [[], [{ ...item, perhaps: true as const }]])
      expect(page({ outcome, items })).not.toContain('ended after');
  }
  expect(page({ outcome: { how: 'cancelled' }, items: [item] })).not.toContain('refused what the server asked for');
});
