/** Starts, stops and changes servers, and shows what they send. */

import { isMidcallError } from '@midcall/core/errors';
import type { Hono } from 'hono';
import { first } from '../form/index.ts';
import { againPath, callPath, editPage, serverPage, serverPath, wirePage } from '../pages/index.ts';
import { texts } from '../texts/index.ts';
import { targetOf } from '../workspace/index.ts';
import { backTo, type Desk, drawerSession, missing, oneOf, posted, redirect, show } from './context.ts';

export function serverRoutes(app: Hono, desk: Desk): void {
  const { workspace, guard } = desk;

  app.post('/calls/:call/cancel', context => {
    const call = workspace.calls.get(context.req.param('call'));
    if (!call) return missing(context, desk, texts.call.unknown);
    workspace.calls.cancel(call.context.id);
    return redirect(context, desk, callPath(call.context.id));
  });

  app.post(`/servers/:server/:what${oneOf('restart', 'stop', 'remove')}`, async context => {
    const { server: id, what } = context.req.param();
    if (!workspace.servers.get(id)) return missing(context, desk, texts.servers.unknown);
    const draft = posted(context);
    const call = workspace.calls.get(first(draft, 'call') ?? '');
    // Its page shows how it starts.
    if (what === 'restart') void workspace.servers.restart(id).catch(() => {});
    else if (what === 'stop') await workspace.servers.stop(id);
    else await workspace.servers.remove(id);
    const repeatsCall = what === 'restart' && call?.serverId === id;
    return redirect(
      context,
      desk,
      repeatsCall ? againPath(call) : what === 'remove' ? '/' : backTo(draft, serverPath(id)),
    );
  });

  app.post('/servers/:server/mute', async context => {
    const id = context.req.param('server');
    if (!workspace.servers.get(id)) return missing(context, desk, texts.servers.unknown);
    await workspace.decisions.mute(id);
    return redirect(context, desk, serverPath(id));
  });

  app.post('/servers/:server/sign-out', async context => {
    const id = context.req.param('server');
    if (!workspace.servers.get(id)) return missing(context, desk, texts.servers.unknown);
    const isTold = await workspace.servers.connection(id).signOut();
    workspace.audit.record({ type: 'policy', what: `signed out of ${id}` });
    const server = workspace.servers.get(id);
    if (isTold || !server) return redirect(context, desk, serverPath(id));
    const signIn = { isSignedIn: false, isUntold: true };
    return show(context, desk, serverPage(server, workspace.servers.entry(id), drawerSession(desk), signIn));
  });

  app.get('/servers/:server/edit', context => {
    const id = context.req.param('server');
    if (!workspace.servers.get(id)) return missing(context, desk, texts.servers.unknown);
    return show(context, desk, editPage(workspace.servers.entry(id), guard));
  });

  app.post('/servers/:server/edit', async context => {
    const id = context.req.param('server');
    if (!workspace.servers.get(id)) return missing(context, desk, texts.servers.unknown);
    const draft = posted(context);
    const before = workspace.servers.entry(id);
    const name = (first(draft, 'name') ?? '').trim() || id;
    try {
      const target = targetOf(draft, before.target);
      await workspace.servers.replace(id, { ...before, id: name, target });
      return redirect(context, desk, serverPath(name));
    } catch (error) {
      if (!isMidcallError(error)) throw error;
      return show(context, desk, editPage(before, guard, draft, error.message), 422);
    }
  });

  app.get('/servers/:server/wire', context => {
    const server = workspace.servers.get(context.req.param('server'));
    if (!server) return missing(context, desk, texts.servers.unknown);
    const { q = '', level = 'debug' } = context.req.query();
    const { id } = server;
    const frames = workspace.wire.frames(id);
    const { stderr } = workspace.servers.connection(id);
    const wire = { paused: workspace.wire.isPaused(id), frames, stderr, search: q, level };
    return show(context, desk, wirePage(server, wire, guard, desk.zone));
  });

  app.post('/servers/:server/wire', context => {
    const id = context.req.param('server');
    if (!workspace.servers.get(id)) return missing(context, desk, texts.servers.unknown);
    const what = first(posted(context), 'do');
    if (what === 'pause') workspace.wire.pause(id);
    else if (what === 'resume') workspace.wire.resume(id);
    else if (what === 'clear') workspace.wire.clear(id);
    return redirect(context, desk, serverPath(id, 'wire'));
  });

  app.get('/servers/:server/wire.jsonl', context => {
    const frames = workspace.wire.frames(context.req.param('server'));
    context.header('content-type', 'application/jsonl; charset=utf-8');
    return context.body(
      frames
        .map(
          ({ at, direction, message }) => `${JSON.stringify({ at: new Date(at).toISOString(), direction, message })}\n`,
        )
        .join(''),
    );
  });

  app.post(`/servers/:server/:what${oneOf('duplicate', 'up', 'down', 'keep')}`, async context => {
    const { server: id, what } = context.req.param();
    const { servers } = workspace;
    if (!servers.get(id)) return missing(context, desk, texts.servers.unknown);
    if (what === 'duplicate') {
      const copy = { ...servers.entry(id), id: servers.freeId(id) };
      await servers.add(copy, { start: false });
      await servers.keep(copy.id);
      return redirect(context, desk, serverPath(copy.id, 'edit'));
    }
    if (what === 'keep') await servers.keep(id);
    else await servers.move(id, what === 'up' ? -1 : 1);
    return redirect(context, desk, serverPath(id));
  });
}
