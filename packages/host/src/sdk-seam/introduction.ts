/**
 * What a server says about itself on connecting: the SDK keeps only the members that it knows, and refuses the server if one of them
 * is not what the protocol has there, as a host behind a bridge would. So such members are left out, and all others are unchanged.
 */
import { isRecord, type JsonObject, own } from '@midcall/core/json';
import type { Interception, JsonRpcMessage } from '@midcall/core/sdk-seam';
import { SERVER_INFO_META_KEY, specTypeSchemas } from '@modelcontextprotocol/client';

const methods: ReadonlySet<unknown> = new Set(['initialize', 'server/discover']);

/** The most recent one of a connection. */
export class Introduction implements Required<Interception> {
  readonly #pending = new Set<unknown>();
  #result: JsonObject = {};

  /** The server's `serverInfo`; empty if it gives none. */
  get implementation(): JsonObject {
    const info = own(this.#result, 'serverInfo') ?? own(own(this.#result, '_meta'), SERVER_INFO_META_KEY);
    return isRecord(info) ? info : {};
  }

  get capabilities(): JsonObject {
    const capabilities = own(this.#result, 'capabilities');
    return isRecord(capabilities) ? capabilities : {};
  }

  incoming(message: JsonRpcMessage, deliver: (message: JsonRpcMessage) => void): void {
    const { id, method, result } = message;
    if (method === undefined && this.#pending.delete(id) && isRecord(result)) {
      this.#result = withoutOddities(result);
      deliver({ ...message, result: this.#result });
    } else deliver(message);
  }

  outgoing(message: JsonRpcMessage, send: (message: JsonRpcMessage) => Promise<void>): Promise<void> {
    if (methods.has(message['method'])) this.#pending.add(message['id']);
    return send(message);
  }
}

/** The most members that are left out. */
const mostOdd = 50;

/** An introduction that the SDK reads: without members that it does not, and with those that it needs and that say nothing more. */
function withoutOddities(result: JsonObject): JsonObject {
  // Only 2025-11-25 names the revision here.
  const schema = 'protocolVersion' in result ? specTypeSchemas.InitializeResult : specTypeSchemas.DiscoverResult;
  let whole = result;
  for (let n = 0; n < mostOdd; n += 1) {
    const read = schema['~standard'].validate(whole);
    const [issue] = ('then' in read ? undefined : read.issues) ?? [];
    if (!issue) return whole;
    const [part, member] = (issue.path ?? []).map(each => String(typeof each === 'object' ? each.key : each));
    if (part === undefined || part === 'protocolVersion' || part === 'supportedVersions') return result;
    const { [part]: about, ...rest } = whole;
    if (member !== undefined && isRecord(about)) whole = { ...rest, [part]: repaired(part, member, about) };
    else whole = part === 'serverInfo' || part === 'capabilities' ? { ...rest, [part]: {} } : rest;
  }
  return result;
}

/** A part of an introduction, of which a member is missing or cannot be read. */
function repaired(part: string, member: string, { [member]: odd, ...others }: JsonObject): JsonObject {
  // A server that writes `true` has the capability.
  if (part === 'capabilities' && odd === true) return { ...others, [member]: {} };
  if (part !== 'serverInfo' || (member !== 'name' && member !== 'version')) return others;
  return { ...others, [member]: ['string', 'number'].includes(typeof odd) ? String(odd) : '' };
}
