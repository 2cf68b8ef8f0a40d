/** Bridges that share their inboxes and are killed at any moment: every question ends once, and says how. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import '../fixtures/own-config.ts';
import { eventually } from '../fixtures/grown.ts';
import { fleetKey } from '../fleet/replicas.ts';
import { type HostOf, type InboxStage, inboxStage, type RunningBridge, type Session } from './inbox-stage.ts';

const kills = Number(process.env['MIDCALL_KILLS'] ?? 200);
const questions = kills * 5;

let stage: InboxStage;
beforeAll(async () => {
  stage = await inboxStage({ MIDCALL_KEY: fleetKey });
});
afterAll(() => stage?.[Symbol.asyncDispose]());

it('every question of 200 bridges that were killed at random points has one end, which is the same everywhere', async () => {
  const people = ['ada', 'bob'] as const;
  /** By the person whose hosts use it. */
  const bridges = new Map<string, RunningBridge>();
  const sessions: Session[] = [];
  const asked = new Set<string>();
  const answered = new Map<string, string>();
  let killed = 0;
  let n = 0;

  /** A bridge with the calls of one person, which is killed, and started again at the same address. */
  const life = async (who: string, at: URL | undefined): Promise<URL> => {
    const bridge = await stage.bridge(at ? { at } : {});
    bridges.set(who, bridge);
    let host: HostOf | undefined;
    let left = Math.floor(Math.random() * 12);
    const happened = (): void => {
      left -= 1;
      if (left === 0) bridge.child.kill('SIGKILL');
    };
    const dead = new Promise(resolve => bridge.child.once('close', resolve));
    try {
      host = await stage.host(bridge, who, n % 2 === 0 ? '2026-07-28' : '2025-11-25');
      const { ask } = host;
      const several = Array.from({ length: 6 }, async () => {
        n += 1;
        const id = await ask({ n });
        asked.add(id);
        happened();
        // Whoever lives takes the reply; sometimes, that is the one that is being killed.
        const { browser, base, csrf } = sessions[people.indexOf(who as 'ada')]!;
        for (const place of bridges.values()) {
          const path = `${new URL(base).pathname}/questions/${id}`;
          const colour = `colour of ${id}`;
          const posted = await browser
            .send(new URL(path, place.address), {
              method: 'POST',
              headers: { origin: place.address.origin, 'content-type': 'application/x-www-form-urlencoded' },
              body: new URLSearchParams({ csrf: await csrf(), action: 'accept', f0: colour }).toString(),
            })
            .catch(() => undefined);
          happened();
          if (posted?.status === 303) answered.set(id, colour);
        }
      });
      await Promise.allSettled(several);
    } catch {
      // It was killed before its host had connected.
    }
    bridge.child.kill('SIGKILL');
    await dead;
    await host?.client.close().catch(() => {});
    killed += 1;
    return bridge.address;
  };

  // One bridge lives on, where people are signed in.
  const last = await stage.bridge();
  bridges.set('nobody', last);
  for (const who of people) sessions.push(await stage.signIn(last, who));
  await Promise.all(
    people.map(async who => {
      let at: URL | undefined;
      while (killed < kills || asked.size < questions) at = await life(who, at);
    }),
  );

  await eventually(async () => {
    const { out } = await stage.midcall(['inboxes', 'people', '--inbox', stage.file]);
    return !/ [1-9]\d* open/.test(out);
  });
  const record = await stage.midcall(['inboxes', 'record', '--inbox', stage.file]);
  const ends = new Map<string, string[]>();
  for (const line of record.out.split('\n').filter(Boolean)) {
    const { event, question, how } = JSON.parse(line) as { event: string; question: string; how?: string };
    ends.set(question, [...(ends.get(question) ?? []), how ?? event]);
  }
  for (const [question, said] of ends)
    expect([question, said]).toEqual([
      question,
      ['asked', expect.stringMatching(/^(?:answered|server-gone|in-doubt|unshown|withdrawn)$/)],
    ]);
  for (const id of asked) expect(ends.has(id)).toBe(true);
  // Whoever was told that their answer was taken finds it.
  for (const id of answered.keys()) expect([id, ends.get(id)]).toEqual([id, ['asked', 'answered']]);
  // What the server got is an answer that counted, or one of which nobody knows; and it got each once.
  const got = stage.noted().map(({ answer }) => (answer as { content?: { colour?: string } }).content?.colour);
  const given = got.filter((each): each is string => each !== undefined).map(each => each.replace('colour of ', ''));
  expect(new Set(given).size).toBe(given.length);
  for (const id of given) expect(['answered', 'in-doubt']).toContain(ends.get(id)![1]);
  expect([...ends.values()].map(([, how]) => how)).toContain('server-gone');
  expect((await stage.midcall(['inboxes', 'record', '--verify', '--inbox', stage.file])).code).toBe(0);
});
