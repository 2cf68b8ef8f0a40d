/** People of a real bridge turn notifications on, and are told; what others try to do with that. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receive } from '../../examples/docs/webhook.ts';
import { grown } from '../fixtures/grown.ts';
import { type HostOf, type InboxStage, inboxStage, type RunningBridge, type Session } from './inbox-stage.ts';
import { secret } from './notify-contract.ts';
import { type Receiver, receiver } from './push-receiver.ts';

let stage: InboxStage;
let bridge: RunningBridge;
let pushes: Receiver;
let hook: Receiver;
let adas: Session;
let bobs: Session;
let ada: HostOf;

beforeAll(async () => {
  [pushes, hook] = [await receiver(), await receiver()];
  stage = await inboxStage({ MIDCALL_WEBHOOK_SECRET: secret });
  bridge = await stage.bridge({ words: ['--webhook', `${hook.origin}/hook`, '--allow-target', pushes.host] });
  [adas, bobs] = [await stage.signIn(bridge, 'ada'), await stage.signIn(bridge, 'bob')];
  ada = await stage.host(bridge, 'ada', '2026-07-28');
});

afterAll(async () => {
  await ada?.client.close();
  await stage?.[Symbol.asyncDispose]();
  await pushes?.[Symbol.asyncDispose]();
  await hook?.[Symbol.asyncDispose]();
});

const path = '/notifications';
const publicKey = async (): Promise<string> => /data-push-on="([^"]+)"/.exec(await adas.text(path))![1]!;
const devicesOf = async (session: Session): Promise<readonly string[]> =>
  [...(await session.text(path)).matchAll(/data-device="([^"]+)"/g)].map(([, id]) => id!);
const turnOn = (session: Session, subscription: string, headers: Record<string, string> = {}): Promise<Response> =>
  session.post(path, { does: 'on', subscription }, headers);

describe('a person', () => {
  it('a person turns notifications on, tests them, is told of a question without a word of it, and turns them off', async () => {
    expect(await devicesOf(adas)).toEqual([]);
    const phone = pushes.device();
    const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1';
    const on = await turnOn(adas, phone.json, { 'user-agent': iphone });
    expect(await on.text()).toContain('Notifications are on.');
    const page = await adas.text(path);
    expect(page).toContain('Safari on iPhone');
    expect(page).not.toContain(pushes.host);
    const [id] = await devicesOf(adas);
    expect(await devicesOf(bobs)).toEqual([]);

    expect(await (await adas.post(path, { does: 'test', device: id! })).text()).toContain('A test is on its way.');
    const key = await publicKey();
    expect(phone.shown(key)).toEqual([{ title: 'Midcall', body: 'Notifications work on this device.' }]);

    // Nobody else tests it or turns it off.
    expect(await (await bobs.post(path, { does: 'test', device: id! })).text()).toContain('Notifications are off');
    await bobs.post(path, { does: 'off', device: id! });
    expect(await devicesOf(adas)).toEqual([id]);

    const question = await ada.ask({ n: 1, message: 'CANARY in the message' });
    await Promise.all([
      grown(pushes.received, list => list.length >= 2),
      grown(hook.received, list => list.length >= 1),
    ]);
    expect(phone.shown(key)[1]).toEqual({ title: 'Midcall', body: 'A question is waiting for you.' });
    const told = hook.received[0]!;
    expect(new Webhook(secret).verify(`${told.body}`, told.headers as Record<string, string>)).toEqual({
      type: 'question.waiting',
      person: stage.principal('ada'),
      link: new URL(`/inbox?question=${question}`, bridge.address).href,
      at: expect.any(String),
    });
    // As docs/inbox.md receives it.
    const asDocumented = new Request('http://localhost/', {
      ...{ method: 'POST', headers: told.headers as Record<string, string>, body: `${told.body}` },
    });
    expect(await receive(asDocumented, secret)).toContain(`waiting for ${stage.principal('ada')}: `);
    const left = [...pushes.received, ...hook.received].map(({ headers, body }) =>
      JSON.stringify([headers, `${body}`]),
    );
    expect(left.join('\n')).not.toMatch(/CANARY|colour|asker/);

    // Whoever has the link has a page to sign in, and nothing else.
    const door = await fetch(new URL(`/inbox?question=${question}`, bridge.address));
    expect(await door.text()).not.toMatch(/CANARY|colour/);

    expect(await (await adas.post(path, { does: 'off', device: id! })).text()).toContain('are off on that device');
    expect(await devicesOf(adas)).toEqual([]);
    await ada.ask({ n: 2 });
    expect(pushes.received).toHaveLength(2);
  });

  it('a person who signs out of a browser is told no more there, and who signs out everywhere nowhere', async () => {
    const session = await stage.signIn(bridge, 'ada');
    for (const name of ['one', 'two', 'three']) await turnOn(session, pushes.device(`/${name}`).json);
    const [three, two, one] = await devicesOf(adas);
    await session.post('/sign-out', { device: two! });
    expect((await devicesOf(adas)).toSorted()).toEqual([one, three].toSorted());
    const again = await stage.signIn(bridge, 'ada');
    await again.post('/sign-out', { everywhere: 'true' });
    adas = await stage.signIn(bridge, 'ada');
    expect(await devicesOf(adas)).toEqual([]);
  });

  it('a person sees on the page why a device could not be told, and an administrator sees it, too', async () => {
    const gone = pushes.device('/gone');
    await turnOn(bobs, gone.json);
    const [id] = await devicesOf(bobs);
    pushes.does = response => void response.writeHead(403).end();
    expect(await (await bobs.post(path, { does: 'test', device: id! })).text()).toContain('It answered 403.');
    await using bob = await stage.host(bridge, 'bob', '2025-11-25');
    const before = pushes.received.length;
    await bob.ask({ n: 3 });
    await grown(pushes.received, list => list.length > before);
    await grown(bridge.said as string[], list => list.some(each => each.includes('It answered 403.')));
    expect(await bobs.text(path)).toMatch(/Could not be notified[\s\S]*It answered 403\./);
    const { out } = await stage.midcall(['inboxes', 'notifications', '--inbox', stage.file]);
    expect(out).toMatch(/bob \(.*\)\n {2}a device, never told, failed .* UTC: It answered 403\./);
    expect(out).toMatch(/ada \(.*\)\n {2}the webhook, told .* UTC/);
    expect(out).not.toContain(pushes.host);
    pushes.does = response => void response.writeHead(410).end();
    expect(await (await bobs.post(path, { does: 'test', device: id! })).text()).toContain('does not know this device');
    expect(await devicesOf(bobs)).toEqual([]);
    pushes.does = undefined;
  });

  it('notifications have no page, and change nothing, without a session and the token of its forms', async () => {
    const { json } = pushes.device();
    expect((await fetch(`${adas.base}${path}`)).status).toBe(401);
    for (const csrf of ['', 'wrong', await bobs.csrf()])
      expect((await adas.post(path, { csrf, does: 'on', subscription: json })).status).toBe(403);
    expect((await turnOn(adas, json, { origin: 'https://evil.example' })).status).toBe(403);
    expect(await devicesOf(adas)).toEqual([]);
  });

  it('a person cannot have the bridge call addresses of its network, or anything that is no push service', async () => {
    const { keys } = pushes.device().subscription;
    const port = new URL(hook.origin).port;
    const before = hook.received.length;
    for (const endpoint of [
      ...[
        `${hook.origin}/hook`,
        `https://127.0.0.1:${port}/`,
        `https://[::ffff:127.0.0.1]:${port}/`,
        'https://localhost/',
      ],
      ...[
        'https://169.254.169.254/latest',
        'https://10.0.0.1/',
        `https://2130706433:${port}/`,
        'https://bridge.internal/',
      ],
      ...['http://push.example/', 'file:///etc/passwd', 'x', ''],
    ]) {
      const refused = await turnOn(adas, JSON.stringify({ endpoint, keys }));
      expect([endpoint, refused.status]).toEqual([endpoint, 422]);
    }
    const { endpoint } = pushes.device().subscription;
    for (const subscription of [
      ...[
        '',
        'null',
        '[]',
        '{}',
        '"x"',
        '{"endpoint":1}',
        JSON.stringify({ endpoint }),
        JSON.stringify({ endpoint, keys: {} }),
      ],
      JSON.stringify({ endpoint, keys: { p256dh: 'AAAA', auth: 'AAAA' } }),
      JSON.stringify({ endpoint, keys: null }),
    ])
      expect([subscription, (await turnOn(adas, subscription)).status]).toEqual([subscription, 422]);
    expect(await devicesOf(adas)).toEqual([]);
    expect(hook.received).toHaveLength(before);
    // Of the right length, and no point of the curve.
    const p256dh = Buffer.alloc(65, 7).toString('base64url');
    await turnOn(adas, JSON.stringify({ endpoint, keys: { ...keys, p256dh } }));
    const [id] = await devicesOf(adas);
    expect(await (await adas.post(path, { does: 'test', device: id! })).text()).toContain('Its keys are not usable.');
    await adas.post(path, { does: 'off', device: id! });
  });
});

describe('files', () => {
  it('the files of the inbox make it an app: a manifest, a picture, and a worker that may control it alone', async () => {
    const page = await adas.text('/');
    const of = async (pattern: RegExp): Promise<Response> => fetch(new URL(pattern.exec(page)![1]!, bridge.address));
    const manifest = await of(/rel="manifest" href="([^"]+)"/);
    expect(manifest.headers.get('content-type')).toBe('application/manifest+json');
    const { icons, ...said } = (await manifest.json()) as { icons: { src: string; type: string }[] };
    expect(said).toMatchObject({ id: '/inbox', start_url: '/inbox', scope: '/inbox', display: 'standalone' });
    for (const { src, type } of icons) {
      const icon = await fetch(new URL(src, bridge.address));
      expect([icon.status, icon.headers.get('content-type')]).toEqual([200, type]);
    }
    const picture = Buffer.from(await (await of(/rel="apple-touch-icon" href="([^"]+)"/)).arrayBuffer());
    expect([picture.toString('latin1', 1, 4), picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([
      'PNG',
      512,
      512,
    ]);
    const worker = await of(/data-worker="([^"]+)"/);
    expect(worker.headers.get('service-worker-allowed')).toBe('/inbox');
    // Somebody who is not signed in can install it, too.
    expect(await (await fetch(new URL('/inbox', bridge.address))).text()).toContain('rel="manifest"');
  });
});

describe('a bridge', () => {
  const start = (...words: string[]) =>
    stage.midcall(['bridge', ...words, '--', process.execPath, '-e', ''], { MIDCALL_WEBHOOK_SECRET: '' });

  it('a bridge is not started with a webhook that it cannot sign for, or without an inbox', async () => {
    const hookOf = '--webhook=https://hook.example/SECRET';
    const served = [
      '--http=0',
      `--auth=${stage.folder}/auth.json`,
      '--public-url=http://localhost:1',
      `--inbox=${stage.file}`,
    ];
    for (const [words, said] of [
      [[...served, hookOf], 'MIDCALL_WEBHOOK_SECRET'],
      [[hookOf], 'need --inbox'],
      [['--allow-target=a'], 'need --inbox'],
      [[...served, '--webhook=ftp://hook.example/SECRET'], 'must begin with https://'],
    ] as const) {
      const { code, err } = await start(...words);
      expect([words.at(-1), code, err]).toEqual([words.at(-1), 2, expect.stringContaining(said)]);
      expect(err).not.toContain('SECRET/');
    }
  });
});
