/** Which addresses people may have told that a question waits for them. */
import { createSocket } from 'node:dgram';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { systemClock } from '@midcall/core/time';
import { describe, expect, it, onTestFinished } from 'vitest';
import { poster, resolveByDns } from '../../packages/inbox/src/notify/guarded-post.ts';
import { openInbox } from '../../packages/inbox/src/public.ts';
import { secret } from './notify-contract.ts';
import { receiver } from './push-receiver.ts';

describe('an address that a person supplies', () => {
  const message = { headers: {}, body: 'x' };

  it('an address is refused if its host is of this machine or its network, by whatever name or number', async () => {
    await using to = await receiver();
    const port = new URL(to.origin).port;
    const posts = poster({ clock: systemClock, allowedTargets: [] });
    for (const host of [
      ...[
        '127.0.0.1',
        '127.1',
        '2130706433',
        '0x7f000001',
        '0177.0.0.1',
        '127.0.0.1.',
        'localhost',
        'LOCALHOST',
        'a.localhost',
      ],
      ...[
        '0.0.0.0',
        '0',
        '10.1.2.3',
        '172.16.0.1',
        '192.168.1.1',
        '169.254.169.254',
        '100.64.0.1',
        '198.18.0.1',
        '224.0.0.1',
      ],
      ...[
        '[::1]',
        '[::]',
        '[::ffff:127.0.0.1]',
        '[::ffff:7f00:1]',
        '[::127.0.0.1]',
        '[fe80::1]',
        '[fc00::1]',
        '[fd12::1]',
      ],
      ...[
        '[64:ff9b::7f00:1]',
        '[2002:7f00:1::]',
        '[ff02::1]',
        'router',
        'db.internal',
        'printer.local',
        'nas.home.arpa',
      ],
      // Digits of another script are digits to a browser.
      ...['１２７.0.0.1', '①②⑦.⓪.⓪.①', 'ⓛocalhost'],
    ]) {
      const address = `https://${host}:${port}/push`;
      expect([host, posts.whyNot(address)]).toEqual([host, expect.stringMatching(/not a public one/)]);
      expect([host, await posts.post(new URL(address), message, 'person')]).toEqual([
        host,
        { why: 'Its address is not a public one.' },
      ]);
    }
    expect(to.received).toEqual([]);
  });

  it('an address is refused if it is not encrypted, has a password, or is no address of the web', () => {
    const posts = poster({ clock: systemClock, allowedTargets: ['push.internal', '127.0.0.1:99'] });
    for (const address of [
      ...['http://push.example/x', 'ftp://push.example/', 'file:///etc/passwd', 'javascript:alert(1)', 'data:,x', ''],
      ...['https://', 'https://a:b@push.example/', `https://push.example/${'x'.repeat(2_000)}`, 'http://127.0.0.1:98/'],
      ...['ftp://push.internal/', 'http://push.internal.example/', 'http://x@push.internal/'],
    ])
      expect([address, posts.whyNot(address)]).toEqual([address, expect.any(String)]);
    for (const address of [
      'https://push.example/x',
      'http://push.internal/x',
      'https://push.internal:1/',
      'http://127.0.0.1:99/',
    ])
      expect([address, posts.whyNot(address)]).toEqual([address, undefined]);
  });

  it('an address is refused if its name leads inside, at the moment at which it is connected to', async () => {
    await using to = await receiver();
    await using six = await receiver('::1');
    const asked: string[] = [];
    for (const [at, ...addresses] of [
      [to, '127.0.0.1'],
      [to, '::ffff:127.0.0.1'],
      // One of them is public.
      [to, '192.0.78.24', '127.0.0.1'],
      [six, '::1'],
    ] as const) {
      const { port } = new URL(at.origin);
      // What was a public name when the device was turned on.
      const posts = poster({
        clock: systemClock,
        allowedTargets: [],
        resolve: async name => {
          asked.push(name);
          return addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
        },
      });
      const address = new URL(`https://rebound.example:${port}/push`);
      expect(posts.whyNot(address.href)).toBeUndefined();
      expect(await posts.post(address, message, 'person')).toEqual({ why: 'Its address is not a public one.' });
      expect(at.received).toEqual([]);
    }
    // It is resolved once for each connection, so that it is not another one that is connected to.
    expect(asked).toEqual(Array(4).fill('rebound.example'));
  });

  it('an address gets its message if the operator allows its host, and what that resolves to is connected to', async () => {
    await using to = await receiver();
    const { port } = new URL(to.origin);
    const posts = poster({
      clock: systemClock,
      allowedTargets: ['push.example'],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    expect(await posts.post(new URL(`http://push.example:${port}/x`), message, 'person')).toEqual({ status: 201 });
    expect(to.received.map(({ headers }) => headers.host)).toEqual([`push.example:${port}`]);
  });

  it('an address that has none, or where nobody listens, is a failure in words without that address', async () => {
    const posts = poster({
      clock: systemClock,
      allowedTargets: ['127.0.0.1', 'push.example'],
      resolve: async () => [],
    });
    const none = await posts.post(new URL('http://push.example/secret'), message, 'person');
    expect(none).toEqual({ why: 'It has no address.' });
    const refused = await posts.post(new URL('http://127.0.0.1:9/secret'), message, 'person');
    expect(refused).toEqual({ why: 'It could not be reached (ECONNREFUSED).' });
  });
});

/** A name server with one IPv4 address for every name. */
async function nameServer() {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5;
    const isV4 = query.readUInt16BE(end - 4) === 1;
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isV4 ? 1 : 0, 0, 0, 0, 0]);
    // A pointer to the name, type A, class IN, a minute, four bytes.
    const record = isV4 ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 78, 24] : [];
    socket.send(Buffer.concat([header, query.subarray(12, end), Buffer.from(record)]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

it('names that people supply are resolved by DNS alone: the hosts file and what else the system asks are left out', async () => {
  const resolve = resolveByDns([await nameServer()]);
  for (const name of ['push.example', 'localhost'])
    expect(await resolve(name)).toEqual([{ address: '192.0.78.24', family: 4 }]);
});

it('the system resolves allowed hosts, and DNS alone the others', async () => {
  const { lookup, Resolver } = dns;
  onTestFinished(() => {
    Object.assign(dns, { lookup, Resolver });
    syncBuiltinESMExports();
  });
  const asked: string[] = [];
  class OwnResolver extends Resolver {
    override resolve4 = async (name: string): Promise<never> => {
      asked.push(`DNS: ${name}`);
      return ['127.0.0.1'] as never;
    };
    override resolve6 = this.resolve4;
  }
  const ownLookup = async (name: string) => {
    asked.push(`system: ${name}`);
    return [];
  };
  Object.assign(dns, { lookup: ownLookup, Resolver: OwnResolver });
  syncBuiltinESMExports();
  const posts = poster({ clock: systemClock, allowedTargets: ['own.example'] });
  const post = (host: string) => posts.post(new URL(`https://${host}/x`), { headers: {}, body: 'x' }, 'person');
  expect(await post('push.example')).toEqual({ why: 'Its address is not a public one.' });
  expect(await post('own.example')).toEqual({ why: 'It has no address.' });
  expect(asked).toEqual(['DNS: push.example', 'DNS: push.example', 'system: own.example']);
});

it('a name that no name server knows is an error with a code', async () => {
  const nobody = createSocket('udp4').bind(0, '127.0.0.1');
  await once(nobody, 'listening');
  const { port } = nobody.address();
  await new Promise<void>(closed => nobody.close(closed));
  await expect(resolveByDns([`127.0.0.1:${port}`])('push.example')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it('a webhook whose address or secret is none is refused at the start, without repeating either', async () => {
  const options = { where: ':memory:', issuer: {} as never, publicUrl: new URL('http://localhost:1') };
  for (const webhook of [
    { url: 'ftp://hook.example/SECRET', secret },
    { url: 'SECRET', secret },
    { url: 'https://hook.example', secret: 'SECRET' },
    { url: 'https://hook.example', secret: 'whsec_U0VDUkVU' },
    { url: 'https://hook.example', secret: `whsec_${'!'.repeat(40)}SECRET` },
  ]) {
    const refused = await openInbox({ ...options, webhook }).catch(error => error);
    expect(refused).toMatchObject({ code: 'server/setup', message: expect.stringContaining('webhook must') });
    expect(String(refused)).not.toContain('SECRET');
  }
});
