/** The pages that only show something. */
import { parseShallow } from '@midcall/core/json';
import type { Hono } from 'hono';
import { first } from '../form/index.ts';
import {
  blocksOf,
  callPage,
  callPath,
  comparable,
  comparePage,
  findPage,
  historyPage,
  homePage,
  inboxPage,
  lastBefore,
  mediaOf,
  modelsPage,
  pages,
  questionPage,
  questionPath,
  serverPage,
  serverPath,
  textOf,
} from '../pages/index.ts';
import { texts } from '../texts/index.ts';
import { type Action, type DeskView, type Findable, find } from '../workspace/index.ts';
import {
  callContext,
  cardContext,
  type Desk,
  drawerSession,
  missing,
  oneOf,
  posted,
  redirect,
  show,
  viewOf,
} from './context.ts';

/** How many search results are shown. */
const mostFound = 50;

/** What can be done from anywhere. */
function actionsOf({ workspace }: Desk, servers: DeskView['servers']): readonly Action[] {
  const own = texts.find.actions;
  const { preferences } = workspace;
  const themes = (['system', 'light', 'dark'] as const).filter(each => each !== (preferences.theme ?? 'system'));
  return [
    ...themes.map(theme => ({ name: own.theme[theme], path: '/preferences/theme', fields: { theme } })),
    {
      name: own.drawer[preferences.drawer ? 'close' : 'open'],
      path: '/preferences/drawer',
      fields: { open: String(!preferences.drawer) },
    },
    ...servers.flatMap(({ id, state, elsewhere, muted }): readonly Action[] => [
      muted !== undefined
        ? { name: own.unmute(id), path: '/policy/revoke', fields: { id: muted } }
        : { name: own.mute(id), path: serverPath(id, 'mute'), fields: {} },
      ...(elsewhere !== undefined || state === 'starting'
        ? []
        : state === 'ready'
          ? [{ name: own.stop(id), path: serverPath(id, 'stop'), fields: {} }]
          : [{ name: own.start(id), path: serverPath(id, 'restart'), fields: {} }]),
    ]),
  ];
}

function findable(desk: Desk, { servers, open }: DeskView): Findable {
  const { workspace } = desk;
  const calls = workspace.calls.list();
  const key = (serverId: string, kind: string, name: string): string => JSON.stringify([serverId, kind, name]);
  const lastUse = new Map<string, number>();
  for (const [at, { serverId, context }] of calls.entries()) {
    const own = key(serverId, context.kind, context.name);
    if (!lastUse.has(own)) lastUse.set(own, at);
  }
  return {
    servers,
    questions: open,
    actions: actionsOf(desk, servers),
    pages: [...pages, ['/add', texts.servers.add], ['/settings', texts.settings.title]].map(([path, name]) => ({
      path,
      name,
    })),
    useOf: (serverId, kind, name) => {
      const at = lastUse.get(key(serverId, kind, name));
      const used = at === undefined ? 0 : 1 - at / calls.length / 2;
      return used + (workspace.preferences.isFavourite(serverId, kind, name) ? 2 : 0);
    },
  };
}

export function pageRoutes(app: Hono, desk: Desk): void {
  const { workspace, guard, zone } = desk;

  app.get('/', context =>
    show(
      context,
      desk,
      homePage(viewOf(desk), workspace.calls.list(), {
        tries: desk.tries,
        unsaved: workspace.unsaved,
        marked: workspace.preferences.favourites,
      }),
    ),
  );
  app.post('/tries/:at', async context => {
    const offered = desk.tries[Number(context.req.param('at'))];
    if (!offered) return missing(context, desk, texts.tool.missing);
    const { server, tool: name, arguments: args } = offered;
    workspace.servers.need(server);
    const request = { kind: 'tool' as const, name, arguments: args };
    return redirect(context, desk, callPath(await workspace.calls.run(server, request)));
  });
  app.get('/find', context => {
    const query = (context.req.query('q') ?? '').slice(0, 200);
    const view = viewOf(desk);
    const { found, more } = find(query, findable(desk, view), mostFound);
    return show(context, desk, findPage(query, found, more, view));
  });
  app.get('/inbox', context =>
    show(context, desk, inboxPage(viewOf(desk), Math.floor(Number(context.req.query('from')) || 0))),
  );
  app.get(`/inbox/:which${oneOf('next', 'previous')}`, context => {
    const open = workspace.inbox.list();
    const at = open.findIndex(question => question.id === context.req.query('from'));
    const step = context.req.param('which') === 'next' ? 1 : -1;
    const other = at < 0 ? open[0] : open[(at + step + open.length) % open.length];
    // Leads to its heading: in a field, the shortcut for the next one would be typed as text. An address, and no redirect, since
    // a script that follows one is not told the place on the page.
    return context.text(desk.guard.link(other ? `${questionPath(other)}-who` : '/inbox'));
  });
  app.get('/history', context => {
    const { q = '', server = '', outcome = '', from } = context.req.query();
    const query = { text: q.slice(0, 200), server, outcome, from: Math.max(0, Math.floor(Number(from) || 0)) };
    const { calls } = workspace;
    return show(context, desk, historyPage(calls.list(), calls.questions(), calls.notices(), query, guard, zone));
  });

  app.get('/models', context => show(context, desk, modelsPage(workspace.models, workspace.servers.list(), guard)));

  app.get('/servers/:server', async context => {
    const id = context.req.param('server');
    workspace.servers.need(id);
    const server = workspace.servers.get(id);
    if (!server) return missing(context, desk, texts.servers.unknown);
    // A vault that cannot be read is reported where the server is reached.
    const isSignedIn = await workspace.servers
      .connection(id)
      .isSignedIn()
      .catch(() => false);
    return show(context, desk, serverPage(server, workspace.servers.entry(id), drawerSession(desk), { isSignedIn }));
  });

  app.get('/calls/:call', context => {
    const call = workspace.calls.get(context.req.param('call'));
    return call
      ? show(context, desk, callPage(call, callContext(desk, call)))
      : missing(context, desk, texts.call.unknown);
  });

  app.get('/calls/:call/compare', context => {
    const call = workspace.calls.get(context.req.param('call'));
    if (!call) return missing(context, desk, texts.call.unknown);
    const others = comparable(call, workspace.calls.list());
    const withId = context.req.query('with');
    const other = withId === undefined ? lastBefore(call, others) : others.find(({ context: { id } }) => id === withId);
    if (!other) return missing(context, desk, texts.compare.none);
    return show(context, desk, comparePage(call, other, others, guard, zone));
  });

  app.get('/calls/:call/result.json', context => {
    const outcome = workspace.calls.get(context.req.param('call'))?.outcome;
    if (!outcome || !('result' in outcome)) return missing(context, desk);
    return context.json(outcome.result);
  });

  app.post('/calls/:call/app', async context => {
    let request: unknown;
    try {
      request = parseShallow(first(posted(context), 'request') ?? '');
    } catch {
      return missing(context, desk);
    }
    const { signal } = context.req.raw;
    return context.json(
      await desk.apps.call(context.req.param('call'), request, signal).catch((error: unknown) => ({
        error: { code: -32603, message: error instanceof Error ? error.message : 'The tool could not be called.' },
      })),
    );
  });

  app.get('/calls/:call/blocks/:at', context => {
    const outcome = workspace.calls.get(context.req.param('call'))?.outcome;
    const block =
      outcome && 'result' in outcome ? blocksOf(outcome.result)[Number(context.req.param('at'))] : undefined;
    const text = block && textOf(block);
    if (text !== undefined) {
      context.header('content-type', 'text/plain; charset=utf-8');
      return context.body(text);
    }
    const media = block && mediaOf(block);
    if (!media) return missing(context, desk);
    context.header('content-type', media.mimeType);
    return context.body(new Uint8Array(media.data));
  });

  app.get('/questions/:question', context => {
    const view = workspace.calls.question(context.req.param('question'));
    if (!view) return missing(context, desk, texts.question.unknown);
    const { call } = view.question;
    if (call && workspace.calls.get(call.id))
      return redirect(context, desk, `${callPath(call.id)}#q-${view.question.id}`);
    return show(context, desk, questionPage(view, cardContext(desk)));
  });
}
