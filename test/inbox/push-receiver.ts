/** A push service on loopback, with the devices that it reaches: it decrypts what they get, as a browser does. */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { Subscription } from '../../packages/inbox/src/store/index.ts';

/** One request, as it came. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly at: number;
}

/** A device with a browser that has subscribed. */
export interface FakeDevice {
  readonly subscription: Subscription;
  /** As the browser gives it to a page. */
  readonly json: string;
  /** What it was shown. @throws Error if something was not encrypted for it, or not signed with `publicKey` */
  shown(publicKey: string): readonly { readonly title: string; readonly body: string }[];
  readonly received: readonly Received[];
}

export interface Receiver extends AsyncDisposable {
  readonly origin: string;
  readonly host: string;
  /** Everything that came. */
  readonly received: Received[];
  /** What it does with a request; answers 201 if absent. */
  does: ((response: ServerResponse, received: Received) => void) | undefined;
  device(path?: string): FakeDevice;
}

/** @param host - the address that it listens on */
export async function receiver(host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('end', () => {
      const one = { path: request.url!, headers: request.headers, body: Buffer.concat(chunks), at: Date.now() };
      received.push(one);
      if (self.does) self.does(response, one);
      else response.writeHead(201).end();
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const at = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  let made = 0;
  const self: Receiver = {
    ...{ origin: `http://${at}`, host: at, received, does: undefined },
    device(path = `/push/${++made}`) {
      const keys = createECDH('prime256v1');
      keys.generateKeys();
      const auth = randomBytes(16);
      const p256dh = keys.getPublicKey('base64url');
      const endpoint = `http://${at}${path}`;
      const subscription = { endpoint, keys: { p256dh, auth: auth.toString('base64url') } };
      const own = (): Received[] => received.filter(each => each.path === path);
      return {
        subscription: { ...subscription, name: 'A device' },
        json: JSON.stringify({ expirationTime: null, ...subscription }),
        get received() {
          return own();
        },
        shown: publicKey =>
          own().map(({ headers, body }) => {
            checkVapid(headers.authorization!, publicKey, `http://${at}`);
            return JSON.parse(decrypted(body, keys, auth));
          }),
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return self;
}

/** RFC 8291 and RFC 8188, with one record. */
function decrypted(body: Buffer, keys: ReturnType<typeof createECDH>, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const length = body[20]!;
  const sender = body.subarray(21, 21 + length);
  const sealed = body.subarray(21 + length);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender]);
  const derived = (secret: Buffer, by: Buffer, what: Buffer | string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, by, what, bytes));
  const ikm = derived(keys.computeSecret(sender), auth, info, 32);
  const key = derived(ikm, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derived(ikm, salt, 'Content-Encoding: nonce\0', 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return padded.subarray(0, padded.lastIndexOf(2)).toString('utf8');
}

/** RFC 8292. */
function checkVapid(authorization: string, publicKey: string, audience: string): void {
  const [, token, key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization)!;
  if (key !== publicKey) throw new Error('It is signed with the key of somebody else.');
  const [head, claims, signature] = token!.split('.');
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(part => part.toString('base64url'));
  const jwk = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' });
  const signed = { key: jwk, dsaEncoding: 'ieee-p1363' } as const;
  const isGood = verify('sha256', Buffer.from(`${head}.${claims}`), signed, Buffer.from(signature!, 'base64url'));
  if (!isGood) throw new Error('Its signature is wrong.');
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims!, 'base64url').toString()) as Record<string, unknown>;
  const left = Number(exp) - Date.now() / 1_000;
  if (aud !== audience || !(left > 0 && left <= 24 * 60 * 60) || !/^(?:mailto|https):/.test(String(sub)))
    throw new Error(`Its claims are wrong: ${JSON.stringify({ aud, exp, sub })}`);
}
