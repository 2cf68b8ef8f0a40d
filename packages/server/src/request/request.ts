/** One request that may ask: what is known about it before its handler runs. */
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { digest, type Principal } from '../base/index.ts';
import { type AskingMethod, nameOf, type RawParams } from '../sdk-seam/index.ts';
import type { AuditEvent, Binding, CallRef, Unstamped } from '../state/index.ts';
import type { ClientView } from './client-view.ts';
import type { Config } from './config.ts';
import { detachedOf } from './detached.ts';
import { viewClient } from './era.ts';
import { isPersonal } from './lending.ts';
import { clientOf, principalOf } from './requester.ts';

/** What the author declared about the tool, prompt or resource. */
export interface Registered {
  readonly method: AskingMethod;
  readonly version: string;
  /** True if a fallback may accept: read-only, or declared not destructive (schema.json, `ToolAnnotations`). */
  readonly mayFallBack: boolean;
  /** True if results have a schema. */
  readonly structured?: boolean;
  /** Whether questions of this tool can be shown on a card; absent if none can. */
  readonly cards?: Cards;
  /** True if the questions are another server's: an earlier answer never stands for a later one. */
  readonly gateway?: boolean;
  /** When a call becomes a task, for clients that have tasks; `when-needed` if absent. */
  readonly task?: TaskMode;
}

/** Whether the questions of the tools that are called can be shown on a card; a gateway says it by the name of the tool. */
export type Cards = ToolCards | ((name: string) => ToolCards);

/**
 * Whether a tool's questions can be shown on a card. `yes`: its results are listed with our App. `own-app`: they are shown by an App
 * of its own. `structured`: results have a schema, which the result of a waiting call does not fit.
 */
export type ToolCards = 'yes' | 'own-app' | 'structured';

/** When a call of a tool becomes a task, for clients that have tasks. */
export type TaskMode = 'never' | 'when-needed' | 'always' | 'required';

/**
 * Ends the request of a waiting call with a text for the model. If results have a schema, no text fits it, and both sides
 * refuse results that do not fit; only errors are exempt, so the text is sent as an error.
 */
export const waitingResult = (text: string, { registered }: Pick<CallRequest, 'registered'>): CallToolResult => ({
  content: [{ type: 'text', text }],
  ...(registered.structured && { isError: true }),
});

/** What the client gets of a request, or would have got if it were still there. */
export type FinalOutcome = { readonly result: unknown } | { readonly error: unknown };

export interface CallRequest {
  readonly server: McpServer;
  readonly ctx: ServerContext;
  readonly client: ClientView;
  readonly principal: Principal | undefined;
  readonly registered: Registered;
  /** Made anew each time. */
  readonly binding: Binding;
  /** Tool or prompt name, or the resource's URI. */
  readonly name: string;
  /** The arguments, as they arrived. */
  readonly arguments: unknown;
  readonly argumentsDigest: string;
  /** When it arrived, before anything was looked up for it: the answers it brings were given by then. */
  readonly receivedAt: number;
  /**
   * When the answers it brings were given, if earlier: a task keeps them until it continues. By the keys of their questions.
   */
  readonly answeredAt: Readonly<Record<string, number>>;
}

/** @param argumentsDigest - of the arguments, if it is known already: they may be long */
export async function readRequest(
  server: McpServer,
  ctx: ServerContext,
  params: RawParams,
  registered: Registered,
  config: Config,
  argumentsDigest: string = digest(params.arguments ?? {}),
): Promise<CallRequest> {
  const receivedAt = config.clock.now();
  const detachedCall = detachedOf(ctx);
  const name = params.name ?? params.uri ?? '';
  const principal = detachedCall ? detachedCall.principal : await principalOf(ctx, config);
  return {
    server,
    ctx,
    client: viewClient(server, ctx),
    principal,
    registered,
    name,
    arguments: params.arguments ?? {},
    argumentsDigest,
    receivedAt,
    answeredAt: detachedCall?.answeredAt ?? {},
    binding: {
      principal: principalKey(principal),
      client: detachedCall ? detachedCall.clientId : clientOf(ctx, config.keys.ephemeral),
      method: registered.method,
      name,
      arguments: argumentsDigest,
      audience: config.audience ?? nameOf(server),
      version: registered.version,
    },
  };
}

/** A person in the form a state is bound to. */
export const principalKey = (principal: Principal | undefined): string =>
  principal ? JSON.stringify([principal.issuer, principal.subject]) : '';

/** True if the questions of a round are sent together: the client's revision has rounds, or the call is a task. */
export const inRounds = ({ ctx, client }: Pick<CallRequest, 'ctx' | 'client'>): boolean =>
  client.asks === 'rounds' || detachedOf(ctx) !== undefined;

/** True if nothing is lost when this request ends: it is a task, or may become one. */
export const outlivesRequest = (request: CallRequest): boolean =>
  detachedOf(request.ctx) !== undefined ||
  (request.client.tasks &&
    request.registered.method === 'tools/call' &&
    !!request.registered.task &&
    request.registered.task !== 'never' &&
    hasServerLater(request));

/** The name of the tool by which a model continues a waiting call. */
export const RESUME = 'resume';

/** True if this is a call that `resume` continues: one of a tool. */
export const canResume = ({ registered }: Pick<CallRequest, 'registered'>, config: Config): boolean =>
  registered.method === 'tools/call' && config.resume !== undefined;

/**
 * True if there will be a server to continue this call: any, one made for the same person, or, for a gateway, the one that took
 * it. A server made for a request without a known person serves no other request.
 */
export const hasServerLater = ({
  server,
  ctx,
  principal,
  registered,
}: Pick<CallRequest, 'server' | 'ctx' | 'principal' | 'registered'>): boolean =>
  principal !== undefined || ctx.sessionId !== undefined || registered.gateway === true || !isPersonal(server, ctx);

/** Names a call in the audit, and on its pages. */
export const callRef = (request: CallRequest, flow: string): CallRef => ({
  flow,
  method: request.registered.method,
  name: request.name,
  arguments: request.argumentsDigest,
  principal: request.principal,
});

/** Names a call that could not be read completely: its owner is not known yet. */
export const unread = ({ name, uri, arguments: raw }: RawParams, method: AskingMethod): CallRef => ({
  flow: '',
  method,
  name: name ?? uri ?? '',
  arguments: digest(raw ?? {}),
  principal: undefined,
});

/** Stamps audit events with the time and the call. */
export function auditor(request: CallRequest, flow: string, config: Config): (event: Unstamped) => void {
  const { audit } = config;
  if (!audit) return unheard;
  return event => audit({ at: config.clock.now(), call: callRef(request, flow), ...event } as AuditEvent);
}

const unheard = (): void => {};

/** What an author can do about a call that needs more rounds than its client allows. */
export const waysOut =
  'For its author: ask for more at once (several fields in one form, forms that do not depend on each other in one call.wizard, ' +
  'questions in one Promise.all), or let the call outlive its rounds with pages or the relay: midcall({ pages, channels }).';
