import { type Decision, Policy } from '@midcall/host';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applies, judge } from '../../../packages/host/src/policy/judge.ts';
import { handClock } from '../clock.ts';

describe('policy', () => {
  it('elicit-22, elicit-url-61; policy-P1: whatever the decisions, a form or a URL is never allowed by one', () => {
    const decision = fc.record({
      id: fc.uuid(),
      server: fc.constantFrom('a', 'b', '*'),
      subject: fc.constantFrom('form', 'url', 'sampling', 'roots', '*') as fc.Arbitrary<Decision['subject']>,
      effect: fc.constantFrom('ask', 'refuse', 'allow') as fc.Arbitrary<Decision['effect']>,
      scope: fc.constantFrom('session', 'always') as fc.Arbitrary<Decision['scope']>,
      madeAt: fc.constant(0),
    });
    const limits = { open: 10, perWindow: 10, windowMs: 1_000 };
    fc.assert(
      fc.property(
        fc.array(decision, { maxLength: 6 }),
        fc.constantFrom('form', 'url', 'sampling', 'roots'),
        (decisions, subject) => {
          const request = { server: 'a', subject: subject as 'form' };
          const verdict = judge(decisions, limits, request, { open: 0, askedAt: [] }, 5);
          if (subject === 'form' || subject === 'url') expect(verdict.do).not.toBe('allow');
          const refused = decisions.some(
            each => each.effect === 'refuse' && applies(each, { server: 'a', subject: request.subject }, 5),
          );
          expect(verdict.do === 'refuse').toBe(refused);
        },
      ),
    );
  });

  it('elicit-22, elicit-url-61; policy-P2: a decision that would answer a form or a URL cannot be made', () => {
    const policy = new Policy();
    expect(() => policy.add({ server: 'a', subject: 'form', effect: 'allow' })).toThrow(/answered by a person/);
    expect(() => policy.add({ server: 'a', subject: '*', effect: 'allow' })).toThrow(
      expect.objectContaining({ code: 'host/refused' }),
    );
    expect(() => new Policy({ limits: { open: 0 } })).toThrow(
      'limits.open must be a whole number of at least 1; got 0',
    );
  });

  it('a decision refuses, expires, is revoked, and every change is told', () => {
    const clock = handClock();
    const changes: number[] = [];
    const policy = new Policy({ clock, onChange: decisions => changes.push(decisions.length) });
    const mute = policy.mute('a', 60_000);
    expect(policy.judge('a', 'form', 0)).toMatchObject({ do: 'refuse', decision: mute.id });
    expect(policy.judge('b', 'form', 0)).toEqual({ do: 'ask' });
    clock.move(60_000);
    expect(policy.judge('a', 'form', 0)).toEqual({ do: 'ask' });
    expect(policy.decisions()).toEqual([]);
    const allow = policy.add({ server: 'a', subject: 'sampling', effect: 'allow', scope: 'always' });
    expect(policy.judge('a', 'sampling', 0)).toEqual({ do: 'allow', decision: allow.id });
    expect(policy.revoke(allow.id)).toBe(true);
    expect(policy.revoke(allow.id)).toBe(false);
    expect(policy.judge('a', 'sampling', 0)).toEqual({ do: 'ask' });
    expect(changes.length).toBe(3);
  });

  it('elicit-45: the policy limits how often and how much at once a server asks, and says when it may again', () => {
    const clock = handClock();
    const policy = new Policy({ clock, limits: { open: 3, perWindow: 2, windowMs: 10_000 } });
    expect(policy.judge('a', 'form', 3)).toMatchObject({
      do: 'refuse',
      decision: 'limit',
      why: expect.stringContaining('3 questions open'),
    });
    policy.count('a');
    clock.move(4_000);
    policy.count('a');
    expect(policy.judge('a', 'form', 0)).toMatchObject({ why: expect.stringContaining('again in 6 s') });
    expect(policy.judge('b', 'form', 0)).toEqual({ do: 'ask' });
    clock.move(6_000);
    expect(policy.judge('a', 'form', 0)).toEqual({ do: 'ask' });
  });

  it('a refusal says whose questions of which kind are refused, and until when where they are muted', () => {
    const clock = handClock();
    const policy = new Policy({ clock });
    policy.add({ server: 'a', subject: 'roots', effect: 'refuse' });
    expect(policy.judge('a', 'roots', 0)).toMatchObject({
      why: 'You refuse requests for your folders from this server.',
    });
    policy.add({ server: '*', subject: 'sampling', effect: 'refuse' });
    expect(policy.judge('b', 'sampling', 0)).toMatchObject({
      why: 'You refuse requests for your model from all servers.',
    });
    policy.mute('b', 60_000);
    const until = new Date(clock.now() + 60_000).toISOString();
    expect(policy.judge('b', 'form', 0)).toMatchObject({
      why: `You refuse all questions from this server until ${until.slice(0, 10)} ${until.slice(11, 16)} UTC.`,
    });
  });

  it('a decision for a time is on the list until then', () => {
    const clock = handClock();
    const policy = new Policy({ clock });
    expect(policy.decisions()).toEqual([]);
    const mute = policy.mute('a', 1_000);
    clock.move(999);
    expect(policy.decisions()).toEqual([mute]);
    clock.move(1);
    expect(policy.decisions()).toEqual([]);
  });

  it('decisions that others change are followed: none is listed twice, and what was taken back here stays away', () => {
    let kept: readonly Decision[] = [];
    const policy = new Policy({ sharedDecisions: () => kept });
    const own = policy.add({ server: 'a', subject: 'form', effect: 'refuse' });
    kept = [own, { ...own, id: 'theirs', subject: 'url' }];
    expect(policy.decisions().map(decision => decision.id)).toEqual(['theirs', own.id]);
    policy.revoke('theirs');
    kept = [...kept];
    expect(policy.decisions().map(decision => decision.id)).toEqual([own.id]);
  });

  it('a decision may allow roots as well as sampling', () => {
    const policy = new Policy();
    const { id, scope } = policy.add({ server: 'a', subject: 'roots', effect: 'allow' });
    expect(policy.judge('a', 'roots', 0)).toEqual({ do: 'allow', decision: id });
    expect(scope).toBe('session');
  });

  it('a decision takes the place of one about the same server and subject, and of no other', () => {
    const policy = new Policy();
    const subjects = ['form', 'url'] as const;
    for (const server of ['a', 'b']) for (const subject of subjects) policy.add({ server, subject, effect: 'refuse' });
    policy.add({ server: 'a', subject: 'form', effect: 'ask' });
    expect(policy.decisions().map(each => [each.server, each.subject, each.effect])).toEqual([
      ['a', 'form', 'ask'],
      ['b', 'url', 'refuse'],
      ['b', 'form', 'refuse'],
      ['a', 'url', 'refuse'],
    ]);
    // By its command it is the same server, under whatever id.
    policy.add({ server: 'c', subject: 'form', effect: 'refuse', origin: 'node c' });
    policy.add({ server: 'd', subject: 'form', effect: 'ask', origin: 'node c' });
    policy.add({ server: 'e', subject: 'form', effect: 'ask', origin: 'node e' });
    expect(policy.decisions().map(each => each.server)).toEqual(['e', 'd', 'a', 'b', 'b', 'a']);
  });

  it('taking one decision back leaves the others', () => {
    const policy = new Policy();
    const [gone, left] = ['a', 'b'].map(server => policy.add({ server, subject: 'form', effect: 'refuse' }));
    expect(policy.revoke(gone!.id)).toBe(true);
    expect(policy.decisions()).toEqual([left]);
  });

  it('the error of a bad option names the call that was given it', () => {
    expect(() => new Policy({ limits: { open: 0 } })).toThrow('new Policy');
    expect(() => new Policy().add({ server: '', subject: 'form', effect: 'ask' })).toThrow('policy.add');
  });

  it('elicit-45: a refusal says how often a server asked in how many seconds', () => {
    const policy = new Policy({ clock: handClock(), limits: { perWindow: 1, windowMs: 10_000 } });
    policy.count('a');
    expect(policy.judge('a', 'form', 0)).toMatchObject({ why: expect.stringContaining('asked 1 times in 10 seconds') });
  });
});
