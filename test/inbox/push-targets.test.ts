/** Which addresses people may have told that a question waits for them. */
import { systemClock } from '@midcall/core/time';
import { describe, expect, it } from 'vitest';
import { poster } from '../../packages/inbox/src/notify/guarded-post.ts';
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
