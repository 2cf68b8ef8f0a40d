/**
 * What the person lets pass without being asked, from when they choose it until it ends.
 *
 * - grants-G1 A grant is for the same requester, server, definition of the tool and rule, and for no other.
 * - grants-G2 It ends by the time of the person's choice and by that of the rule, whichever is earlier; a clock that is set back
 *   does not prolong it while this process lives, and one that is set to before it was given voids it.
 * - grants-G3 A grant is given only with an answer to a question of ours, and revoked from the next call on.
 * - grants-G4 What looks like a secret is neither stored nor compared: the person may let every call of the tool pass, or none.
 */
import { randomUUID } from 'node:crypto';
import { canonical } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import { type Clock, steadyNow } from '@midcall/core/time';
import { type GrantChoice, type GrantEnd, type GrantOffer, grantScopes, maskedArguments } from '../question/index.ts';
import { activeGrants, type CallGrant, type ConsentStorage, longestGrantMs, type Rule } from '../rules/index.ts';
import { digest } from './approvals.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** What a grant is given for. */
export interface GrantedCalls {
  readonly server: string;
  readonly tool: string;
  readonly principal?: string | undefined;
  /** Digest of the requester, the server, the tool's definition and the rule. */
  readonly binding: string;
  readonly arguments: Arguments;
  readonly rule: Rule | undefined;
}

/** The most grants that are stored; the oldest one makes room. */
const mostGrants = 1_000;
/** How many earlier calls of a tool are compared with a grant before it is given, and of how many tools they are remembered. */
const mostRecent = 20;
const mostTools = 500;
/** Ends the grants for a session with this process. */
const ownSession = randomUUID();

const endMs: Readonly<Record<GrantEnd, number>> = { session: longestGrantMs, hour: 3_600_000, day: longestGrantMs };

const digests = (args: Arguments, names: readonly string[] = Object.keys(args)): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map(name => [name, digest(args[name])]));

/** The arguments without secrets in them. */
function openFields(args: Arguments): readonly string[] {
  const masked = maskedArguments(args);
  return Object.keys(args).filter(name => canonical(args[name]) === canonical(masked[name]));
}

/** A stored list of grants, to be searched for each call. */
interface Index {
  readonly of: readonly CallGrant[];
  readonly byBinding: ReadonlyMap<string, readonly CallGrant[]>;
  readonly tools: ReadonlySet<string>;
  /** The steady time at which each ends at the latest, by its id. */
  readonly ends: ReadonlyMap<string, number>;
}

const toolKey = (server: string, tool: string): string => JSON.stringify([server, tool]);

/** The grants of one host. */
export class Grants {
  readonly #clock: Clock;
  readonly #storage: ConsentStorage;
  /** The digests of the arguments of earlier calls that the person was asked about, oldest first. */
  readonly #asked = new Map<string, readonly Readonly<Record<string, string>>[]>();
  #index: Index = { of: [], byBinding: new Map(), tools: new Set(), ends: new Map() };

  constructor(clock: Clock, storage: ConsentStorage) {
    this.#clock = clock;
    this.#storage = storage;
  }

  /** False if no call of a tool passes. */
  concerns(server: string, tool: string): boolean {
    return this.#current().tools.has(toolKey(server, tool));
  }

  /** The grant that lets a call pass; undefined if there is none. */
  find(binding: string, args: Arguments): CallGrant | undefined {
    const { byBinding, ends } = this.#current();
    const [now, steady] = [this.#clock.now(), steadyNow(this.#clock)];
    return byBinding.get(binding)?.find(grant => {
      const { id, madeAt, until, session, scope, equal } = grant;
      if (now < madeAt || now >= until || steady >= ends.get(id)!) return false;
      if (session !== undefined && session !== ownSession) return false;
      if (scope === 'exact' && Object.keys(args).length !== Object.keys(equal).length) return false;
      return Object.entries(equal).every(([name, value]) => Object.hasOwn(args, name) && digest(args[name]) === value);
    });
  }

  /** What the person may choose; undefined if a yes is for one call only. From then on the call counts as an earlier one. */
  offer({ binding, arguments: args, rule }: GrantedCalls): GrantOffer | undefined {
    const { grant = 'tool', grantFor = longestGrantMs } = rule ?? {};
    if (grant === 'none') return undefined;
    const fields = openFields(args);
    const isOpen = fields.length === Object.keys(args).length;
    const now = digests(args, fields);
    const earlier = this.#asked.get(binding) ?? [];
    this.#asked.delete(binding);
    this.#asked.set(binding, [...earlier, now].slice(-mostRecent));
    const [oldest] = this.#asked.keys();
    if (oldest !== undefined && this.#asked.size > mostTools) this.#asked.delete(oldest);
    const scopes = grantScopes
      .slice(0, grantScopes.indexOf(grant) + 1)
      .filter(scope => (scope === 'exact' ? isOpen : scope === 'tool' || fields.length > 0));
    if (scopes.length === 0) return undefined;
    const recent = earlier.map(call => {
      const same = fields.filter(name => call[name] === now[name]);
      return { exact: same.length === fields.length && Object.keys(call).length === fields.length, fields: same };
    });
    const ends = (['session', 'hour', 'day'] as const).filter(end => end === 'session' || endMs[end] <= grantFor);
    return { scopes, fields, ends, recent };
  }

  /** Gives a grant. @throws if it cannot be stored */
  async give(choice: GrantChoice, calls: GrantedCalls): Promise<CallGrant> {
    const { server, tool, principal, binding, arguments: args, rule } = calls;
    const { scope, end } = choice;
    const names = scope === 'exact' ? Object.keys(args) : scope === 'fields' ? (choice.fields ?? []) : [];
    const madeAt = this.#clock.now();
    const picked = Object.fromEntries(names.map(name => [name, args[name]]));
    const grant: CallGrant = {
      id: randomUUID(),
      server,
      tool,
      ...(principal !== undefined && { principal }),
      binding,
      scope,
      equal: digests(picked),
      shows: visible(JSON.stringify(maskedArguments(picked)), { max: 300 }),
      madeAt,
      until: madeAt + Math.min(endMs[end], rule?.grantFor ?? longestGrantMs),
      ...(end === 'session' && { session: ownSession }),
    };
    await this.#storage.change(content => ({
      ...content,
      grants: [...content.grants.filter(({ until }) => madeAt < until), grant].slice(-mostGrants),
    }));
    return grant;
  }

  #current(): Index {
    const { grants } = this.#storage.current();
    if (grants === this.#index.of) return this.#index;
    const active = activeGrants(this.#storage, { now: this.#clock.now() });
    const byBinding = new Map<string, CallGrant[]>();
    for (const grant of active) byBinding.set(grant.binding, [...(byBinding.get(grant.binding) ?? []), grant]);
    const [now, steady] = [this.#clock.now(), steadyNow(this.#clock)];
    const { ends } = this.#index;
    this.#index = {
      of: grants,
      byBinding,
      tools: new Set(active.map(({ server, tool }) => toolKey(server, tool))),
      ends: new Map(active.map(({ id, until }) => [id, ends.get(id) ?? steady + until - now])),
    };
    return this.#index;
  }
}
