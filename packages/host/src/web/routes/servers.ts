/** Adds, starts and stops servers, and runs their tools. */

import { isMidcallError } from '@midcall/core/errors';
import type { Hono } from 'hono';
import { readServerList } from '../../index.ts';
import { type Draft, first } from '../form/index.ts';
import {
  addPage,
  againPath,
  callPath,
  editPage,
  type Imported,
  importedPage,
  serverPage,
  serverPath,
  wirePage,
} from '../pages/index.ts';
import { texts } from '../texts/index.ts';
import { nameByTarget, nameFrom, targetOf } from '../workspace/index.ts';
import { type Desk, missing, oneOf, posted, redirect, show, viewOf } from './context.ts';

/**
 * Puts the servers of a pasted mcp.json on the desk, and does not wait for them. @throws MidcallError `cli/usage` if it is no
 * such thing
 */
function importServers({ workspace: { servers }, environment }: Desk, text: string): readonly Imported[] {
  return readServerList(text, environment).map(listed => {
    if ('problem' in listed) return listed;
    const id = servers.freeId(listed.id);
    void servers.add({ ...listed.entry, id }).catch(() => {});
    void servers.keep(id);
    return { id };
  });
}

/**
 * Adds the server that a posted form names, under its own name if the form has none. @returns its id @throws MidcallError
 * `cli/usage`
 */
async function addOne({ workspace: { servers } }: Desk, draft: Draft): Promise<string> {
  const chosenName = (first(draft, 'name') ?? '').trim();
  const target = targetOf(draft);
  const entry = { id: servers.freeId(chosenName === '' ? nameByTarget(target) : chosenName), target };
  const started = await servers.add(entry).then(
    () => true,
    () => false,
  );
  await servers.keep(entry.id);
  const own = started && chosenName === '' ? nameFrom(servers.ownName(entry.id) ?? '') : undefined;
  if (own === undefined || own === entry.id) return entry.id;
  const id = servers.freeId(own);
  await servers.replace(entry.id, { ...entry, id }).catch(() => {});
  return servers.get(id) ? id : entry.id;
}

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
    try {
      if (what === 'restart') await workspace.servers.restart(id);
      else if (what === 'stop') await workspace.servers.stop(id);
      else await workspace.servers.remove(id);
    } catch (error) {
      if (!isMidcallError(error)) throw error;
    }
    const call = workspace.calls.get(first(posted(context), 'call') ?? '');
    const again = what === 'restart' && call?.serverId === id && workspace.servers.get(id)?.state === 'ready';
    return redirect(context, desk, again ? againPath(call) : what === 'remove' ? '/' : serverPath(id));
  });

  app.post('/servers/:server/sign-out', async context => {
    const id = context.req.param('server');
    if (!workspace.servers.get(id)) return missing(context, desk, texts.servers.unknown);
    const isTold = await workspace.servers.connection(id).signOut();
    workspace.audit.record({ type: 'policy', what: `signed out of ${id}` });
    const server = workspace.servers.get(id);
    if (isTold || !server) return redirect(context, desk, serverPath(id));
    const signIn = { isSignedIn: false, isUntold: true };
    return show(context, desk, serverPage(server, workspace.servers.entry(id), guard, signIn));
  });

  app.post('/add', async context => {
    const draft = posted(context);
    const by = first(draft, 'by') ?? '';
    try {
      if (by !== 'config') return redirect(context, desk, serverPath(await addOne(desk, draft)));
      imported = importServers(desk, first(draft, 'what') ?? '');
      return redirect(context, desk, '/imported');
    } catch (error) {
      if (!isMidcallError(error)) throw error;
      return show(context, desk, addPage(guard, draft, { by, message: error.message }), 422);
    }
  });

  /** The outcome of the last mcp.json. */
  let imported: readonly Imported[] = [];
  app.get('/imported', context =>
    imported.length === 0 ? redirect(context, desk, '/add') : show(context, desk, importedPage(imported, viewOf(desk))),
  );

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
      const changed = workspace.servers.replace(id, { ...before, id: name, target });
      // A server that no longer starts says so on its page.
      await changed.catch(error => {
        if (!isMidcallError(error, 'host/not-found')) throw error;
      });
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
