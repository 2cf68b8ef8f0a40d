/** What authenticators say of their makers: signed by the passkey itself, or by a certificate of theirs. */
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type Attestation, type Attested, cbor } from './software-passkey.ts';

/** A value in DER. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const octets = (bytes: Buffer): Buffer => der(0x04, bytes);
const integer = (value: number): Buffer => der(0x02, Buffer.from([value]));
const level = (value: number): Buffer => der(0x0a, Buffer.from([value]));
const id = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const extension = (hex: string, content: Buffer): Buffer => sequence(id(hex), octets(content));
const part = (hex: string, text: string): Buffer => der(0x31, sequence(id(hex), der(0x0c, Buffer.from(text))));
const nameOf = (text: string): Buffer =>
  sequence(
    part('550406', 'SE'),
    part('55040a', text),
    part('55040b', 'Authenticator Attestation'),
    part('550403', text),
  );
const ecdsaWithSha256 = sequence(id('2a8648ce3d040302'));
const spki = (key: KeyObject): Buffer => createPublicKey(key).export({ type: 'spki', format: 'der' });

function certificate(
  {
    issuer,
    by,
    subject,
    of,
  }: Readonly<Record<'issuer' | 'subject', string>> & Readonly<Record<'by' | 'of', KeyObject>>,
  extensions: readonly Buffer[],
): Buffer {
  const times = ['20200101000000Z', '20990101000000Z'].map(time => der(0x18, Buffer.from(time)));
  const content = sequence(
    der(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    nameOf(issuer),
    sequence(...times),
    nameOf(subject),
    spki(of),
    der(0xa3, sequence(...extensions)),
  );
  return sequence(content, ecdsaWithSha256, der(0x03, Buffer.from([0]), sign('sha256', content, by)));
}

type Attest = (what: Attested) => Attestation;

/** @param by - whose key signs; that of the passkey if absent */
function signed(
  format: string,
  { data, clientDataHash, key }: Attested,
  certificates: readonly Buffer[] = [],
  by = key,
): Attestation {
  const list = certificates.length === 0 ? [] : [cbor('x5c'), Buffer.from([0x80 + certificates.length])];
  return {
    format,
    statement: Buffer.concat([
      ...[Buffer.from([certificates.length === 0 ? 0xa2 : 0xa3]), cbor('alg'), Buffer.from('26', 'hex')],
      ...[cbor('sig'), cbor(sign('sha256', Buffer.concat([data, clientDataHash]), by))],
      ...[...list, ...certificates.map(cbor)],
    ]),
  };
}

const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** A passkey signs for itself. */
export const bySelf: Attest = what => signed('packed', what);

/** Its maker signs for it. */
export const byMaker: Attest = what => {
  const maker = newKey();
  const usage = extension('551d0f', Buffer.from('03020780', 'hex'));
  const its = certificate({ issuer: 'Maker', by: maker, subject: 'Maker', of: maker }, [usage]);
  return signed('packed', what, [its], maker);
};

/**
 * The key store of a telephone signs for it, with certificates that anybody can make.
 * @param list - the address at which they say that those are listed that were revoked
 */
export const byKeyStore =
  (list: string): Attest =>
  what => {
    const root = newKey();
    const described = sequence(
      ...[integer(3), level(1), integer(4), level(1), octets(what.clientDataHash), octets(Buffer.alloc(0))],
      ...[sequence(), sequence()],
    );
    const point = sequence(der(0xa0, der(0xa0, der(0x86, Buffer.from(list)))));
    return signed('android-key', what, [
      certificate({ issuer: 'Root', by: root, subject: 'Key', of: what.key }, [
        extension('2b06010401d679020111', described),
        extension('551d1f', sequence(point)),
      ]),
      certificate({ issuer: 'Root', by: root, subject: 'Root', of: root }, [
        extension('551d13', sequence(der(0x01, Buffer.from([0xff])))),
      ]),
    ]);
  };
