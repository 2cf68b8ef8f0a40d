/** An authenticator in this process: makes passkeys, and signs what a page asks it to, as a browser would return it. */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { PasskeyRequest } from '@midcall/host/web';

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

/** Bits of the authenticator's data. */
export const flags = { present: 0x01, verified: 0x04, attested: 0x40 } as const;

/** What a browser says of the page, and the authenticator of its user, where that is not as it should be. */
export interface Odd {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly crossOrigin?: boolean;
  readonly flags?: number;
  readonly userHandle?: string;
}

interface Options {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string };
  readonly user?: { readonly id: string };
}

/** What a new passkey says of its maker: the format, and the statement in CBOR. */
export interface Attestation {
  readonly format: string;
  readonly statement: Buffer;
}

/** What an attestation is made from. */
export interface Attested {
  /** The authenticator's data. */
  readonly data: Buffer;
  readonly clientDataHash: Buffer;
  readonly key: KeyObject;
}

const nothing = (): Attestation => ({ format: 'none', statement: Buffer.from('a0', 'hex') });

/** Text or bytes in CBOR. */
export function cbor(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  const { length } = bytes;
  const size = length < 24 ? [length] : length < 256 ? [24, length] : [25, length >> 8, length & 0xff];
  size[0]! |= typeof value === 'string' ? 0x60 : 0x40;
  return Buffer.concat([Buffer.from(size), bytes]);
}

/** An assertion, as the script of a page returns it. */
export interface Assertion {
  id: string;
  rawId: string;
  type: string;
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string };
}

export class SoftwarePasskey {
  readonly id = randomBytes(20);
  /** How often it has been used; undefined for one that does not count. */
  count: number | undefined;
  readonly #origin: string;
  readonly #key: KeyObject;
  readonly #public: { readonly x: Buffer; readonly y: Buffer };
  #user: string | undefined;

  constructor(origin: string, { count }: { readonly count?: number } = {}) {
    this.#origin = origin;
    this.count = count;
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const { x, y } = privateKey.export({ format: 'jwk' });
    this.#public = { x: Buffer.from(x!, 'base64url'), y: Buffer.from(y!, 'base64url') };
  }

  /** What a page posts after its browser has made this passkey. @param attest - what it says of its maker */
  create({ options, token }: PasskeyRequest, odd: Odd = {}, attest: (what: Attested) => Attestation = nothing): string {
    const { challenge, rp, user } = options as Options;
    this.#user = user?.id;
    const { x, y } = this.#public;
    const cose = Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), x, Buffer.from('225820', 'hex'), y]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const bits = odd.flags ?? flags.present | flags.verified | flags.attested;
    const data = Buffer.concat([this.#data(odd.rpId ?? rp!.id, bits), Buffer.alloc(16), length, this.id, cose]);
    const client = this.#clientData('webauthn.create', challenge, odd);
    const { format, statement } = attest({ data, clientDataHash: sha256(client), key: this.#key });
    const attestation = Buffer.concat([
      ...[Buffer.from('a3', 'hex'), cbor('fmt'), cbor(format), cbor('attStmt'), statement],
      ...[cbor('authData'), cbor(data)],
    ]);
    const response = {
      clientDataJSON: base64url(client),
      attestationObject: base64url(attestation),
      transports: ['internal'],
    };
    return JSON.stringify({
      token,
      response: { ...this.#names, type: 'public-key', clientExtensionResults: {}, response },
    });
  }

  /** The assertion that a browser returns. */
  assert({ options }: PasskeyRequest, odd: Odd = {}): Assertion {
    const { challenge, rpId } = options as Options;
    if (this.count !== undefined) this.count += 1;
    const client = this.#clientData('webauthn.get', challenge, odd);
    const data = this.#data(odd.rpId ?? rpId!, odd.flags ?? flags.present | flags.verified);
    const userHandle = odd.userHandle ?? this.#user;
    return {
      ...this.#names,
      type: 'public-key',
      response: {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), this.#key)),
        ...(userHandle !== undefined && { userHandle }),
      },
    };
  }

  /** What a page posts after this passkey has confirmed. */
  get(request: PasskeyRequest, odd: Odd = {}): string {
    return JSON.stringify({ token: request.token, response: this.assert(request, odd) });
  }

  get #names(): { readonly id: string; readonly rawId: string } {
    return { id: base64url(this.id), rawId: base64url(this.id) };
  }

  #clientData(type: string, challenge: string, odd: Odd): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: odd.type ?? type,
        challenge: odd.challenge ?? challenge,
        origin: odd.origin ?? this.#origin,
        crossOrigin: odd.crossOrigin ?? false,
      }),
    );
  }

  #data(rpId: string, bits: number): Buffer {
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(this.count ?? 0);
    return Buffer.concat([sha256(rpId), Buffer.from([bits]), counted]);
  }
}
