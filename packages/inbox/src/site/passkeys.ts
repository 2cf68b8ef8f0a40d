/**
 * The judgement of passkeys: what a browser is asked to let a passkey sign, and whether what comes back proves it.
 *
 * - inbox-passkey-P1 What is signed is a digest of the person, the address of this inbox, what is done, a nonce and an end two minutes
 *   later. For an answer, that is all that was asked and all that is answered, as read from the store and from the post when it comes
 *   back. Whoever has what came back can only repeat the same answer of the same person to the same question.
 * - inbox-passkey-P2 Nothing is stored for a request: its nonce and end travel sealed, for this person.
 * - inbox-passkey-P3 The authenticator must have verified its user, at a page of this inbox's own origin that was in no frame of another.
 * - inbox-passkey-P4 A passkey of somebody else, a revoked one, and one whose count does not grow prove nothing.
 * - inbox-passkey-P5 Adding and revoking a passkey needs one, or a sign-in at most five minutes ago at which the issuer asked the person, or, for
 *   adding, an invitation. If an inbox demands invitations, a sign-in alone adds none. So a session that was stolen later changes nothing.
 * - inbox-passkey-P6 Whatever is posted as a new passkey, nothing is fetched for it: certificates of its maker are not accepted.
 */
import { hash, randomBytes } from 'node:crypto';
import { canonical, fromJson, isRecord } from '@midcall/core/json';
import { type Clock, systemClock } from '@midcall/core/time';
import type { PasskeyProblem, PasskeyRequest, PersonPasskeys, Present } from '@midcall/host/web';
import type { Sealer } from '@midcall/server';
import type { AttestationObject } from '@simplewebauthn/server/helpers';
import type { InboxStore, PasskeyGrant, PasskeyKey, Session } from '../store/index.ts';

/** How a person comes to a first passkey: by having signed in, or by an invitation of an administrator. */
export type Enrolment = 'signed-in' | 'invited';

/** What judging needs. */
export interface PasskeyParts {
  readonly store: Pick<InboxStore, 'passkeys'>;
  /** Where browsers reach the inbox. */
  readonly publicUrl: URL;
  readonly sealer: Sealer;
  readonly enrolment: Enrolment;
  readonly clock?: Pick<Clock, 'now'>;
}

/** How long a person may take to confirm, in milliseconds. */
const confirmMs = 2 * 60_000;
/** How far the clocks of bridges may be apart, in milliseconds. */
const skewMs = 5 * 60_000;
/** How long after a sign-in passkeys can be changed without one. */
const freshMs = 5 * 60_000;
/** The longest text that a browser's script returns. */
const longestPost = 64 * 1024;
/** The longest name of a passkey. */
const longestName = 60;
const purpose = 'inbox-passkey';

/** What a passkey is asked to sign, besides the person and the time. */
type Act = readonly ['answer' | 'add' | 'revoke' | 'register', ...unknown[]];

/** What travels sealed. */
interface Ticket {
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** By what a passkey may be registered. */
  readonly by?: PasskeyGrant;
  /** The secret of the invitation, or the id of the passkey, by which that is. */
  readonly proof?: string;
  /** How the new passkey will know its owner. */
  readonly user?: string;
}

/** What a script has returned. */
interface Posted {
  readonly token: string;
  readonly response: Readonly<Record<string, unknown>>;
}

const random = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** Whether browsers have passkeys at an address: those of `https`, and this machine's own, unless they are numbers. */
export function canHavePasskeys({ protocol, hostname }: URL): boolean {
  if (/^[\d.]+$/.test(hostname) || hostname.startsWith('[')) return false;
  return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
}

/** @returns undefined for what no script of ours returns */
function readPosted(text: string): Posted | undefined {
  if (text.length > longestPost) return undefined;
  const posted = fromJson(text);
  if (!isRecord(posted) || typeof posted['token'] !== 'string' || !isRecord(posted['response'])) return undefined;
  return { token: posted['token'], response: posted['response'] };
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, 'base64url'));

/** Bytes have one spelling: another one of the same bytes was changed on its way. */
const isBase64Url = (text: unknown): text is string =>
  typeof text === 'string' && Buffer.from(text, 'base64url').toString('base64url') === text;

/**
 * True for the one encoding (DER) of an ECDSA signature: two positive integers in a sequence, with nothing beside them. The library
 * reads other spellings of the same as well.
 */
function isExactSignature(bytes: Buffer): boolean {
  const endOfInteger = (at: number): number | undefined => {
    const length = bytes[at + 1] ?? 0;
    const [first = 0, second = 0] = bytes.subarray(at + 2);
    const isShort = length > 0 && length < 0x80 && first < 0x80 && (first > 0 || (length > 1 && second >= 0x80));
    return bytes[at] === 0x02 && isShort ? at + 2 + length : undefined;
  };
  // That of the curve P-521 needs a byte more for its length.
  const start = bytes[1] === 0x81 && bytes[2]! >= 0x80 ? 3 : 2;
  const second = bytes[0] === 0x30 && bytes[start - 1] === bytes.length - start ? endOfInteger(start) : undefined;
  return second !== undefined && endOfInteger(second) === bytes.length;
}

/** True if a page in a frame of another origin asked the browser. */
function isInFrame(clientData: string): boolean {
  const read: unknown = JSON.parse(Buffer.from(clientData, 'base64url').toString('utf8'));
  return !isRecord(read) || (read['crossOrigin'] !== undefined && read['crossOrigin'] !== false);
}

/**
 * True if a new passkey brings certificates of its maker. Nobody asked for them, and the library would fetch what they name. A passkey
 * that signs for itself brings none.
 */
function isCertified(attestation: AttestationObject): boolean {
  const format = attestation.get('fmt');
  return format !== 'none' && (format !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined);
}

export class SitePasskeys {
  readonly #parts: PasskeyParts & { readonly clock: Pick<Clock, 'now'> };

  constructor(parts: PasskeyParts) {
    this.#parts = { clock: systemClock, ...parts };
  }

  /** @param signInPath - see {@link PersonPasskeys.signInPath} */
  of({ principal, name, begunAt, wasAsked }: Session, signInPath: PersonPasskeys['signInPath']): PersonPasskeys {
    const { store, publicUrl, enrolment, clock } = this.#parts;
    const isPossible = canHavePasskeys(publicUrl);
    const isFresh = wasAsked && Math.abs(clock.now() - begunAt) <= freshMs;
    const needsInvitation = enrolment === 'invited';
    const answer = ([{ question, approval }, reply]: Parameters<PersonPasskeys['requestAnswer']>): Act => {
      const { votes: _, outcome: __, ...asked } = approval ?? { votes: [] };
      return ['answer', question, asked, reply];
    };
    return {
      ...{ isPossible, isFresh, needsInvitation, signInPath, origin: publicUrl.origin },

      async list() {
        const all = await store.passkeys.list(principal);
        return all.filter(({ revokedAt }) => revokedAt === undefined);
      },

      requestAnswer: (...what) => this.#request(principal, answer(what)),
      proveAnswer: (shown, reply, posted) => this.#prove(principal, answer([shown, reply]), posted, shown.question.id),

      requestNew: async ({ invitation, posted }) => {
        if (!isPossible) return 'impossible';
        const keys = await store.passkeys.keys(principal);
        const register = (by: PasskeyGrant, proof?: string) => this.#requestNew(principal, name, keys, by, proof);
        if (invitation) {
          const isInvited = await store.passkeys.isInvited(principal, invitation);
          return isInvited ? register('invited', invitation) : 'not-invited';
        }
        if (posted) {
          const proved = await this.#prove(principal, ['add'], posted);
          return typeof proved === 'string' ? proved : register('passkey', proved.credential);
        }
        if (isFresh && !needsInvitation) return register('signed-in');
        if (keys.length === 0) return needsInvitation ? 'invitation' : 'sign-in';
        const request = await this.#request(principal, ['add']);
        return typeof request === 'string' ? request : { ...request, again: true };
      },

      add: (called, posted) => this.#add(principal, called, posted),

      requestRevoke: async id => (isFresh ? undefined : this.#request(principal, ['revoke', id])),

      revoke: async (id, posted) => {
        if (!isFresh) {
          const proved = posted ? await this.#prove(principal, ['revoke', id], posted) : 'sign-in';
          if (typeof proved === 'string') return proved;
        }
        return (await store.passkeys.revoke(principal, id, 'owner')) ? 'revoked' : 'refused';
      },
    };
  }

  #challenge(principal: string, act: Act, { nonce, until }: Ticket): Buffer<ArrayBuffer> {
    const { origin } = this.#parts.publicUrl;
    const text = canonical(['midcall inbox passkey', origin, principal, act, nonce, until]);
    return hash('sha256', text, 'buffer') as Buffer<ArrayBuffer>;
  }

  #ticket(more: Omit<Ticket, 'nonce' | 'until'> = {}): Ticket {
    return { ...more, nonce: random(16), until: this.#parts.clock.now() + confirmMs };
  }

  #seal(principal: string, kind: 'get' | 'create', ticket: Ticket): string {
    return this.#parts.sealer.seal(ticket, purpose, `${kind} ${principal}`);
  }

  #open(principal: string, kind: 'get' | 'create', token: string): Ticket | 'late' | 'refused' {
    const opened = this.#parts.sealer.open(token, purpose, `${kind} ${principal}`);
    if (!opened.ok) return 'refused';
    const ticket = opened.payload as Ticket;
    const left = ticket.until - this.#parts.clock.now();
    // A clock that was set back by more does not give more time.
    return left > 0 && left <= confirmMs + skewMs ? ticket : 'late';
  }

  async #request(principal: string, act: Act): Promise<PasskeyRequest | PasskeyProblem> {
    const { store, publicUrl } = this.#parts;
    if (!canHavePasskeys(publicUrl)) return 'impossible';
    const keys = await store.passkeys.keys(principal);
    if (keys.length === 0) return 'none';
    const ticket = this.#ticket();
    const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
    const options = await generateAuthenticationOptions({
      rpID: publicUrl.hostname,
      challenge: new Uint8Array(this.#challenge(principal, act, ticket)),
      allowCredentials: keys.map(({ id, transports }) => ({ id, transports: [...transports] })),
      userVerification: 'required',
      timeout: confirmMs,
    });
    return { does: 'get', options, token: this.#seal(principal, 'get', ticket) };
  }

  /** @param question - the id of the question whose answer is proved, for the record */
  async #prove(principal: string, act: Act, text: string, question?: string): Promise<Present | PasskeyProblem> {
    const { store, publicUrl } = this.#parts;
    if (!canHavePasskeys(publicUrl)) return 'impossible';
    const posted = readPosted(text);
    if (!posted) return 'refused';
    const ticket = this.#open(principal, 'get', posted.token);
    if (typeof ticket === 'string') return ticket;
    const keys = await store.passkeys.keys(principal);
    const key = keys.find(({ id }) => id === posted.response['id']);
    const counter = key && (await this.#counterOf(key, this.#challenge(principal, act, ticket), posted.response));
    if (!key || counter === undefined) return 'refused';
    const isUsed = await store.passkeys.use(principal, key.id, counter, question);
    return isUsed ? { credential: key.id } : 'refused';
  }

  /** Checks an assertion. @returns how often the passkey says that it was used; undefined if it proves nothing */
  async #counterOf(
    key: PasskeyKey,
    challenge: Buffer,
    { response, ...outer }: Readonly<Record<string, unknown>>,
  ): Promise<number | undefined> {
    const { publicUrl } = this.#parts;
    if (!isRecord(response) || outer['rawId'] !== key.id || outer['type'] !== 'public-key') return undefined;
    const { clientDataJSON, authenticatorData, signature, userHandle } = response;
    if (!isBase64Url(clientDataJSON) || !isBase64Url(authenticatorData) || !isBase64Url(signature)) return undefined;
    // Only authenticators that know the person by it return it.
    if (userHandle !== undefined && userHandle !== null && userHandle !== key.user) return undefined;
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const { cose, decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers');
    try {
      if (isInFrame(clientDataJSON)) return undefined;
      const isOfCurve = cose.isCOSEPublicKeyEC2(decodeCredentialPublicKey(bytesOf(key.publicKey)));
      if (isOfCurve && !isExactSignature(Buffer.from(signature, 'base64url'))) return undefined;
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: {
          ...{ id: key.id, rawId: key.id, type: 'public-key', clientExtensionResults: {} },
          response: { clientDataJSON, authenticatorData, signature },
        },
        expectedChallenge: challenge.toString('base64url'),
        expectedOrigin: publicUrl.origin,
        expectedRPID: publicUrl.hostname,
        credential: { id: key.id, publicKey: bytesOf(key.publicKey), counter: key.counter },
        requireUserVerification: true,
      });
      return verified ? authenticationInfo.newCounter : undefined;
    } catch {
      // It throws for whatever is not as it must be.
      return undefined;
    }
  }

  async #requestNew(
    principal: string,
    name: string,
    keys: readonly PasskeyKey[],
    by: PasskeyGrant,
    proof?: string,
  ): Promise<PasskeyRequest> {
    const { publicUrl } = this.#parts;
    const user = keys[0]?.user ?? random(32);
    const ticket = this.#ticket({ by, user, ...(proof !== undefined && { proof }) });
    const { generateRegistrationOptions } = await import('@simplewebauthn/server');
    const options = await generateRegistrationOptions({
      rpName: `Midcall inbox at ${publicUrl.host}`,
      rpID: publicUrl.hostname,
      userName: name,
      userDisplayName: name,
      userID: bytesOf(user),
      challenge: new Uint8Array(this.#challenge(principal, ['register'], ticket)),
      attestationType: 'none',
      excludeCredentials: keys.map(({ id, transports }) => ({ id, transports: [...transports] })),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      timeout: confirmMs,
    });
    return { does: 'create', options, token: this.#seal(principal, 'create', ticket) };
  }

  async #add(principal: string, called: string, text: string): Promise<'added' | PasskeyProblem> {
    const { store, publicUrl } = this.#parts;
    if (!canHavePasskeys(publicUrl)) return 'impossible';
    const posted = readPosted(text);
    if (!posted) return 'refused';
    const ticket = this.#open(principal, 'create', posted.token);
    if (typeof ticket === 'string') return ticket;
    const challenge = this.#challenge(principal, ['register'], ticket).toString('base64url');
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
    let made: { readonly id: string; readonly publicKey: Uint8Array; readonly counter: number } | undefined;
    try {
      const { clientDataJSON, attestationObject } = posted.response['response'] as Readonly<Record<string, string>>;
      if (isInFrame(clientDataJSON!)) return 'refused';
      if (isCertified(decodeAttestationObject(isoBase64URL.toBuffer(attestationObject!)))) return 'refused';
      const { registrationInfo } = await verifyRegistrationResponse({
        response: posted.response as never,
        expectedChallenge: challenge,
        expectedOrigin: publicUrl.origin,
        expectedRPID: publicUrl.hostname,
        requireUserVerification: true,
      });
      made = registrationInfo?.credential;
    } catch {
      // It throws for whatever is not as it must be.
    }
    if (!made) return 'refused';
    const { id, publicKey, counter } = made;
    const name = [...called.trim()].slice(0, longestName).join('') || 'Passkey';
    const passkey = { id, counter, name, publicKey: Buffer.from(publicKey).toString('base64url'), user: ticket.user! };
    const transports = transportsOf(posted.response);
    return store.passkeys.add(principal, { ...passkey, transports }, ticket.by!, ticket.proof);
  }
}

/** How browsers say that they reach a new passkey: a hint, which is not signed. */
function transportsOf({ response }: Readonly<Record<string, unknown>>): readonly string[] {
  const all = isRecord(response) ? response['transports'] : undefined;
  return Array.isArray(all)
    ? all.filter(each => typeof each === 'string' && /^[\w-]{1,20}$/.test(each)).slice(0, 8)
    : [];
}
