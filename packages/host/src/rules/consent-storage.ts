/**
 * What outlives a process of the person's consent to calls: grants, yeses that wait for their call, and calls whose end is not
 * recorded. Of a call it has digests, and of a grant what a person needs to recognize it, with secrets masked.
 *
 * - consent-storage-S1 Each change is read, made and written under a lock, and appears whole or not at all.
 * - consent-storage-S2 What another process changes applies from the next look on; a file that can no longer be understood lets
 *   nothing pass.
 */
import { isRecord } from '@midcall/core/json';
import { isMark, type ProcessMark } from '@midcall/core/node';
import { systemClock } from '@midcall/core/time';
import { followFile, ownerFile } from '../files/index.ts';
import { type GrantScope, grantScopes } from '../question/index.ts';

/** What became of a call that the person was asked about. Times are milliseconds since the epoch. */
export interface ApprovedCall {
  /** A yes that no call has used. */
  readonly yes?: { readonly id: string; readonly at: number };
  /** Calls that were started after a yes, each until its end is recorded. */
  readonly started: readonly { readonly id: string; readonly at: number; readonly by: ProcessMark }[];
  /** How the last one ended, as far as that is certain. */
  readonly ended?: { readonly how: 'executed' | 'in-doubt'; readonly at: number };
}

/** What a person lets pass without being asked. It answers no question of a server. Times are milliseconds since the epoch. */
export interface CallGrant {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  /** Whose calls; absent if the host serves one person only. */
  readonly principal?: string;
  /** Digest of the requester, the server, the tool's definition and the rule. */
  readonly binding: string;
  readonly scope: GrantScope;
  /** Digests of the arguments that must be equal, by name; for the scope `exact` those of all arguments, and there may be no others. */
  readonly equal: Readonly<Record<string, string>>;
  /** Those arguments as people read them, with secrets masked. */
  readonly shows: string;
  readonly madeAt: number;
  readonly until: number;
  /** The process that it ends with, if that is earlier. */
  readonly session?: string;
}

/** All that is stored. */
export interface ConsentContent {
  readonly grants: readonly CallGrant[];
  /** By the digest of all that a yes is for. */
  readonly calls: Readonly<Record<string, ApprovedCall>>;
}

/** Where it is stored. */
export interface ConsentStorage {
  /**
   * What is stored now: the same object until it changes.
   * @throws MidcallError `cli/usage` for a file that cannot be understood
   */
  current(): ConsentContent;
  /** Reads, changes and stores it while nobody else does. @throws what {@link current} throws, and if it cannot be stored */
  change(make: (content: ConsentContent) => ConsentContent): Promise<void>;
}

const nothing: ConsentContent = { grants: [], calls: {} };

/** For one process. */
export function consentMemory(): ConsentStorage {
  let content = nothing;
  return {
    current: () => content,
    async change(make) {
      content = make(content);
    },
  };
}

/**
 * Keeps the person's consent to calls in a JSON file, for every process of this person on this machine.
 * @param path - the file; made, with its folder, when something is written
 * @throws MidcallError `cli/usage` for a file that cannot be understood
 * @example
 * ```ts
 * const consent = consentFile('/home/ada/.config/my-host/consent.json');
 * const rules = new Rules({ rules: rulesFile('/home/ada/.config/my-host/rules.json'), consent });
 * ```
 */
export function consentFile(path: string): ConsentStorage {
  const file = ownerFile(path, 'the consent to calls', isContent);
  let problem: unknown;
  const read = followFile(
    path,
    () => {
      const content = file.readNow() ?? nothing;
      problem = undefined;
      return content;
    },
    error => {
      problem = error;
    },
  );
  const current = (): ConsentContent => {
    const content = read();
    if (problem !== undefined) throw problem;
    return content;
  };
  // A file that is wrong is found at the start.
  current();
  return {
    current,
    change: make => file.change(stored => make(stored ?? nothing)),
  };
}

/**
 * The grants in force, newest first.
 * @param search - only those with this text in them
 * @example
 * ```ts
 * for (const { server, tool, shows } of activeGrants(consentFile('/home/ada/consent.json'))) console.log(server, tool, shows);
 * ```
 */
export function activeGrants(
  consent: ConsentStorage,
  { now = systemClock.now(), search = '' }: { readonly now?: number; readonly search?: string } = {},
): readonly CallGrant[] {
  const wanted = search.toLowerCase();
  return consent
    .current()
    .grants.filter(({ madeAt, until }) => madeAt <= now && now < until)
    .filter(({ server, tool, principal = '', shows }) =>
      [server, tool, principal, shows].some(text => text.toLowerCase().includes(wanted)),
    )
    .reverse();
}

/**
 * Revokes a grant, from the next call on.
 * @returns false if there is none with this id
 * @example
 * ```ts
 * const consent = consentFile('/home/ada/consent.json');
 * for (const { id } of activeGrants(consent, { search: 'notes_delete' })) await revokeGrant(consent, id);
 * ```
 */
export async function revokeGrant(consent: ConsentStorage, id: string): Promise<boolean> {
  let found = false;
  await consent.change(content => {
    const grants = content.grants.filter(each => each.id !== id);
    found = grants.length < content.grants.length;
    return found ? { ...content, grants } : content;
  });
  return found;
}

function isContent(value: unknown): value is ConsentContent {
  if (!isRecord(value)) return false;
  const { grants, calls } = value;
  return Array.isArray(grants) && grants.every(isGrant) && isRecord(calls) && Object.values(calls).every(isCall);
}

const isText = (value: unknown): boolean => typeof value === 'string';

function isGrant(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { principal, session, scope, equal, madeAt, until } = value;
  return (
    ['id', 'server', 'tool', 'binding', 'shows'].every(name => isText(value[name])) &&
    [principal, session].every(each => each === undefined || isText(each)) &&
    grantScopes.includes(scope as GrantScope) &&
    isRecord(equal) &&
    Object.values(equal).every(isText) &&
    [madeAt, until].every(isTime)
  );
}

const isTime = Number.isFinite;

function isCall(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { yes, started, ended } = value;
  return (
    (yes === undefined || isNamed(yes)) &&
    Array.isArray(started) &&
    started.every(each => isNamed(each) && isMark(each['by'])) &&
    (ended === undefined ||
      (isRecord(ended) && (ended['how'] === 'executed' || ended['how'] === 'in-doubt') && isTime(ended['at'])))
  );
}

const isNamed = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && typeof value['id'] === 'string' && isTime(value['at']);
