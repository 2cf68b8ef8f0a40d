/** What every route of the desk works with, and the ways it answers. */

import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { MidcallError } from '@midcall/core/errors';
import { type Html, html, type Page, page } from '@midcall/core/page';
import type { Context } from 'hono';
import type { FormQuestion, Question } from '../../index.ts';
import type { AppDocuments } from '../apps/index.ts';
import type { CardContext } from '../card/index.ts';
import { argumentFields, type Draft, first, fittingDraft } from '../form/index.ts';
import type { BrowserMemory } from '../keeping/index.ts';
import {
  type ArgumentsContext,
  argumentsForm,
  type Content,
  comparable,
  type DrawerSession,
  layout,
  wireDrawer,
} from '../pages/index.ts';
import { texts } from '../texts/index.ts';
import {
  type CallView,
  type DeskView,
  earlierValues,
  type HostWait,
  type Live,
  manyOf,
  type OfferKind,
  type OfferView,
  offerOf,
  type ServerView,
  type TryView,
  type Workspace,
} from '../workspace/index.ts';
import type { Assets } from './assets.ts';
import type { Guard } from './guard.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** What a form posted. */
    posted: Draft;
    /** The newest change when the request came: the page in response reflects it, and everything before. */
    change: number;
  }
}

/** What the routes work with. */
export interface Desk {
  readonly workspace: Workspace;
  readonly guard: Guard;
  readonly live: Live;
  /** The browsers that are recognized after a restart; absent if none is. */
  readonly browsers: BrowserMemory | undefined;
  readonly apps: AppDocuments;
  readonly assets: Assets;
  /** The person's time zone, by IANA name. */
  readonly zone: string;
  /** What `${NAME}` stands for in a pasted mcp.json. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A directory suggested in the form for a new folder, unless it is on offer already. */
  readonly proposedRoot: string | undefined;
  /** Calls that the first page offers until they have been made. */
  readonly tries: readonly TryView[];
  /** The port the desk listens on; known once it does. */
  readonly port: () => number;
  /** Called with errors of rendering pages. */
  readonly onError: (error: unknown) => void;
}

/** Everything that a page shows around its own content, at this moment. */
export function viewOf(desk: Desk): DeskView {
  const { workspace } = desk;
  return {
    servers: workspace.servers.list(),
    open: workspace.inbox.list(),
    csrf: desk.guard.csrf,
    link: desk.guard.link,
    now: workspace.clock.now(),
    zone: desk.zone,
    event: desk.live.last,
    remembersBrowsers: desk.browsers !== undefined,
    isFolded: id => workspace.preferences.isFolded(id),
    ...(workspace.preferences.theme && { theme: workspace.preferences.theme }),
    singleKeys: workspace.preferences.singleKeys,
  };
}

/** What cards and forms need of the desk. */
export function cardContext(
  desk: Desk,
): CardContext & { readonly drawer: boolean; readonly open: readonly Question[] } {
  const { clock, decisions, calls, inbox } = desk.workspace;
  const appOf = (question: Question): string | undefined => desk.apps.ofQuestion(question, inbox.ended(question.id));
  const draftOf = (id: string): Draft | undefined => calls.draft(id);
  const waitFor = (question: Question): HostWait | undefined => calls.waitFor(question);
  const { csrf, link } = desk.guard;
  const { drawer } = desk.workspace.preferences;
  const lastAnswerOf = (question: FormQuestion) => calls.lastAnswer(question);
  return {
    csrf,
    link,
    drawer,
    lastAnswerOf,
    open: inbox.list(),
    now: clock.now(),
    zone: desk.zone,
    keepsRules: decisions.keeps,
    draftOf,
    appOf,
    waitFor,
  };
}

/** What pages with a drawer need of the desk. */
export const drawerSession = ({ guard, workspace }: Desk): DrawerSession => ({
  csrf: guard.csrf,
  link: guard.link,
  drawer: workspace.preferences.drawer,
  now: workspace.clock.now(),
});

/** What the page of something a server offers needs of the desk. */
export function offerContext(desk: Desk, server: ServerView, kind: OfferKind, offer: OfferView): ArgumentsContext {
  const favourite = desk.workspace.preferences.isFavourite(server.id, kind, offer.name);
  const of = { serverId: server.id, kind, name: offer.name };
  const earlier = earlierValues(desk.workspace.calls.list(), of, argumentFields(offer.inputSchema));
  const templates = desk.workspace.preferences.templates(server.id, kind, offer.name).map(each => each.name);
  return { ...cardContext(desk), favourite, earlier, templates };
}

/** What the page of a call needs of the desk. */
export function callContext(
  desk: Desk,
  call: CallView,
  typed: Pick<ArgumentsContext, 'draft' | 'issues'> = {},
): ReturnType<typeof cardContext> & {
  readonly server?: ServerView;
  readonly comparable: boolean;
  readonly app?: string;
  readonly form?: Html;
} {
  const { servers, calls } = desk.workspace;
  const server = servers.get(call.serverId);
  const others = call.outcome ? comparable(call, calls.list()) : [];
  const app = server && resultApp(desk, call, server);
  const form = server && sideForm(desk, call, server, typed);
  return {
    ...cardContext(desk),
    ...(server && { server }),
    ...(form && { form }),
    comparable: others.length > 0,
    ...(app !== undefined && { app }),
  };
}

/** The form of a call's arguments, to be changed and run again beside what came of it. A resource is read by its name alone. */
function sideForm(
  desk: Desk,
  { context: { kind, name, arguments: args, id } }: CallView,
  server: ServerView,
  typed: Pick<ArgumentsContext, 'draft' | 'issues'>,
): Html | undefined {
  const offer = kind === 'resource' ? undefined : offerOf(server, kind, name);
  if (!offer) return undefined;
  const draft = fittingDraft(argumentFields(offer.inputSchema), args, desk.zone);
  return argumentsForm(server, kind, offer, { ...offerContext(desk, server, kind, offer), draft, ...typed }, id);
}

/** The path of the App that shows a tool's result; an error is read as text. */
function resultApp({ apps }: Desk, { context, serverId, outcome }: CallView, server: ServerView): string | undefined {
  if (context.kind !== 'tool' || outcome?.how !== 'completed' || server.state !== 'ready') return undefined;
  const uri = offerOf(server, 'tool', context.name)?.app;
  return uri === undefined ? undefined : apps.ofResult(context.id, serverId, uri);
}

/** Takes a page that is rendered for an event, and for no response. */
export interface Bringing {
  readonly bring: (page: Page) => void;
}

/** Set if the desk itself asks for a page, to bring it with an event. */
export const bringingOf = (context: Context): Bringing | undefined =>
  (context.env as Partial<Bringing> | undefined)?.bring ? (context.env as Bringing) : undefined;

/** The drawer below a page, if the person has opened it. */
function drawerOf({ workspace, guard, zone }: Desk, { drawer }: Content): Html | undefined {
  const server = drawer && workspace.preferences.drawer ? workspace.servers.get(drawer.serverId) : undefined;
  if (!drawer || !server || server.elsewhere !== undefined) return undefined;
  const { wire, servers } = workspace;
  const { id } = server;
  const { stderr } = servers.connection(id);
  const own = { paused: wire.isPaused(id), frames: wire.frames(id), stderr };
  return wireDrawer(server, own, guard, zone, drawer.since);
}

/** A page as a response. */
export function show(context: Context, desk: Desk, content: Content, status: 200 | 404 | 409 | 422 = 200): Response {
  const view = { ...viewOf(desk), event: context.get('change') };
  const shown = layout(view, content, desk.assets.paths, drawerOf(desk, content));
  const bringing = bringingOf(context);
  if (!bringing) return context.html(page(shown), status);
  if (status === 200) bringing.bring(shown);
  return context.body(null);
}

/** One of several words in the pattern of a path. Without a group, the router would find each anywhere in the rest of the path. */
export const oneOf = (...words: readonly string[]): string => `{(?:${words.join('|')})}`;

/** The end of every path of a tool, prompt or resource. */
export const offerPattern = `:place${oneOf(...Object.values(manyOf))}/:name`;

const kinds = Object.keys(manyOf) as OfferKind[];

/** What the path of a request refers to, as far as that exists. */
export function offerAsked(
  { workspace }: Desk,
  context: Context,
): { readonly server?: ServerView; readonly kind: OfferKind; readonly offer?: OfferView } {
  const kind = kinds.find(each => manyOf[each] === context.req.param('place')) ?? 'tool';
  const server = workspace.servers.get(context.req.param('server') ?? '');
  const offer = server && offerOf(server, kind, context.req.param('name') ?? '');
  return { kind, ...(server && { server }), ...(offer && { offer }) };
}

/** Redirects to another page of the desk. @param path - on the desk, as {@link Session.link} takes it */
export const redirect = (context: Context, desk: Desk, path: string): Response =>
  context.redirect(desk.guard.link(path), 303);

/**
 * Puts a folder that the person has named on offer. @returns its URI
 * @throws MidcallError if it is no folder, or cannot be stored
 */
export async function offerFolder({ roots, audit }: Workspace, named: string, name = ''): Promise<string> {
  const place = /^~(?=$|[\\/])/.test(named) ? `${homedir()}${named.slice(1)}` : named;
  if (!isAbsolute(place) && !/^file:/i.test(place)) throw new MidcallError('host/refused', texts.roots.relative);
  const root = await roots.add(place, name === '' ? {} : { name });
  audit.record({ type: 'roots', what: `offered ${root.path}` });
  return root.uri;
}

/** Where a form leads back to: the page of the desk that it names, or else another. */
export function backTo(draft: Draft, otherwise: string): string {
  const to = first(draft, 'to');
  return to !== undefined && /^\/(?![/\\])/.test(to) ? to : otherwise;
}

/** What a form posted: read once, when its token is checked. */
export function posted(context: Context): Draft {
  return context.get('posted');
}

/**
 * A page for something that does not exist.
 * @param after - after how many seconds it may exist
 */
export function missing(context: Context, desk: Desk, message = texts.session.notFound, after?: number): Response {
  const main = html`<div class="head"><h1>${texts.session.notFoundTitle}</h1></div><p class="lead">${message}</p><p class="actions"><a class="button" href="${desk.guard.link('/')}">${texts.session.back}</a></p>`;
  return show(
    context,
    desk,
    {
      title: texts.session.notFoundTitle,
      main,
      ...(after !== undefined && { refresh: { after, to: context.req.path } }),
    },
    404,
  );
}
