/** What administrators do with passkeys, by the command, while a bridge serves the same inboxes. */
import { createSealer, keyRing } from '@midcall/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SitePasskeys } from '../../packages/inbox/src/site/passkeys.ts';
import { openInboxStore } from '../../packages/inbox/src/store/index.ts';
import { type InboxStage, inboxStage } from './inbox-stage.ts';
import { SoftwarePasskey } from './software-passkey.ts';

let stage: InboxStage;
beforeAll(async () => {
  stage = await inboxStage();
});
afterAll(() => stage?.[Symbol.asyncDispose]());

it('an administrator invites a person by a link, lists their passkeys and revokes one, all on the record', async () => {
  const bridge = await stage.bridge();
  await stage.signIn(bridge, 'ada');
  const ada = stage.principal('ada');
  const run = (...words: string[]) => stage.midcall(['inboxes', ...words, '--inbox', stage.file]);
  const publicUrl = new URL('https://mcp.example');
  for (const [words, says] of [
    [['invite', ada], "required option '--public-url <url>' not specified"],
    [['invite', ada, '--public-url', 'http://10.0.0.7'], 'browsers have no passkeys at others'],
    [['invite', 'nobody', '--public-url', publicUrl.href], 'Nobody is called nobody.'],
    [['revoke', ada, 'none'], 'They have no passkey none.'],
  ] as const) {
    const { code, err } = await run(...words);
    expect([words[0], code, err.includes(says)]).toEqual([words[0], 2, true]);
  }
  expect((await run('passkeys', ada)).out).toBe('None.\n');

  const { code, out } = await run('invite', ada, '--public-url', 'https://mcp.example/');
  const invitation = /^https:\/\/mcp\.example\/inbox\?passkeys#([\w-]{32})\n$/.exec(out)?.[1];
  expect([code, invitation]).toEqual([0, expect.any(String)]);
  const key = { file: `${stage.file}.key` };
  const store = await openInboxStore({ where: stage.file, key });
  const judge = new SitePasskeys({ store, publicUrl, enrolment: 'invited', sealer: createSealer(keyRing(key)) });
  const theirs = judge.of({ principal: ada, name: 'Ada', csrf: '', begunAt: 0, wasAsked: false }, () => '');
  const passkey = new SoftwarePasskey(publicUrl.origin);
  const request = await theirs.requestNew({ invitation });
  if (typeof request === 'string') throw new Error(request);
  expect(await theirs.add('Phone\u202E', passkey.create(request))).toBe('added');
  await store.stop();

  const id = passkey.id.toString('base64url');
  const listed = (await run('passkeys', ada)).out;
  expect(listed).toMatch(new RegExp(`^${id} {2}Phone\\S+\\n {2}added 20\\S+ \\S+ UTC, never used\\n$`));
  expect(listed).not.toContain('\u202E');
  expect((await run('revoke', ada, id)).out).toBe('Revoked.\n');
  expect((await run('revoke', ada, id)).out).toBe('Already revoked.\n');
  expect((await run('passkeys', ada)).out).toMatch(/, revoked 20\S+ \S+ UTC\n$/);
  const record = (await run('record', '--principal', ada)).out;
  const lines = record
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ event, how, via }) => [event, how, via])).toEqual([
    ['invited', undefined, undefined],
    ['passkey-added', 'invited', id],
    ['passkey-revoked', 'administrator', id],
  ]);
  // The record, which many may read, has nothing to use.
  expect(record).not.toContain(invitation);
  expect((await run('record', '--verify')).out).toContain('none was changed');
});
