/** Servers added, started, stopped, and their tools run. */

import { isMidcallError } from '@midcall/core/errors';
import { checkContent, type Field, type Issue, labelOf } from '@midcall/core/form';
import type { Hono } from 'hono';
import {
  commandTarget,
  commandWords,
  expandTemplate,
  readServerEntries,
  type ServerEntry,
  urlTarget,
} from '../../index.ts';
import { type ArgumentField, argumentFields, checkJson } from '../form/argument-form.ts';
import { contentOf, type Draft, first, visitedIssues } from '../form/draft.ts';
import { addPage } from '../pages/add-page.ts';

import { offerPage } from '../pages/offer-page.ts';
import { againPath, callPath, serverPath } from '../pages/paths.ts';
import { texts } from '../texts/texts.ts';
import { type Desk, missing, offerAsked, offerContext, offerPattern, posted, redirect, show } from './context.ts';

const isField = (field: ArgumentField): field is Field => field.kind !== 'json';

/** What is in an argument form, checked as far as the schema is understood here. */
function readArguments(
  fields: readonly ArgumentField[],
  draft: Draft,
): { content: Record<string, unknown>; issues: readonly Issue[] } {
  const { content, issues } = contentOf(fields, draft);
  const found = [...issues];
  const broken = new Set(issues.map(issue => issue.field));
  const simple = fields.filter(isField);
  const own = simple.filter(field => Object.hasOwn(content, field.name));
  const checked = checkContent(simple, Object.fromEntries(own.map(field => [field.name, content[field.name]])));
  if (!checked.ok) found.push(...checked.issues);
  for (const field of fields) {
    if (isField(field) || broken.has(field.name)) continue;
    if (Object.hasOwn(content, field.name)) found.push(...checkJson(field, content[field.name]));
    else if (field.required)
      found.push({ field: field.name, rule: 'required', message: texts.field.missing(labelOf(field)) });
  }
  return { content, issues: found };
}

/** The servers a posted form names. @throws MidcallError `cli/usage` */
function entriesOf(desk: Desk, draft: Draft): readonly ServerEntry[] {
  const what = (first(draft, 'what') ?? '').trim();
  const name = (first(draft, 'name') ?? '').trim();
  const named = (otherwise: string) => desk.workspace.servers.freeId(name === '' ? otherwise : name);
  if (first(draft, 'by') === 'config')
    return readServerEntries(what, desk.environment).map(entry => ({
      ...entry,
      id: desk.workspace.servers.freeId(entry.id),
    }));
  if (first(draft, 'by') === 'url') {
    const target = urlTarget(what);
    return [{ id: named(new URL(what).hostname), target }];
  }
  const all = commandWords(what);
  return [{ id: named(all[0]?.split(/[\\/]/).at(-1) ?? ''), target: commandTarget(all) }];
}

export function serverRoutes(app: Hono, desk: Desk): void {
  const { workspace, guard } = desk;

  app.post(`/servers/:server/${offerPattern}`, async context => {
    const { server, kind, offer } = offerAsked(desk, context);
    if (!server || !offer) return missing(context, desk, texts.tool.missing);
    const draft = posted(context);
    const { content, issues } = readArguments(argumentFields(offer.inputSchema), draft);
    const again = (wrong: readonly Issue[]) =>
      show(
        context,
        desk,
        offerPage(server, kind, offer, { ...offerContext(desk, server, kind, offer), draft, issues: wrong }),
        422,
      );
    if (issues.length > 0) return again(issues);
    try {
      const request = offer.template
        ? { kind, name: expandTemplate(offer.name, content), arguments: {} }
        : { kind, name: offer.name, arguments: content };
      return redirect(context, desk, callPath(await workspace.calls.run(server.id, request)));
    } catch (error) {
      if (isMidcallError(error)) return again([{ rule: 'server', message: error.message }]);
      throw error;
    }
  });

  app.post(`/servers/:server/${offerPattern}/check`, async context => {
    const { server, kind, offer } = offerAsked(desk, context);
    if (!server || !offer) return missing(context, desk, texts.tool.missing);
    const draft = posted(context);
    const fields = argumentFields(offer.inputSchema);
    const issues = visitedIssues(fields, draft, readArguments(fields, draft).issues);
    return show(
      context,
      desk,
      offerPage(server, kind, offer, { ...offerContext(desk, server, kind, offer), draft, issues }),
    );
  });

  app.post('/calls/:call/cancel', context => {
    const call = workspace.calls.get(context.req.param('call'));
    if (!call) return missing(context, desk, texts.call.unknown);
    workspace.calls.cancel(call.context.id);
    return redirect(context, desk, callPath(call.context.id));
  });

  app.post('/servers/:server/:what{restart|stop|remove}', async context => {
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

  app.post('/add', async context => {
    const draft = posted(context);
    const by = first(draft, 'by') ?? '';
    try {
      const entries = entriesOf(desk, draft);
      await Promise.allSettled(entries.map(entry => workspace.servers.add(entry)));
      return redirect(context, desk, entries.length === 1 ? serverPath(entries[0]!.id) : '/');
    } catch (error) {
      if (!isMidcallError(error)) throw error;
      return show(context, desk, addPage(guard, draft, { by, message: error.message }), 422);
    }
  });
}
