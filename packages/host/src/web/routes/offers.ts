/**
 * Runs tools, gets prompts and reads resources: arguments are checked while they are filled in, as a form or as JSON, and sent.
 */
import { isMidcallError } from '@midcall/core/errors';
import { own } from '@midcall/core/json';
import { checkArgument } from '@midcall/core/json-schema';
import type { Context, Hono } from 'hono';
import { expandTemplate, mask, maskedArguments } from '../../index.ts';
import {
  argumentFields,
  contentOf,
  type Draft,
  draftFrom,
  type FieldIssue,
  first,
  fittingDraft,
  isJson,
  jsonControl,
  listIssues,
  readJson,
  stillMasked,
  toForm,
  toJson,
  visitedIssues,
} from '../form/index.ts';
import { callPage, callPath, offerPage, offerPath } from '../pages/index.ts';
import { texts } from '../texts/index.ts';
import type { OfferView } from '../workspace/index.ts';
import {
  callContext,
  type Desk,
  missing,
  offerAsked,
  offerContext,
  offerPattern,
  posted,
  redirect,
  show,
} from './context.ts';

type Read = { readonly content: Readonly<Record<string, unknown>>; readonly issues: readonly FieldIssue[] };

/** The content of an argument form, checked as far as the schema can be judged. */
function readForm(inputSchema: unknown, draft: Draft): Read {
  const fields = argumentFields(inputSchema);
  const { content, issues } = contentOf(fields, draft);
  const broken = new Set(issues.map(issue => issue.field));
  const properties = own(inputSchema, 'properties');
  const found = fields.flatMap((field, at): readonly FieldIssue[] => {
    if (field.kind === 'list') {
      const inRows = listIssues(field, `f${at}`, draft, own(properties, field.name), inputSchema);
      if (inRows.length > 0) return inRows;
    }
    if (broken.has(field.name)) return [];
    const issue = checkArgument(
      { ...field, schema: own(properties, field.name), root: inputSchema },
      own(content, field.name),
    );
    return issue ? [issue] : [];
  });
  const masked = stillMasked(content).map(name => ({
    field: name,
    rule: 'masked',
    message: texts.field.stillMasked([name]),
  }));
  // What is wrong in a row is reported there.
  const inRows = new Set(found.flatMap(issue => (issue.cell === undefined ? [] : [issue.field])));
  return { content, issues: [...issues.filter(({ field }) => !inRows.has(field)), ...found, ...masked] };
}

/** The arguments in a draft. */
function readArguments({ inputSchema }: OfferView, draft: Draft): Read {
  return isJson(draft) ? readJson(draft, inputSchema) : readForm(inputSchema, draft);
}

/** The issues of fields that the person has visited. */
function visited({ inputSchema }: OfferView, draft: Draft, issues: readonly FieldIssue[]): readonly FieldIssue[] {
  if (isJson(draft)) return (draft.get('visited') ?? []).includes(jsonControl) ? issues : [];
  return visitedIssues(argumentFields(inputSchema), draft, issues);
}

export function offerRoutes(app: Hono, desk: Desk): void {
  const { workspace, zone } = desk;

  /** The page with a form that was posted, or filled in from an earlier call. */
  const page = (
    context: Context,
    offered: ReturnType<typeof offerAsked>,
    draft?: Draft,
    issues: readonly FieldIssue[] = [],
    status: 200 | 422 = 200,
  ) => {
    const { server, kind, offer } = offered;
    if (!server || !offer) return missing(context, desk, texts.tool.missing);
    const typed = { ...(draft && { draft }), issues };
    // A form that was posted beside the result of a call is shown there again.
    const call = draft && workspace.calls.get(first(draft, 'at') ?? '');
    if (call?.serverId === server.id && call.context.name === offer.name)
      return show(context, desk, callPage(call, callContext(desk, call, typed)), status);
    const own = { ...offerContext(desk, server, kind, offer), ...typed };
    return show(context, desk, offerPage(server, kind, offer, own), status);
  };

  app.get(`/servers/:server/${offerPattern}`, context => {
    workspace.servers.need(context.req.param('server'));
    const offered = offerAsked(desk, context);
    const { server, offer } = offered;
    if (server?.state === 'starting' && !offer) return missing(context, desk, texts.servers.comingUp(server.id), 1);
    const earlier = workspace.calls.get(context.req.query('from') ?? '');
    const named = context.req.query('template');
    const template =
      server &&
      offer &&
      workspace.preferences.templates(server.id, offered.kind, offer.name).find(each => each.name === named);
    const args = template?.arguments ?? earlier?.context.arguments;
    if (!offer || !args) return page(context, offered);
    const fields = argumentFields(offer.inputSchema);
    // A template is called by the URI it gives, from which its fields cannot be recovered.
    const fill = offer.template === true ? draftFrom : fittingDraft;
    return page(context, offered, fill(fields, args, zone));
  });

  app.post(`/servers/:server/${offerPattern}`, async context => {
    const offered = offerAsked(desk, context);
    const { server, kind, offer } = offered;
    if (!server || !offer) return missing(context, desk, texts.tool.missing);
    const draft = posted(context);
    const { content, issues } = readArguments(offer, draft);
    if (issues.length > 0) return page(context, offered, draft, issues, 422);
    try {
      const request = offer.template
        ? { kind, name: expandTemplate(offer.name, content), arguments: {} }
        : { kind, name: offer.name, arguments: content };
      return redirect(context, desk, callPath(await workspace.calls.run(server.id, request)));
    } catch (error) {
      if (isMidcallError(error))
        return page(context, offered, draft, [{ rule: 'server', message: error.message }], 422);
      throw error;
    }
  });

  app.post('/calls/:call/template', context => {
    const call = workspace.calls.get(context.req.param('call'));
    const name = (first(posted(context), 'name') ?? '').trim().slice(0, 60);
    if (!call) return missing(context, desk, texts.call.unknown);
    if (name === '') return redirect(context, desk, callPath(call.context.id));
    const { kind, name: of, arguments: args } = call.context;
    const open = Object.entries(maskedArguments(args)).filter(([, value]) => !JSON.stringify(value)?.includes(mask));
    workspace.preferences.saveTemplate({ server: call.serverId, kind, of, name, arguments: Object.fromEntries(open) });
    return redirect(context, desk, callPath(call.context.id));
  });

  app.post(`/servers/:server/${offerPattern}/template/remove`, context => {
    const { server, kind, offer } = offerAsked(desk, context);
    if (!server || !offer) return missing(context, desk, texts.tool.missing);
    const name = first(posted(context), 'name') ?? '';
    workspace.preferences.removeTemplate({ server: server.id, kind, of: offer.name, name });
    return redirect(context, desk, offerPath(server.id, kind, offer.name));
  });

  app.post(`/servers/:server/${offerPattern}/complete`, async context => {
    const { server, kind, offer } = offerAsked(desk, context);
    const draft = posted(context);
    const fields = offer ? argumentFields(offer.inputSchema) : [];
    const typing = fields.findIndex((_, at) => `f${at}` === first(draft, 'typing'));
    if (!server || !offer || typing < 0) return context.json([]);
    const argument = { name: fields[typing]!.name, value: first(draft, `f${typing}`) ?? '' };
    const { content } = contentOf(fields, draft);
    return context.json(await workspace.servers.complete(server.id, { kind, name: offer.name }, argument, content));
  });

  app.post(`/servers/:server/${offerPattern}/check`, context => {
    const offered = offerAsked(desk, context);
    const { offer } = offered;
    if (!offer) return missing(context, desk, texts.tool.missing);
    const draft = posted(context);
    const to = first(draft, 'to');
    if (to === 'json' || to === 'form') {
      const fields = argumentFields(offer.inputSchema);
      const other = to === 'json' ? toJson(fields, draft) : toForm(fields, draft, zone);
      return page(context, offered, other.draft, other.issues);
    }
    return page(context, offered, draft, visited(offer, draft, readArguments(offer, draft).issues));
  });
}
