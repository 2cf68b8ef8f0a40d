/** The socket where the bridges and commands of a person meet their desk. */
import { chmodSync, mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@midcall/core/time';
import { type FormQuestion, Inbox, Policy, type Question } from '@midcall/host';
import { expect, it, onTestFinished } from 'vitest';
import { findDesk, handedOver } from '../../packages/midcall/src/shared-desk/find-desk.ts';
import { deskSocketPath, listenForBridges } from '../../packages/midcall/src/shared-desk/index.ts';
import { type Hear, Peer } from '../../packages/midcall/src/shared-desk/peer.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'sd-'));

const question = (id: string): FormQuestion => ({
  id,
  kind: 'form',
  asker: { id: 'notes', name: 'notes', origin: 'node notes.js', era: '2025-11-25' },
  askedAt: 0,
  message: 'Sure?',
  fields: [{ name: 'sure', kind: 'boolean', required: true }] as never,
});

/** A desk without pages, on a socket of its own. */
async function desk(viewers = 1, open?: (url: string) => Promise<boolean>) {
  const path = deskSocketPath({ XDG_RUNTIME_DIR: folder() });
  const inbox = new Inbox();
  inbox.present({ via: 'test', show: () => {} });
  const policy = new Policy();
  const ended: string[] = [];
  const waits: unknown[] = [];
  const links: string[] = [];
  const waited = new Set<() => void>();
  const socket = await listenForBridges({
    path,
    desk: {
      viewers,
      startUrl: () => {
        links.push('http://127.0.0.1/start');
        return links.at(-1);
      },
      join: () => '',
      tellWait: (...told: unknown[]) => {
        waits.push(told);
        for (const look of waited) look();
      },
    } as never,
    inbox,
    policy,
    clock: systemClock,
    addServers: async () => {},
    ...(open && { open }),
    end: () => void ended.push('end'),
  });
  onTestFinished(() => socket.close());
  /** Resolves when the pages have been told so often which hosts wait. */
  const told = (times: number): Promise<void> =>
    new Promise(resolve => {
      const look = (): void => {
        if (waits.length >= times) resolve();
      };
      waited.add(look);
      look();
    });
  return { path, inbox, policy, ended, links, waits, told, socket };
}

const connected = async (path: string, hear: Hear = () => undefined): Promise<Peer> => {
  const { peer } = (await findDesk(path, { role: 'bridge' }, hear))!;
  onTestFinished(() => peer.close());
  return peer;
};

/** `midcall inbox`, and what it hears. */
async function view(path: string) {
  const heard: { readonly word: string }[] = [];
  const looks = new Set<() => void>();
  const { peer } = (await findDesk(path, { role: 'inbox' }, (word, body) => {
    heard.push({ word, ...body });
    for (const look of looks) look();
  }))!;
  onTestFinished(() => peer.close());
  const hears = (times: number): Promise<void> =>
    new Promise(resolve => {
      const look = (): void => {
        if (heard.length >= times) resolve();
      };
      looks.add(look);
      look();
    });
  return { heard, hears };
}

const openIn = (inbox: Inbox, id: string): Promise<Question> =>
  new Promise(resolve => {
    const open = inbox.get(id);
    if (open) resolve(open);
    else inbox.subscribe(event => event.question.id === id && resolve(event.question));
  });

it('socket-S1: only its user can reach the socket, and a folder that others can enter is refused', async () => {
  const { path } = await desk();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  const runtime = folder();
  mkdirSync(join(runtime, 'midcall'));
  chmodSync(join(runtime, 'midcall'), 0o755);
  expect(() => deskSocketPath({ XDG_RUNTIME_DIR: runtime })).toThrow(/only you can enter/);
});

it('socket-S2: a reply goes to the bridge, whose receipt counts', async () => {
  const { path, inbox } = await desk();
  const replies: unknown[] = [];
  const issues = [{ rule: 'type', message: 'Not that.' }];
  const peer = await connected(path, (word, body) => {
    replies.push({ word, ...body });
    return replies.length === 1 ? { ok: false, problem: 'invalid', issues } : { ok: true };
  });
  peer.tell('asked', { question: question('q-1') });
  await openIn(inbox, 'q-1');
  const reply = { action: 'accept', content: { sure: true } } as const;
  expect(await inbox.reply('q-1', reply, 'web')).toEqual({ ok: false, problem: 'invalid', issues });
  expect(inbox.get('q-1')).toBeDefined();
  expect(await inbox.reply('q-1', { action: 'nonsense' } as never, 'web')).toMatchObject({ problem: 'invalid' });
  expect(await inbox.reply('q-1', reply, 'web')).toEqual({ ok: true });
  expect(replies).toEqual([
    { word: 'reply', id: 'q-1', reply, via: 'web' },
    { word: 'reply', id: 'q-1', reply, via: 'web' },
  ]);
  const ending = { how: 'answered', content: { sure: true }, via: 'web' } as const;
  const ended = new Promise(resolve => inbox.ended('q-1').addEventListener('abort', resolve));
  peer.tell('ended', { id: 'q-1', ending });
  await ended;
  expect(inbox.ending('q-1')).toEqual(ending);
});

it('socket-S2: the questions of a bridge end with it, and those of another stay', async () => {
  const { path, inbox } = await desk();
  const [one, other] = [await connected(path), await connected(path)];
  one.tell('asked', { question: question('q-1') });
  other.tell('asked', { question: question('q-2') });
  await Promise.all([openIn(inbox, 'q-1'), openIn(inbox, 'q-2')]);
  const ended = new Promise(resolve => inbox.ended('q-1').addEventListener('abort', resolve));
  one.close();
  await ended;
  expect(inbox.ending('q-1')).toEqual({ how: 'server-gone' });
  expect(inbox.get('q-2')).toBeDefined();
});

it('whether a host waits is told to pages and views, also to a view that comes later', async () => {
  const { path, waits, told } = await desk();
  const early = await view(path);
  const peer = await connected(path);
  const wait = { host: 'plain-host', state: 'waits', until: 45_000 };
  peer.tell('host-wait', { callId: 'c-1', wait });
  await told(1);
  expect(waits).toEqual([['c-1', wait]]);
  await early.hears(1);
  const late = await view(path);
  await late.hears(1);
  expect([early.heard, late.heard]).toEqual([
    [{ word: 'host-wait', callId: 'c-1', wait }],
    [{ word: 'host-wait', callId: 'c-1', wait }],
  ]);
  // It has its result, so there is nothing to tell any more.
  peer.tell('host-wait', { callId: 'c-1', wait: { host: 'plain-host', state: 'served' } });
  await early.hears(2);
  const last = await view(path);
  peer.tell('host-wait', { callId: 'c-2', wait });
  await last.hears(1);
  expect(last.heard).toEqual([{ word: 'host-wait', callId: 'c-2', wait }]);
});

it('a host that has stopped waiting does not get its result any more once its bridge has ended', async () => {
  const { path, waits, told } = await desk();
  const peer = await connected(path);
  peer.tell('host-wait', { callId: 'c-1', wait: { host: 'plain-host', state: 'left' } });
  peer.tell('host-wait', { callId: 'c-2', wait: { host: 'plain-host', state: 'waits' } });
  await told(2);
  peer.close();
  await told(3);
  expect(waits.slice(2)).toEqual([['c-1', { host: 'plain-host', state: 'lost' }]]);
});

it.each([
  ['cannot open a page, and makes no link, which would end the one before it', false, 0],
  ['can open a page, and gets a link', true, 1],
] as const)('a bridge says whether it %s', async (_, opensPages, links) => {
  const on = await desk(0);
  const opened: unknown[] = [];
  const { peer } = (await findDesk(on.path, { role: 'bridge', opensPages }, (_word, { url }) => {
    opened.push(url);
    return true;
  }))!;
  onTestFinished(() => peer.close());
  peer.tell('asked', { question: question('q-1') });
  await openIn(on.inbox, 'q-1');
  expect(await peer.ask('show', { id: 'q-1' })).toBe(opensPages);
  expect([on.links.length, opened.length]).toEqual([links, links]);
});

it('a desk with a display opens the page of a bridge that has none', async () => {
  const opened: string[] = [];
  const on = await desk(0, async url => opened.push(url) > 0);
  const peer = await connected(on.path);
  peer.tell('asked', { question: question('q-1') });
  await openIn(on.inbox, 'q-1');
  expect(await peer.ask('show', { id: 'q-1' })).toBe(true);
  expect(opened).toEqual(on.links);
});

it('a server that is muted on the desk is not shown there, and its bridge is told', async () => {
  const { path, inbox, policy } = await desk();
  policy.mute('notes', 60_000);
  const told = new Promise(resolve => {
    void connected(path, (word, body) => resolve({ word, ...body })).then(peer =>
      peer.tell('asked', { question: question('q-1') }),
    );
  });
  expect(await told).toMatchObject({ word: 'end', id: 'q-1', ending: { how: 'refused-by-policy' } });
  expect(inbox.list()).toEqual([]);
});

it('socket-S3: a desk that is asked to hand over ends with its last question, and not before', async () => {
  const { path, inbox, ended } = await desk();
  const peer = await connected(path);
  void inbox.ask(question('q-1'));
  expect(await peer.ask('hand-over')).toEqual({ open: 1 });
  expect(ended).toEqual([]);
  inbox.end('q-1', { how: 'withdrawn' });
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(ended).toEqual(['end']);
});

/** A desk of another version of the protocol. */
async function deskOf(version: number, open: number): Promise<{ path: string; server: Server }> {
  const path = join(folder(), 'desk.sock');
  const server = createServer(socket => {
    const peer = new Peer(
      socket,
      word => {
        if (word === 'hello') return { version };
        setImmediate(() => peer.close());
        return { open };
      },
      version,
    );
  });
  await new Promise<void>(resolve => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return { path, server };
}

it.each([
  ['without open questions has ended', 0, 'ended'],
  ['with open questions says how many', 2, 2],
] as const)('a desk of an older version %s', async (_, open, state) => {
  const { path } = await deskOf(0, open);
  const found = (await findDesk(path, { role: 'bridge' }, () => undefined))!;
  expect(await handedOver(found)).toBe(state);
});

it('a desk of a newer version is left alone', async () => {
  const { path } = await deskOf(1_000, 0);
  const found = (await findDesk(path, { role: 'bridge' }, () => undefined))!;
  await expect(handedOver(found)).rejects.toThrow(/newer version/);
  found.peer.close();
});
