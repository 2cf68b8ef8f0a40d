/** Stores how the person likes the desk. */
import type { Hono } from 'hono';
import { first } from '../form/index.ts';
import { offerPath, type Settings, settingsPage } from '../pages/index.ts';
import { texts } from '../texts/index.ts';
import { backTo, type Desk, missing, offerAsked, offerPattern, posted, redirect, show } from './context.ts';

export function preferenceRoutes(app: Hono, desk: Desk): void {
  const { workspace } = desk;
  app.post('/preferences/fold', context => {
    const draft = posted(context);
    const server = first(draft, 'server') ?? '';
    if (workspace.servers.get(server)) workspace.preferences.fold(server, first(draft, 'folded') === 'true');
    return context.body(null, 204);
  });

  const settings = (): Settings => {
    const earlierCalls = workspace.calls.list().filter(call => call.earlier === true).length;
    const { theme, keepsCalls: on } = workspace.preferences;
    return { theme, ...(workspace.canKeepCalls && { history: { count: earlierCalls, on } }) };
  };

  app.post('/preferences/history', context => {
    workspace.preferences.keepsCalls = first(posted(context), 'keep') !== 'off';
    return redirect(context, desk, '/settings');
  });

  app.post('/history/clear', async context => {
    await workspace.clearCalls();
    return redirect(context, desk, '/history');
  });

  app.get('/settings', context => show(context, desk, settingsPage(settings(), desk.guard)));

  app.post('/preferences/keys', context => {
    workspace.preferences.singleKeys = first(posted(context), 'single') !== 'off';
    return context.body(null, 204);
  });

  app.post('/preferences/drawer', context => {
    const draft = posted(context);
    workspace.preferences.drawer = first(draft, 'open') === 'true';
    return redirect(context, desk, backTo(draft, '/'));
  });

  app.post('/preferences/theme', context => {
    const draft = posted(context);
    const chosen = first(draft, 'theme');
    workspace.preferences.theme = chosen === 'light' || chosen === 'dark' ? chosen : undefined;
    return redirect(context, desk, backTo(draft, '/settings'));
  });

  app.post(`/servers/:server/${offerPattern}/favourite`, context => {
    const { server, kind, offer } = offerAsked(desk, context);
    if (!server || !offer) return missing(context, desk, texts.tool.missing);
    workspace.preferences.favour(server.id, kind, offer.name, first(posted(context), 'favourite') === 'true');
    return redirect(context, desk, offerPath(server.id, kind, offer.name));
  });
}
