/** What any database of inboxes has to do so that people are told that a question waits. */
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { openInboxStore } from '../../packages/inbox/src/public.ts';
import { eventually, grown } from '../fixtures/grown.ts';
import { inSoak } from '../fixtures/soak.ts';
import type { Place } from './contract.ts';
import { publicUrl, type Service, service, stopServices } from './notify-stage.ts';
import { type Receiver, receiver } from './push-receiver.ts';
import { key, manualClock, question } from './stage.ts';

const minute = 60_000;
export const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const waiting = { title: 'Midcall', body: 'A question is waiting for you.' };

/** @param place - makes an empty database */
export function notifyContract(name: string, place: () => Promise<Place>): void {
  describe(`telling people, with ${name}`, () => {
    afterEach(stopServices);

    /** Somebody with one device. */
    const withDevice = async (at: Place, to: Receiver, more: Parameters<typeof service>[2] = {}) => {
      const a = await service(at.where, [to], more);
      await a.signIn('ada');
      const device = to.device();
      await a.inbox.store.deliveries.turnOn('ada', device.subscription);
      return { a, device };
    };
    /** Stops inboxes once they have used that. @returns a promise that resolves when they have stopped */
    const stopAfter = ({ inbox }: Service, name: 'claim' | 'keys'): Promise<void> =>
      new Promise(resolve => {
        const { deliveries } = inbox.store;
        const does = deliveries[name] as (...args: unknown[]) => Promise<unknown>;
        const doesLast = async (...args: unknown[]): Promise<unknown> => {
          const done = await does(...args);
          resolve(inbox.stop());
          return done;
        };
        Object.assign(deliveries, { [name]: doesLast });
      });
    /** Lets time pass until so many have come. */
    const come = async (at: Service, to: Receiver, count: number, stepMs = 100): Promise<void> => {
      while (to.received.length < count) await at.pass(stepMs);
    };

    it('a person is told on each of their devices, encrypted and signed, and nobody else is', async () => {
      await using to = await receiver();
      const at = await place();
      const { a, device } = await withDevice(at, to);
      const phone = to.device();
      await a.inbox.store.deliveries.turnOn('ada', phone.subscription);
      await a.signIn('bob');
      const bobs = to.device();
      await a.inbox.store.deliveries.turnOn('bob', bobs.subscription);
      await a.ask('ada');
      await come(a, to, 2);
      for (const each of [device, phone]) expect(each.shown(a.publicKey)).toEqual([waiting]);
      expect(bobs.received).toEqual([]);
      const [{ headers }] = device.received as [(typeof device.received)[0]];
      expect(headers).toMatchObject({
        topic: 'question',
        urgency: 'high',
        ttl: '86400',
        'content-encoding': 'aes128gcm',
      });
      expect(a.errors).toEqual([]);
    });

    it('nothing of the question is in what leaves, or readable in the database', async () => {
      await using to = await receiver();
      await using hook = await receiver();
      const at = await place();
      const webhook = { url: `${hook.origin}/hook`, secret };
      const { a, device } = await withDevice(at, to, { webhook });
      const canary = 'CANARY-of-the-question';
      const asked = question(`Delete ${canary}?`, {
        asker: { id: `server ${canary}`, name: canary, origin: canary, era: '2026' },
        call: { id: canary, kind: 'tool', name: canary, arguments: { canary } },
      } as never);
      await a.ask('ada', asked);
      await come(a, to, 1);
      await come(a, hook, 1);
      const told = [...to.received, ...hook.received].map(({ path, headers, body }) => [path, headers, `${body}`]);
      expect(JSON.stringify(told)).not.toMatch(/CANARY|Delete|notes/);
      expect(JSON.stringify(device.shown(a.publicKey))).not.toMatch(/CANARY|ada|question=/);
      expect(`${to.received[0]!.body}`).not.toContain('waiting');
      const stored = JSON.stringify(await at.sql('select * from inbox_targets'));
      expect(stored).not.toContain(to.host);
      expect(stored).not.toContain(device.subscription.keys.auth);
      expect(JSON.stringify(await at.sql('select * from inbox_push_keys'))).not.toContain(
        (await a.inbox.store.deliveries.keys()).privateKey,
      );
    });

    it('many questions make one notification, and one more a minute later', async () => {
      await using to = await receiver();
      const at = await place();
      const { a } = await withDevice(at, to);
      await Promise.all(Array.from({ length: inSoak(1_000, 100) }, () => a.ask('ada')));
      await come(a, to, 1);
      await a.pass(55_000);
      expect(to.received).toHaveLength(1);
      await a.ask('ada');
      await a.pass(1_000);
      expect(to.received).toHaveLength(1);
      await come(a, to, 2);
      await a.pass(2 * minute);
      expect(to.received).toHaveLength(2);
    });

    it('one of several processes tells, and another one tells what it left when it died', async () => {
      await using to = await receiver();
      const at = await place();
      const clock = manualClock();
      const { a } = await withDevice(at, to, { clock });
      await service(at.where, [to], { clock });
      await service(at.where, [to], { clock });
      await a.ask('ada');
      await come(a, to, 1);
      await a.pass(2 * minute);
      expect(to.received).toHaveLength(1);
      // A process that takes it, and dies before it tells anybody.
      await a.ask('ada');
      const dead = await openInboxStore({ where: at.where, key, clock });
      expect(await dead.deliveries.claim([], false)).toMatchObject([{ principal: 'ada' }]);
      await dead.stop();
      await a.pass(55_000);
      expect(to.received).toHaveLength(1);
      await come(a, to, 2);
      await a.pass(2 * minute);
      expect(to.received).toHaveLength(2);
    });

    it('a notification that could not be delivered is tried again, ever later, for less than an hour, and the reason is shown', async () => {
      await using to = await receiver();
      const at = await place();
      const { a } = await withDevice(at, to);
      to.does = response => void response.writeHead(503).end();
      const begun = a.clock.now();
      const times: number[] = [];
      await a.ask('ada');
      for (const count of [1, 2, 3, 4, 5]) {
        await come(a, to, count, 1_000);
        times.push(a.clock.now() - begun);
      }
      const gaps = times.slice(1).map((time, n) => time - times[n]!);
      expect(gaps).toEqual(gaps.toSorted((x, y) => x - y));
      expect(times.at(-1)).toBeLessThan(60 * minute);
      for (let n = 0; n < 20; n += 1) await a.pass(5_000).then(() => a.clock.advance(10 * minute));
      expect(to.received).toHaveLength(5);
      const [device] = await a.inbox.store.deliveries.devices('ada');
      expect(device).toMatchObject({ failure: 'It answered 503.', failedAt: expect.any(Number) });
      expect(a.errors.map(String)).toEqual([expect.stringContaining('It answered 503.')]);
      // It works again.
      to.does = undefined;
      await a.ask('ada');
      await come(a, to, 6);
      expect((await a.inbox.store.deliveries.devices('ada'))[0]).not.toHaveProperty('failure');
    });

    it('a question that has ended is told to nobody, and of those that wait the oldest one is linked', async () => {
      await using hook = await receiver();
      const at = await place();
      const a = await service(at.where, [], { webhook: { url: hook.origin, secret } });
      const gone = await a.ask('ada');
      await gone.end();
      const first = await a.ask('ada');
      await a.ask('ada');
      await come(a, hook, 1);
      expect(JSON.parse(`${hook.received[0]!.body}`)).toMatchObject({
        link: new URL(`/inbox?question=${first.id}`, publicUrl).href,
      });
      // It ends within the minute in which nobody is told again.
      const late = await a.ask('ada');
      await late.end();
      await a.pass(2 * minute);
      expect(hook.received).toHaveLength(1);
    });

    it('the webhook is signed as Standard Webhooks says, with the same id for each attempt', async () => {
      await using hook = await receiver();
      const at = await place();
      // Of an operator, it may be in their network.
      const a = await service(at.where, [], { webhook: { url: `${hook.origin}/hook?to=us`, secret } });
      hook.does = response => void response.writeHead(hook.received.length === 1 ? 500 : 204).end();
      const { id } = await a.ask('ada (https://login.example)');
      await come(a, hook, 2);
      const [first, second] = hook.received.map(({ headers, body, path }) => ({
        headers: headers as Record<string, string>,
        body: `${body}`,
        path,
      }));
      expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
      expect(second!.path).toBe('/hook?to=us');
      const { at: when, ...rest } = JSON.parse(second!.body);
      expect(rest).toEqual({
        type: 'question.waiting',
        person: 'ada (https://login.example)',
        link: `http://localhost:8080/inbox?question=${id}`,
      });
      expect(Date.parse(when)).toBe(Number(second!.headers['webhook-timestamp']) * 1_000 + (Date.parse(when) % 1_000));
      // The library refuses what is not of the last minutes by its own clock.
      expect(new Webhook(secret).verify(second!.body, second!.headers)).toMatchObject(rest);
      expect(() => new Webhook(secret).verify(second!.body.replace('ada', 'eve'), second!.headers)).toThrow();
      const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
      expect(() => new Webhook(other).verify(second!.body, second!.headers)).toThrow();
      expect(a.errors.map(String)).toEqual([expect.stringContaining('The webhook could not be told')]);
    });

    it('a device that the push service does not know any more is ended', async () => {
      await using to = await receiver();
      const at = await place();
      for (const status of [404, 410]) {
        const { a } = await withDevice(at, to);
        const before = to.received.length;
        to.does = response => void response.writeHead(status).end();
        await a.ask('ada');
        await come(a, to, before + 1);
        await eventually(async () => (await a.inbox.store.deliveries.devices('ada')).length === 0);
        to.does = undefined;
        await a.ask('ada');
        await a.pass(2 * minute);
        expect(to.received).toHaveLength(before + 1);
        expect(a.errors).toEqual([]);
        await stopServices();
      }
    });

    it('a receiver that hangs, answers without end or breaks off is given ten seconds and delays nobody', async () => {
      await using bad = await receiver();
      await using good = await receiver();
      const at = await place();
      const b = await service(at.where, [bad, good]);
      const { deliveries } = b.inbox.store;
      const closed: string[] = [];
      bad.does = (response, { path }) => {
        response.on('close', () => closed.push(path));
        if (path.includes('endless')) {
          response.writeHead(200);
          const pour = (): void => {
            while (!response.destroyed && response.write(Buffer.alloc(65_536)));
            if (!response.destroyed) response.once('drain', pour);
          };
          pour();
        } else if (path.includes('header'))
          response.socket!.write(`HTTP/1.1 201 Created\r\n${'x-y: z\r\n'.repeat(9_000)}`);
        else if (path.includes('junk')) response.socket!.end('none of HTTP\r\n\r\n');
        else if (path.includes('early')) {
          const more = (): void => {
            if (response.socket?.writable)
              response.socket.write('HTTP/1.1 103 Early Hints\r\n\r\n', () => setImmediate(more));
          };
          more();
        }
      };
      const all = { ada: ['/hangs', '/early'], cleo: ['/endless', '/header'], dan: ['/junk'] };
      for (const [who, paths] of Object.entries(all)) {
        await b.signIn(who);
        for (const path of paths) await deliveries.turnOn(who, bad.device(path).subscription);
        await b.ask(who);
      }
      await b.signIn('bob');
      const bobs = good.device();
      await deliveries.turnOn('bob', bobs.subscription);
      b.look();
      await eventually(() => bad.received.length === 5);
      // They are still being told, and he is.
      await b.ask('bob');
      await eventually(async () => (await deliveries.list()).filter(each => each.failedAt || each.toldAt).length >= 3);
      b.look();
      await eventually(() => good.received.length === 1);
      expect(bobs.shown(b.publicKey)).toEqual([waiting]);
      const failed = async (): Promise<readonly string[]> =>
        (await Promise.all(Object.keys(all).map(who => failures(b, who)))).flat();
      await eventually(async () => (await failed()).length >= 2);
      expect(await failed()).not.toContain('It did not answer within 10 seconds.');
      b.clock.advance(10_000);
      await grown(closed, list => list.length === 5);
      await eventually(async () => (await failed()).length === 4);
      expect(await failures(b, 'ada')).toEqual(Array(2).fill('It did not answer within 10 seconds.'));
      // One that has said 200 was told, however much it goes on to say.
      const devices = await deliveries.devices('cleo');
      expect(devices.filter(({ toldAt }) => toldAt !== undefined)).toHaveLength(1);
    });

    it('receivers of two people that hang for good hold up nobody else, wherever they are', async () => {
      await using good = await receiver();
      const hanging = await Promise.all(Array.from({ length: 10 }, () => receiver()));
      for (const each of hanging) each.does = () => {};
      const came = (): number => hanging.reduce((sum, { received }) => sum + received.length, 0);
      const at = await place();
      const b = await service(at.where, [...hanging, good]);
      const { deliveries } = b.inbox.store;
      for (const who of ['ada', 'eve']) {
        await b.signIn(who);
        for (const each of hanging) await deliveries.turnOn(who, each.device().subscription);
        await b.ask(who);
      }
      await b.signIn('bob');
      const bobs = good.device();
      await deliveries.turnOn('bob', bobs.subscription);
      await b.ask('bob');
      b.look();
      await eventually(() => good.received.length === 1);
      await eventually(() => came() === 4);
      // Two at a time, the others after them.
      b.clock.advance(10_000);
      await eventually(async () => [...(await failures(b, 'ada')), ...(await failures(b, 'eve'))].length === 4);
      // What has failed makes room a moment after it is written.
      await b.step(0);
      b.look();
      await eventually(() => came() === 8);
      for (const each of hanging) await each[Symbol.asyncDispose]();
    });

    it('a push service and a webhook that hang for everybody hold up no other', async () => {
      await using bad = await receiver();
      await using hook = await receiver();
      await using good = await receiver();
      for (const each of [bad, hook]) each.does = () => {};
      const at = await place();
      const b = await service(at.where, [bad, good], { webhook: { url: hook.origin, secret } });
      const { deliveries } = b.inbox.store;
      for (const who of Array.from({ length: 20 }, (_, n) => `p${n}`)) {
        await b.signIn(who);
        await deliveries.turnOn(who, bad.device().subscription);
        await b.ask(who);
      }
      await b.signIn('bob');
      const bobs = good.device();
      await deliveries.turnOn('bob', bobs.subscription);
      await b.ask('bob');
      b.look();
      await eventually(() => good.received.length === 1);
      await eventually(() => bad.received.length === 8 && hook.received.length === 8);
      b.look();
      expect([bad.received.length, hook.received.length]).toEqual([8, 8]);
    });

    it('a device whose push service has hung is given two seconds from then on, until it answers', async () => {
      await using to = await receiver();
      const at = await place();
      const { a } = await withDevice(at, to);
      const failed = async (): Promise<string | undefined> =>
        (await a.inbox.store.deliveries.devices('ada'))[0]!.failure;
      /** Lets time pass until it is waited for, for so long. */
      const tried = async (count: number, patienceMs: number): Promise<void> => {
        // With such steps, no other timer ever has so much left.
        while (!a.clock.waiting().includes(patienceMs)) await a.step(700);
        await eventually(() => to.received.length === count);
      };
      // What is loaded with the first one is loaded by then.
      await a.ask('ada');
      await come(a, to, 1, 1_000);
      to.does = () => {};
      await a.ask('ada');
      await tried(2, 10_000);
      a.clock.advance(10_000);
      await eventually(async () => (await failed()) === 'It did not answer within 10 seconds.');
      await tried(3, 2_000);
      a.clock.advance(2_000);
      await eventually(async () => (await failed()) === 'It did not answer within 2 seconds.');
      to.does = undefined;
      await come(a, to, 4, 1_000);
      await eventually(async () => (await failed()) === undefined);
      to.does = () => {};
      await a.ask('ada');
      await tried(5, 10_000);
      a.clock.advance(10_000);
      await eventually(async () => (await failed()) === 'It did not answer within 10 seconds.');
    });

    it('redirects are not followed, be it to inside or not', async () => {
      await using to = await receiver();
      await using inside = await receiver();
      const at = await place();
      const { a } = await withDevice(at, to, { webhook: { url: `${to.origin}/hook`, secret } });
      to.does = response => void response.writeHead(307, { location: `${inside.origin}/admin` }).end();
      await a.ask('ada');
      await come(a, to, 2);
      await eventually(async () => (await failures(a, 'ada')).length === 2);
      expect(await failures(a, 'ada')).toEqual(['It answered 307.', 'It answered 307.']);
      expect(inside.received).toEqual([]);
    });

    it('inboxes that stop as they take what is to be told leave it to the next process', async () => {
      await using to = await receiver();
      const at = await place();
      const { a } = await withDevice(at, to);
      const stopped = stopAfter(a, 'claim');
      await a.ask('ada');
      a.look();
      await stopped;
      expect(to.received).toEqual([]);
    });

    it('what inboxes have told as they stop is not told again by another process', async () => {
      await using to = await receiver();
      const at = await place();
      const { a } = await withDevice(at, to);
      // The last thing that an attempt needs.
      const stopped = stopAfter(a, 'keys');
      await a.ask('ada');
      a.look();
      await stopped;
      expect(to.received).toHaveLength(1);
      const { store } = (await service(at.where, [to], { clock: a.clock })).inbox;
      expect(await store.deliveries.list()).toMatchObject([{ toldAt: expect.any(Number) }]);
    });

    it('a person who signs out everywhere, or is removed, is told nothing any more', async () => {
      await using to = await receiver();
      const at = await place();
      const { a } = await withDevice(at, to);
      const { store } = a.inbox;
      await store.sessions.endAll('ada');
      expect(await store.deliveries.devices('ada')).toEqual([]);
      await a.ask('ada');
      // A page that she had open is a moment late.
      await store.deliveries.turnOn('ada', to.device().subscription);
      expect(await store.deliveries.devices('ada')).toEqual([]);
      await a.signIn('ada');
      await store.deliveries.turnOn('ada', to.device().subscription);
      expect(await store.deliveries.devices('ada')).toHaveLength(1);
      await a.ask('ada');
      // Removed between the question and the telling.
      await store.people.remove('ada');
      expect(await store.deliveries.devices('ada')).toEqual([]);
      // A page of hers that was still open.
      await store.deliveries.turnOn('ada', to.device().subscription);
      expect(await store.deliveries.devices('ada')).toEqual([]);
      await a.pass(2 * minute);
      expect(to.received).toEqual([]);
    });

    it('a device belongs to whoever turned it on last, and a person has ten at most', async () => {
      await using to = await receiver();
      const at = await place();
      const { a, device } = await withDevice(at, to);
      const { deliveries } = a.inbox.store;
      await a.signIn('bob');
      await deliveries.turnOn('bob', device.subscription);
      expect([await deliveries.devices('ada'), (await deliveries.devices('bob')).length]).toEqual([[], 1]);
      for (let n = 0; n < 12; n += 1) {
        a.clock.advance(1);
        await deliveries.turnOn('ada', { ...to.device(`/${n}`).subscription, name: `${n}` });
      }
      const names = (await deliveries.devices('ada')).map(({ subscription }) => subscription.name);
      expect(names).toEqual(['11', '10', '9', '8', '7', '6', '5', '4', '3', '2']);
      // It is hers alone to turn off.
      await deliveries.turnOff('bob', (await deliveries.devices('ada'))[0]!.id);
      expect(await deliveries.devices('ada')).toHaveLength(10);
    });

    it('the keys of push are the same for all processes, and after the keys of the inbox were changed', async () => {
      await using to = await receiver();
      const at = await place();
      const { a, device } = await withDevice(at, to);
      const b = await service(at.where);
      expect(b.publicKey).toBe(a.publicKey);
      await stopServices();
      const anew = Buffer.from(key.map(byte => byte ^ 0x5a));
      const both = [anew, key].map(each => each.toString('hex')).join(',');
      const c = await service(at.where, [to], { key: both, clock: a.clock });
      expect(c.publicKey).toBe(a.publicKey);
      await c.ask('ada');
      await come(c, to, 1);
      await stopServices();
      const d = await service(at.where, [to], { key: anew, clock: a.clock });
      expect(d.publicKey).toBe(a.publicKey);
      await d.ask('ada');
      await come(d, to, 2);
      expect(device.shown(a.publicKey)).toEqual([waiting, waiting]);
    });
  });
}

const failures = async ({ inbox }: Service, principal: string): Promise<readonly string[]> =>
  (await inbox.store.deliveries.list())
    .filter(each => each.principal === principal)
    .flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
