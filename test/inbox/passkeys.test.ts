/** What a passkey proves, judged in this process with an authenticator of its own; pages and browsers are tested elsewhere. */
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenQuestion, PasskeyRequest, PersonPasskeys } from '@midcall/host/web';
import { createSealer, keyRing } from '@midcall/server';
import Database from 'libsql';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { canHavePasskeys, type Enrolment, SitePasskeys } from '../../packages/inbox/src/site/passkeys.ts';
import { type InboxStore, openInboxStore } from '../../packages/inbox/src/store/index.ts';
import { byKeyStore, byMaker, bySelf } from './attestations.ts';
import { flags, type Odd, SoftwarePasskey } from './software-passkey.ts';
import { key, type ManualClock, manualClock, question } from './stage.ts';

const publicUrl = new URL('https://inbox.example');
const { origin } = publicUrl;
const [ada, bob] = ['ada (https://issuer.example)', 'bob (https://issuer.example)'];
const minute = 60_000;

interface World {
  readonly store: InboxStore;
  readonly clock: ManualClock;
  readonly judge: SitePasskeys;
  /** The passkeys of somebody who has signed in just now, or at a time. */
  of(principal: string, begunAt?: number, wasAsked?: boolean): PersonPasskeys;
  /** A passkey that somebody has added. */
  enrol(principal: string, options?: ConstructorParameters<typeof SoftwarePasskey>[1]): Promise<SoftwarePasskey>;
  /** What the record says of passkeys. */
  recorded(): Promise<readonly (readonly unknown[])[]>;
}

const stores: InboxStore[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.stop();
});

async function world({
  enrolment = 'signed-in' as Enrolment,
  at = publicUrl,
  where = ':memory:',
} = {}): Promise<World> {
  const clock = manualClock();
  const store = await openInboxStore({ where, key, clock });
  stores.push(store);
  const judge = new SitePasskeys({ store, publicUrl: at, enrolment, clock, sealer: createSealer(keyRing(key)) });
  for (const [principal, name] of [
    [ada, 'Ada'],
    [bob, 'Bob'],
  ] as const)
    await store.sessions.begin({ principal, name });
  const of = (principal: string, begunAt = clock.now(), wasAsked = true): PersonPasskeys =>
    judge.of({ principal, name: 'Somebody', csrf: 'c', begunAt, wasAsked }, () => '/inbox/sign-in?passkeys');
  return {
    ...{ store, clock, judge, of },
    async enrol(principal, options) {
      const passkey = new SoftwarePasskey(at.origin, options);
      const theirs = await store.passkeys.invite(principal);
      const request = asked(await of(principal).requestNew({ invitation: theirs }));
      expect(await of(principal).add('Laptop', passkey.create(request))).toBe('added');
      return passkey;
    },
    async recorded() {
      const lines: unknown[][] = [];
      for await (const { event, principal, how, via, question: about } of store.record.search())
        if (event.startsWith('passkey') || event === 'invited') lines.push([event, principal, how, via, about]);
      return lines;
    },
  };
}

/** A question that a passkey has to answer. */
const shown = (message = 'Pay 4,000 € to Acme?', change: Partial<OpenQuestion['approval']> = {}): OpenQuestion => ({
  question: question(message),
  approval: {
    ...{ group: 'finance', count: 2, requester: 'Cleo', assurance: 'present', votes: [], dueAt: 1, digest: 'd1' },
    ...change,
  } as NonNullable<OpenQuestion['approval']>,
});
const yes = { action: 'accept', content: { sure: true } } as const;

function asked(request: PasskeyRequest | string | undefined): PasskeyRequest {
  if (typeof request !== 'object') throw new Error(`Nothing was asked: ${request}`);
  return request;
}

describe('a passkey', () => {
  it('a passkey proves exactly the answer that it was asked to confirm, and the record says so', async () => {
    const { enrol, of, recorded, store } = await world();
    const passkey = await enrol(ada);
    const open = shown();
    const request = asked(await of(ada).requestAnswer(open, yes));
    const credential = passkey.id.toString('base64url');
    expect(request).toMatchObject({
      does: 'get',
      options: { rpId: 'inbox.example', userVerification: 'required', allowCredentials: [{ id: credential }] },
    });
    expect(await of(ada).proveAnswer(open, yes, passkey.get(request))).toEqual({ credential });
    expect(await recorded()).toEqual([
      ['invited', ada, undefined, undefined, undefined],
      ['passkey-added', ada, 'invited', credential, undefined],
      ['passkey-used', ada, undefined, credential, open.question.id],
    ]);
    expect(await store.record.verify()).toMatchObject({ ok: true });
    expect(await of(ada).list()).toMatchObject([{ id: credential, name: 'Laptop', usedAt: expect.any(Number) }]);
  });

  it('a passkey proves nothing but that question and that answer, to that person and in that time', async () => {
    const { enrol, of, clock } = await world();
    const passkey = await enrol(ada);
    const other = await enrol(bob);
    const open = shown();
    const request = asked(await of(ada).requestAnswer(open, yes));
    const posted = passkey.get(request);
    const prove = (what: OpenQuestion, reply: Parameters<PersonPasskeys['proveAnswer']>[1], who = ada) =>
      of(who).proveAnswer(what, reply, posted);
    const altered: readonly OpenQuestion[] = [
      shown(),
      { ...open, question: { ...open.question, message: 'Pay 40,000 € to Acme?' } as OpenQuestion['question'] },
      ...[{ count: 1 }, { group: 'interns' }, { requester: 'Dan' }, { digest: 'd2' }, { dueAt: 2 }].map(change => ({
        ...open,
        approval: { ...open.approval!, ...change },
      })),
    ];
    for (const each of altered) expect(await prove(each, yes)).toBe('refused');
    for (const reply of [
      { action: 'decline' },
      { action: 'dismiss' },
      { action: 'accept' },
      { action: 'accept', content: { sure: false } },
      { action: 'accept', content: { sure: true, more: 1 } },
    ] as const)
      expect(await prove(open, reply)).toBe('refused');
    expect(await prove(open, yes, bob)).toBe('refused');
    // Another person's passkey, asked for this person's answer.
    expect(await of(ada).proveAnswer(open, yes, other.get(request))).toBe('refused');
    // Votes that came meanwhile do not change what was asked.
    const voted = { name: 'Bob', action: 'accept', assurance: 'present', at: 1, isOwn: false } as const;
    expect(await prove({ ...open, approval: { ...open.approval!, votes: [voted] } }, yes)).toMatchObject({
      credential: expect.any(String),
    });
    clock.advance(2 * minute);
    expect(await prove(open, yes)).toBe('late');
    clock.set(clock.now() - 10 * minute);
    expect(await prove(open, yes)).toBe('late');
  });

  it('a passkey proves an answer at a bridge whose clock is behind that of the bridge that asked', async () => {
    const { enrol, of, clock } = await world();
    const passkey = await enrol(ada);
    const open = shown();
    const request = asked(await of(ada).requestAnswer(open, yes));
    clock.set(clock.now() - 2_000);
    const credential = passkey.id.toString('base64url');
    expect(await of(ada).proveAnswer(open, yes, passkey.get(request))).toEqual({ credential });
  });

  const oddities: readonly (readonly [string, Odd])[] = [
    ['a page of another origin', { origin: 'https://inbox.example.evil.example' }],
    ['a page of this host at another port', { origin: `${origin}:8443` }],
    ['a page without encryption', { origin: 'http://inbox.example' }],
    ['a page in a frame of another origin', { crossOrigin: true }],
    ['another relying party', { rpId: 'example' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['another ceremony', { type: 'webauthn.create' }],
    ['nobody who was verified', { flags: flags.present }],
    ['nobody who was present', { flags: flags.verified }],
    ['another user', { userHandle: Buffer.alloc(32).toString('base64url') }],
  ];

  it.each(oddities)('a passkey proves nothing for %s', async (_, odd) => {
    const { enrol, of } = await world();
    const passkey = await enrol(ada);
    const open = shown();
    const request = asked(await of(ada).requestAnswer(open, yes));
    expect(await of(ada).proveAnswer(open, yes, passkey.get(request, odd))).toBe('refused');
    expect(await of(ada).proveAnswer(open, yes, passkey.get(request))).toMatchObject({
      credential: expect.any(String),
    });
  });

  it('a passkey proves nothing with any bit of its assertion or of the token changed', {
    timeout: 300_000,
  }, async () => {
    const { enrol, of, recorded } = await world();
    const passkey = await enrol(ada);
    const open = shown();
    const request = asked(await of(ada).requestAnswer(open, yes));
    const assertion = passkey.assert(request);
    const before = (await recorded()).length;
    const accepted: string[] = [];
    let tried = 0;
    const attempt = async (what: string, posted: unknown): Promise<void> => {
      tried += 1;
      const proved = await of(ada).proveAnswer(open, yes, JSON.stringify(posted));
      if (proved !== 'refused') accepted.push(`${what}: ${JSON.stringify(proved)}`);
    };
    for (const member of ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'] as const) {
      const bytes = Buffer.from(assertion.response[member]!, 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        const response = { ...assertion.response, [member]: flipped.toString('base64url') };
        await attempt(`${member}, bit ${bit}`, { token: request.token, response: { ...assertion, response } });
      }
      // The same bytes in another spelling.
      for (const spelled of [
        `${assertion.response[member]}=`,
        ` ${assertion.response[member]}`,
        `${assertion.response[member]}A`,
      ])
        await attempt(`${member} as ${spelled}`, {
          token: request.token,
          response: { ...assertion, response: { ...assertion.response, [member]: spelled } },
        });
    }
    for (const member of ['id', 'rawId', 'type'] as const) {
      const bytes = Buffer.from(assertion[member]);
      for (let at = 0; at < bytes.length; at += 1) {
        const flipped = Buffer.from(bytes);
        flipped[at]! ^= 1;
        const response = { ...assertion, [member]: flipped.toString() };
        await attempt(`${member}, byte ${at}`, { token: request.token, response });
      }
    }
    for (let at = 0; at < request.token.length; at += 1) {
      const changed = request.token[at] === 'A' ? 'B' : 'A';
      const token = `${request.token.slice(0, at)}${changed}${request.token.slice(at + 1)}`;
      await attempt(`token, character ${at}`, { token, response: assertion });
    }
    expect(accepted).toEqual([]);
    expect(tried).toBeGreaterThan(2_000);
    expect((await recorded()).length).toBe(before);
    const posted = JSON.stringify({ token: request.token, response: assertion });
    expect(await of(ada).proveAnswer(open, yes, posted)).toMatchObject({ credential: expect.any(String) });
  });

  it('a passkey proves nothing by anything but what a script of these pages returns', async () => {
    const { enrol, of } = await world();
    const passkey = await enrol(ada);
    const open = shown();
    const request = asked(await of(ada).requestAnswer(open, yes));
    const { token } = request;
    const response = passkey.assert(request);
    for (const posted of [
      '',
      'null',
      '{}',
      '[]',
      'x'.repeat(70_000),
      JSON.stringify({ token }),
      JSON.stringify({ response }),
      JSON.stringify({ token: { token }, response }),
      JSON.stringify({ token, response: { ...response, response: 'none' } }),
      JSON.stringify({ token, response: { ...response, response: { ...response.response, signature: 7 } } }),
      JSON.stringify({ token: '', response }),
    ])
      expect([posted.slice(0, 40), await of(ada).proveAnswer(open, yes, posted)]).toEqual([
        posted.slice(0, 40),
        'refused',
      ]);
  });

  it('a passkey that counts its uses proves once, and one whose count goes back nothing', async () => {
    const { enrol, of } = await world();
    const passkey = await enrol(ada, { count: 5 });
    const open = shown();
    const first = passkey.get(asked(await of(ada).requestAnswer(open, yes)));
    const copied = passkey.count!;
    expect(await of(ada).proveAnswer(open, yes, first)).toMatchObject({ credential: expect.any(String) });
    expect(await of(ada).proveAnswer(open, yes, first)).toBe('refused');
    passkey.count = copied - 1;
    expect(await of(ada).proveAnswer(open, yes, passkey.get(asked(await of(ada).requestAnswer(open, yes))))).toBe(
      'refused',
    );
    passkey.count = copied;
    const next = passkey.get(asked(await of(ada).requestAnswer(open, yes)));
    expect(await of(ada).proveAnswer(open, yes, next)).toMatchObject({ credential: expect.any(String) });
    // One that says that it does not count any more.
    passkey.count = undefined;
    expect(await of(ada).proveAnswer(open, yes, passkey.get(asked(await of(ada).requestAnswer(open, yes))))).toBe(
      'refused',
    );
  });

  it('a passkey that counts proves once, of many posts of the same at once', async () => {
    const { enrol, of } = await world();
    const passkey = await enrol(ada, { count: 1 });
    const open = shown();
    const posted = passkey.get(asked(await of(ada).requestAnswer(open, yes)));
    const proved = await Promise.all(Array.from({ length: 16 }, () => of(ada).proveAnswer(open, yes, posted)));
    expect(proved.filter(each => each !== 'refused')).toHaveLength(1);
  });

  it('a passkey proves nothing once it was revoked or its owner removed, also what it signed before', async () => {
    const { enrol, of, store } = await world();
    const [lost, stays] = [await enrol(ada), await enrol(ada)];
    const open = shown();
    const request = asked(await of(ada).requestAnswer(open, yes));
    const [byLost, byOther] = [lost.get(request), stays.get(request)];
    expect(await store.passkeys.revoke(bob, lost.id.toString('base64url'), 'administrator')).toBe(false);
    expect(await store.passkeys.revoke(ada, lost.id.toString('base64url'), 'administrator')).toBe(true);
    expect(await store.passkeys.revoke(ada, lost.id.toString('base64url'), 'administrator')).toBe(false);
    expect(await of(ada).proveAnswer(open, yes, byLost)).toBe('refused');
    const invitation = await store.passkeys.invite(ada);
    await store.people.remove(ada);
    expect(await of(ada).proveAnswer(open, yes, byOther)).toBe('refused');
    expect(await of(ada).requestAnswer(open, yes)).toBe('none');
    await expect(store.passkeys.invite(ada)).rejects.toThrow('Admit them before you invite them.');
    // Whoever is admitted again begins anew.
    await store.people.admit(ada);
    expect(await of(ada).proveAnswer(open, yes, byOther)).toBe('refused');
    expect(await store.passkeys.isInvited(ada, invitation)).toBe(false);
    expect(await store.passkeys.keys(ada)).toEqual([]);
    expect((await store.passkeys.list(ada)).map(({ name }) => name)).toEqual(['Laptop', 'Laptop']);
  });

  it('a passkey counts for nobody else, and not again, by what is written into the database without the key', async () => {
    const where = join(mkdtempSync(join(tmpdir(), 'midcall-passkeys-')), 'inbox.db');
    const { enrol, of, store } = await world({ where });
    const passkey = await enrol(ada);
    const open = shown();
    const request = asked(await of(ada).requestAnswer(open, yes));
    const id = passkey.id.toString('base64url');
    await store.passkeys.revoke(ada, id, 'owner');
    const file = new Database(where);
    file.exec('update inbox_passkeys set revoked_at = null');
    expect(await of(ada).proveAnswer(open, yes, passkey.get(request))).toBe('refused');
    const other = await enrol(ada);
    file.prepare('update inbox_passkeys set principal = ? where id = ?').run([bob, other.id.toString('base64url')]);
    file.close();
    await expect(of(bob).requestAnswer(open, yes)).rejects.toThrow('was changed, or belongs elsewhere');
  });

  it('a passkey is not added by an invitation that was written or changed in the database without the key', async () => {
    const where = join(mkdtempSync(join(tmpdir(), 'midcall-passkeys-')), 'inbox.db');
    const { store, clock } = await world({ where });
    const theirs = await store.passkeys.invite(bob);
    const file = new Database(where);
    file.prepare('update inbox_invitations set principal = ?').run([ada]);
    expect(await store.passkeys.isInvited(ada, theirs)).toBe(false);
    file.prepare('update inbox_invitations set principal = ?').run([bob]);
    expect(await store.passkeys.isInvited(bob, theirs)).toBe(true);
    file.prepare('update inbox_invitations set expires_at = ?').run([clock.now() + 365 * 24 * 60 * minute]);
    file.close();
    expect(await store.passkeys.isInvited(bob, theirs)).toBe(false);
  });
});

describe('adding a passkey', () => {
  it('adding a passkey takes a sign-in of the last five minutes at which the person was asked, or a passkey', async () => {
    const { of, clock, recorded } = await world();
    const [first, second, third] = [1, 2, 3].map(() => new SoftwarePasskey(origin)) as [
      SoftwarePasskey,
      SoftwarePasskey,
      SoftwarePasskey,
    ];
    const begunAt = clock.now();
    expect(await of(ada, begunAt - 5 * minute - 1).requestNew({})).toBe('sign-in');
    expect(await of(ada, begunAt, false).requestNew({})).toBe('sign-in');
    clock.advance(5 * minute);
    const late = of(ada, begunAt);
    expect(await late.add(' My laptop ', first.create(asked(await late.requestNew({}))))).toBe('added');
    clock.advance(1);
    const later = of(ada, begunAt);
    const confirm = asked(await later.requestNew({}));
    expect(confirm).toMatchObject({ does: 'get', again: true });
    expect(await later.requestNew({ posted: second.get(confirm) })).toBe('refused');
    // What was confirmed for something else.
    const revoke = asked(await later.requestRevoke(first.id.toString('base64url')));
    expect(await later.requestNew({ posted: first.get(revoke) })).toBe('refused');
    const request = asked(await later.requestNew({ posted: first.get(confirm) }));
    expect(request).toMatchObject({ does: 'create', options: { rp: { id: 'inbox.example' } } });
    expect(await later.add('', second.create(request))).toBe('added');
    expect((await later.list()).map(({ name }) => name)).toEqual(['My laptop', 'Passkey']);
    expect((await recorded()).map(([event, , how]) => [event, how])).toEqual([
      ['passkey-added', 'signed-in'],
      ['passkey-used', undefined],
      ['passkey-added', 'passkey'],
    ]);
    // For another person, by another's token, too late, or twice.
    const fresh = asked(await of(ada).requestNew({}));
    expect(await of(bob).add('', third.create(fresh))).toBe('refused');
    expect(await of(ada).add('', first.create(fresh))).toBe('refused');
    const made = third.create(fresh);
    clock.advance(2 * minute);
    expect(await of(ada).add('', made)).toBe('late');
    const again = asked(await of(ada).requestNew({}));
    expect(await of(ada).add('', third.create(again))).toBe('added');
    expect(await of(bob).add('', third.create(asked(await of(bob).requestNew({}))))).toBe('refused');
    expect(await of(bob).list()).toEqual([]);
  });

  it('adding a passkey by another ends with that one, also if it was revoked in between', async () => {
    const { enrol, of, store, clock } = await world();
    const lost = await enrol(ada);
    const late = of(ada, clock.now() - 6 * minute);
    const confirm = asked(await late.requestNew({}));
    const request = asked(await late.requestNew({ posted: lost.get(confirm) }));
    expect(await store.passkeys.revoke(ada, lost.id.toString('base64url'), 'owner')).toBe(true);
    expect(await late.add('', new SoftwarePasskey(origin).create(request))).toBe('refused');
    expect(await late.list()).toEqual([]);
  });

  const oddities: readonly (readonly [string, Odd])[] = [
    ['at another origin', { origin: 'https://evil.example' }],
    ['in a frame of another origin', { crossOrigin: true }],
    ['for another relying party', { rpId: 'evil.example' }],
    ['for another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['by an assertion', { type: 'webauthn.get' }],
    ['without verifying anybody', { flags: flags.present | flags.attested }],
  ];

  it.each(oddities)('adding a passkey is refused %s', async (_, odd) => {
    const { of } = await world();
    const passkey = new SoftwarePasskey(origin);
    const request = asked(await of(ada).requestNew({}));
    expect(await of(ada).add('', passkey.create(request, odd))).toBe('refused');
    expect(await of(ada).list()).toEqual([]);
    // A token of one ceremony is none of another.
    await of(ada).add('', passkey.create(request));
    const answer = asked(await of(ada).requestAnswer(shown(), yes));
    expect(await of(ada).add('', new SoftwarePasskey(origin).create({ ...request, token: answer.token }))).toBe(
      'refused',
    );
    expect(await of(ada).proveAnswer(shown(), yes, passkey.get({ ...answer, token: request.token }))).toBe('refused');
  });

  it('adding a passkey takes an invitation where one is demanded, of this person, once and within a day, or a passkey', async () => {
    const { of, clock, store } = await world({ enrolment: 'invited' });
    const old = clock.now() - 60 * minute;
    expect(await of(ada).requestNew({})).toBe('invitation');
    const invitation = await store.passkeys.invite(ada);
    expect(await of(bob).requestNew({ invitation })).toBe('not-invited');
    for (const forged of ['x', `${invitation}A`, invitation.slice(0, -1)])
      expect(await of(ada).requestNew({ invitation: forged })).toBe('not-invited');
    // Two devices that begin with the same invitation.
    const [first, second] = [new SoftwarePasskey(origin), new SoftwarePasskey(origin)];
    const requests = [
      asked(await of(ada, old).requestNew({ invitation })),
      asked(await of(ada, old).requestNew({ invitation })),
    ] as const;
    const added = await Promise.all([
      of(ada, old).add('First', first.create(requests[0])),
      of(ada, old).add('Second', second.create(requests[1])),
    ]);
    expect(added.toSorted()).toEqual(['added', 'not-invited']);
    expect(await of(ada, old).requestNew({ invitation })).toBe('not-invited');
    // A sign-in is not enough for the next one either.
    expect(await of(ada).requestNew({})).toMatchObject({ does: 'get', again: true });
    const late = await store.passkeys.invite(ada);
    const request = asked(await of(ada).requestNew({ invitation: late }));
    clock.advance(24 * 60 * minute);
    expect(await of(ada).requestNew({ invitation: late })).toBe('not-invited');
    expect(await of(ada).add('', new SoftwarePasskey(origin).create(request))).toBe('late');
  });

  it('adding a passkey takes no certificates, whose addresses would be fetched, and takes one that signs for itself', async () => {
    const reached: (string | undefined)[] = [];
    const elsewhere = createServer((req, res) => {
      reached.push(req.url);
      res.end();
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    onTestFinished(() => void elsewhere.close());
    const { port } = elsewhere.address() as AddressInfo;
    const { of } = await world();
    const add = async (attest: Parameters<SoftwarePasskey['create']>[2]) =>
      of(ada).add('', new SoftwarePasskey(origin).create(asked(await of(ada).requestNew({})), {}, attest));
    expect(await add(byKeyStore(`http://127.0.0.1:${port}/latest/meta-data`))).toBe('refused');
    expect(await add(byMaker)).toBe('refused');
    expect(reached).toEqual([]);
    expect(await add(bySelf)).toBe('added');
  });

  it('adding passkeys stops at twenty', async () => {
    const { enrol, of } = await world();
    for (let count = 0; count < 20; count += 1) await enrol(ada);
    const request = asked(await of(ada).requestNew({}));
    expect(await of(ada).add('', new SoftwarePasskey(origin).create(request))).toBe('refused');
    expect(await of(ada).list()).toHaveLength(20);
  });

  it('adding a passkey that is refused leaves the invitation to be used', async () => {
    const { enrol, of, store } = await world();
    for (let count = 0; count < 20; count += 1) await enrol(ada);
    const invitation = await store.passkeys.invite(ada);
    const add = async () =>
      of(ada).add('', new SoftwarePasskey(origin).create(asked(await of(ada).requestNew({ invitation }))));
    expect(await add()).toBe('refused');
    const [first] = await of(ada).list();
    await store.passkeys.revoke(ada, first!.id, 'owner');
    expect(await add()).toBe('added');
    expect(await of(ada).requestNew({ invitation })).toBe('not-invited');
  });
});

describe('revoking a passkey', () => {
  it('revoking a passkey takes a sign-in of the last five minutes, or a passkey that confirms exactly that', async () => {
    const { enrol, of, clock } = await world();
    const [lost, stays, other] = [await enrol(ada), await enrol(ada), await enrol(bob)];
    const [lostId, staysId] = [lost.id.toString('base64url'), stays.id.toString('base64url')];
    const late = of(ada, clock.now() - 6 * minute);
    expect(await late.revoke(lostId, undefined)).toBe('sign-in');
    const request = asked(await late.requestRevoke(lostId));
    expect(await late.revoke(staysId, stays.get(request))).toBe('refused');
    expect(await late.revoke(lostId, other.get(request))).toBe('refused');
    expect(await late.revoke(lostId, stays.get(request))).toBe('revoked');
    expect((await late.list()).map(({ id }) => id)).toEqual([staysId]);
    expect(await of(ada).requestRevoke(staysId)).toBeUndefined();
    expect(await of(bob).revoke(staysId, undefined)).toBe('refused');
    expect(await of(ada).revoke(staysId, undefined)).toBe('revoked');
  });
});

describe('an address', () => {
  it.each([
    ['https://inbox.example', true],
    ['https://inbox.example:8443', true],
    ['http://localhost:7000', true],
    ['http://inbox.localhost', true],
    ['http://inbox.example', false],
    ['http://127.0.0.1:7000', false],
    ['https://192.168.1.4', false],
    ['https://[::1]:7000', false],
  ])('the address %s has passkeys: %s', async (address, can) => {
    expect(canHavePasskeys(new URL(address))).toBe(can);
    const { of } = await world({ at: new URL(address) });
    expect(of(ada).isPossible).toBe(can);
    const begun = await of(ada).requestNew({});
    expect(typeof begun === 'string' ? begun : begun.does).toBe(can ? 'create' : 'impossible');
  });
});
