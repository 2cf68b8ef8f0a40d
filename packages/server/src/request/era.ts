/**
 * What follows from a client's revision for what it is asked. Up to 2025-11-25 a server sends requests to the client; from
 * 2026-07-28 it returns `input_required` and the client retries. The rest of the server library sees a `ClientView`.
 */

import { MidcallError } from '@midcall/core/errors';
import { wayBackMeta } from '@midcall/core/form';
import { defined, own } from '@midcall/core/json';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type McpServer,
  MissingRequiredClientCapabilityError,
  type ServerContext,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/server';
import { hasFirstForms, hasRounds, hasUrlMode } from '../base/index.ts';
import type { AboutClient, Can } from './call.ts';
import type { ClientView } from './client-view.ts';
import { detachedOf } from './detached.ts';

/** The extension by which calls continue without a request (ext-tasks, "Extension Identifier"). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The extension by which a host shows Apps beside the results of tools (MCP Apps 2026-01-26, "Extension Identifier"). */
const APPS_EXTENSION = 'io.modelcontextprotocol/ui';

/** The media type of an App. */
export const APP_TYPE = 'text/html;profile=mcp-app';

const cannot: Can = { form: false, url: false, roots: false, sampling: false, samplingTools: false };

/** Reads era and capabilities: per request on 2026-07-28, from the handshake on 2025-11-25. */
export function viewClient(server: McpServer, ctx: ServerContext): ClientView {
  const detachedCall = detachedOf(ctx);
  if (detachedCall) return detachedCall.client;
  const envelope = ctx.mcpReq.envelope as Record<string, unknown> | undefined;
  const perRequest = envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const version = server.server.getNegotiatedProtocolVersion();
  const rounds = version !== undefined && hasRounds(version);
  const declared = rounds ? perRequest : server.server.getClientCapabilities();
  if (declared === undefined)
    return {
      asks: rounds ? 'rounds' : 'none',
      can: cannot,
      announcesRoots: false,
      firstForms: false,
      apps: false,
      tasks: false,
    };
  if (rounds) return viewOf(declared, true, version);
  const cached = views.get(declared);
  if (cached && cached.version === version) return cached.view;
  const view = viewOf(declared, false, version);
  views.set(declared, { version, view });
  return view;
}

/** What clients of a handshake can be asked, by the SDK's object of capabilities: it is the same for every call. */
const views = new WeakMap<ClientCapabilities, { readonly version: string | undefined; readonly view: ClientView }>();

function viewOf(declared: ClientCapabilities, rounds: boolean, version: string | undefined): ClientView {
  const { elicitation } = declared;
  return {
    asks: rounds ? 'rounds' : 'push',
    can: {
      // An empty object means form mode only (client/elicitation, "Capabilities").
      form: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
      url: elicitation?.url !== undefined && hasUrlMode(version),
      roots: declared.roots !== undefined,
      sampling: declared.sampling !== undefined,
      samplingTools: declared.sampling?.tools !== undefined,
    },
    announcesRoots: !rounds && declared.roots?.listChanged === true,
    firstForms: hasFirstForms(version),
    apps: showsApps(declared.extensions),
    tasks: rounds && isDeclared(declared.extensions, TASKS_EXTENSION),
  };
}

/** True if a request of 2026-07-28 declares tasks. @param envelope - its `_meta` */
export function declaresTasks(envelope: Readonly<Record<string, unknown>> | undefined): boolean {
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return isDeclared(declared?.extensions, TASKS_EXTENSION);
}

const isDeclared = (extensions: unknown, name: string): boolean =>
  typeof extensions === 'object' && extensions !== null && Object.hasOwn(extensions, name);

/** True if a client declares that it shows Apps of our media type. */
function showsApps(extensions: unknown): boolean {
  const types = own(own(extensions, APPS_EXTENSION), 'mimeTypes');
  return Array.isArray(types) && types.includes(APP_TYPE);
}

/** What the client says about itself: in each request on 2026-07-28, in the handshake on 2025-11-25. */
export function aboutClient(server: McpServer, ctx: ServerContext): AboutClient {
  const envelope = ctx.mcpReq.envelope as Record<string, unknown> | undefined;
  const clientInfo = envelope?.[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion();
  const { name, version } = (clientInfo ?? {}) as { readonly name?: string; readonly version?: string };
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities() ?? {};
  return {
    ...defined({ name, version, revision: server.server.getNegotiatedProtocolVersion() }),
    capabilities: capabilities as Readonly<Record<string, unknown>>,
    can: viewClient(server, ctx).can,
    hearsProgress: ctx.mcpReq._meta?.progressToken !== undefined,
  };
}

/** The parameters of a form question; the mode is included only if every client of the era knows it. */
export function formParams(
  asks: ClientView['asks'],
  message: string,
  requestedSchema: unknown,
  { app, wayBack }: { readonly app?: string | undefined; readonly wayBack?: string | undefined } = {},
): Readonly<Record<string, unknown>> {
  const params = asks === 'rounds' ? { mode: 'form', message, requestedSchema } : { message, requestedSchema };
  if (app === undefined && wayBack === undefined) return params;
  const ui = app === undefined ? {} : { ui: { resourceUri: app } };
  return { ...params, _meta: { ...ui, ...(wayBack !== undefined && wayBackMeta(wayBack)) } };
}

/** The parameters of a URL question; its id exists on 2025-11-25 only. */
export const urlParams = (asks: ClientView['asks'], message: string, url: string, elicitationId: string) =>
  asks === 'rounds' ? { mode: 'url', message, url } : { mode: 'url', message, url, elicitationId };

/** The parameters of another server's question, unchanged but for what differs between the revisions. */
export function elicitationParams(
  asks: ClientView['asks'],
  params: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (asks !== 'rounds') return params;
  const { elicitationId: _, ...rest } = params;
  return params['mode'] === 'url' ? rest : { mode: 'form', ...params };
}

/** The error that names a page to finish before the call is made again; it exists on 2025-11-25 only. */
export const urlRequired = (message: string, url: string, elicitationId: string): Error =>
  new UrlElicitationRequiredError([{ mode: 'url', message, url, elicitationId }], message);

/** True for the error of {@link urlRequired}. */
export const isUrlRequired = (error: unknown): boolean => error instanceof UrlElicitationRequiredError;

/** True for an error that must reach the client as itself, where the SDK would make it the result of a tool. */
export const isWireError = (error: unknown): boolean => error instanceof MissingRequiredClientCapabilityError;

/** Notifies the client of a request that a page it was sent to is finished; exists on 2025-11-25 only. */
export async function tellCompleted(ctx: ServerContext, elicitationId: string): Promise<void> {
  await ctx.mcpReq.notify({ method: 'notifications/elicitation/complete', params: { elicitationId } });
}

/** Notifies the client after the request has ended. */
export async function tellCompletedLater(server: McpServer, elicitationId: string): Promise<void> {
  await server.server.createElicitationCompletionNotifier(elicitationId)();
}

/**
 * The error for a handler that cannot continue without a capability that the client lacks; -32021 exists on 2026-07-28 only.
 */
export function missingCapability(asks: ClientView['asks'], required: ClientCapabilities, message: string): Error {
  if (asks !== 'rounds') return new MidcallError('ask/unavailable', message);
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: required }, message);
}
