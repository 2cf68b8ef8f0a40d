/** Consent to a page of another server: what leaves, what comes back of it, and what is audited. */
import { expect, it } from 'vitest';
import { Run } from '../../../packages/server/src/engine/run.ts';
import { gatewayConsent } from '../../../packages/server/src/questions/native/gateway-consent.ts';
import type { Outgoing } from '../../../packages/server/src/questions/outgoing.ts';
import { fromClient, unanswered } from '../../../packages/server/src/questions/recording.ts';
import type { GatewayPage } from '../../../packages/server/src/request/gateway-call.ts';

const page: GatewayPage = { message: 'Sign in there', url: 'https://other.example/', elicitationId: 'e-1' };
const withdrawn = new AbortController().signal;

async function consent(
  recording: unknown,
  { asks = 'push', url = true, given = page as unknown, journal = [] as Run<unknown>['journal'] } = {},
) {
  const audited: unknown[] = [];
  const left: Outgoing[] = [];
  const config = { askTimeoutMs: 900_000, suspectBelowMs: 250 } as never;
  const request = { client: { asks, can: { url } } } as never;
  const audit = (event: unknown) => void audited.push(event);
  const run = new Run<unknown, Outgoing>(
    each => gatewayConsent(each as never, config, request, audit, given as GatewayPage, withdrawn),
    journal,
  );
  for (;;) {
    const outcome = await run.next();
    if (outcome.kind !== 'needs') return { outcome, audited, left, journal: run.journal };
    left.push(...outcome.asks.map(({ detail }) => detail));
    run.settle(new Map(outcome.asks.map(({ id }) => [id, recording as never])));
  }
}

it('leaves as a question in URL mode, in the words of the other server', async () => {
  const { left } = await consent(fromClient({ action: 'accept' }, 300));
  const params = { mode: 'url', message: 'Sign in there', url: 'https://other.example/' };
  const leaves = { to: 'client', channel: 'native', method: 'elicitation/create', timeoutMs: 900_000, withdrawn };
  expect(left).toEqual([{ ...leaves, params: { ...params, elicitationId: 'e-1' } }]);
  const rounds = await consent(fromClient({ action: 'accept' }, 300), {
    asks: 'rounds',
    given: { ...page, timeoutMs: 5 },
  });
  expect(rounds.left).toEqual([{ ...leaves, timeoutMs: 5, params }]);
});

it.each([
  [fromClient({ action: 'accept' }, 300), { action: 'accept' }, {}],
  [fromClient({ action: 'accept' }, 249), { action: 'accept' }, { suspect: 'too-fast' }],
  [fromClient({ action: 'decline' }, 250), { action: 'decline' }, {}],
  [fromClient({ action: 'cancel' }, 300), { action: 'cancel', reason: 'dismissed' }, {}],
  [fromClient(null, 300), { action: 'cancel', reason: 'error' }, {}],
  [unanswered('timeout', 300), { action: 'cancel', reason: 'timeout' }, {}],
])(
  'consent comes back as what the host said, audited once, and not again on replay (%#)',
  async (recording, answer, suspect) => {
    const by = {
      channel: 'native',
      assurance: 'in-band',
      elapsedMs: recording.kind === 'answered' || recording.kind === 'unanswered' ? recording.ms : 0,
      ...suspect,
    };
    const { outcome, audited, journal } = await consent(recording);
    expect(outcome).toEqual({ kind: 'done', result: { ...answer, by } });
    expect(audited).toStrictEqual([{ kind: 'answered', ask: journal[0]!.id, ...answer, by }]);
    const replayed = await consent(recording, { journal });
    expect([replayed.outcome, replayed.audited, replayed.left]).toEqual([outcome, [], []]);
  },
);

it.each([{ url: false }, { asks: 'none' }])('where the client opens no pages nobody is asked: %j', async given => {
  const { outcome, audited, left } = await consent(undefined, given);
  const by = { channel: 'native', assurance: 'in-band', elapsedMs: 0 };
  expect(outcome).toEqual({ kind: 'done', result: { action: 'cancel', reason: 'unavailable', by } });
  expect([audited, left]).toEqual([[], []]);
});

it.each([
  [{ ...page, message: undefined }, 'message'],
  [{ ...page, url: '' }, 'url'],
  [{ ...page, elicitationId: undefined }, 'elicitationId'],
  [{ ...page, timeoutMs: 0 }, 'timeoutMs'],
  [{ ...page, message: 'x'.repeat(2_001) }, 'message'],
])('a page that lacks something is refused, and what it lacks is named (%#)', async (given, lacks) => {
  const { outcome } = await consent(undefined, { given });
  expect(outcome).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining(lacks) } });
  if (lacks !== 'message') expect((outcome as { error: Error }).error.message).toMatch(/^call\.consent/);
});

it('two pages are two questions, each with its own answer', async () => {
  const results: unknown[] = [];
  const config = { askTimeoutMs: 900_000, suspectBelowMs: 0 } as never;
  const request = { client: { asks: 'push', can: { url: true } } } as never;
  const differing = [
    page,
    { ...page, url: 'https://else.example/' },
    { ...page, message: 'Other' },
    { ...page, elicitationId: 'e-2' },
  ];
  const handler = (order: readonly number[]) => async (run: Run<unknown, Outgoing>) => {
    for (const at of order)
      results.push(await gatewayConsent(run as never, config, request, () => {}, differing[at]!, undefined));
  };
  const first = new Run<unknown, Outgoing>(handler([0, 1, 2, 3]));
  const actions = ['accept', 'decline', 'accept', 'decline'];
  for (let outcome = await first.next(); outcome.kind === 'needs'; outcome = await first.next())
    first.settle(new Map(outcome.asks.map(({ id }) => [id, fromClient({ action: actions.shift()! }, 5) as never])));
  // Whatever order a replay asks in, each has the answer that was given to it.
  const again = new Run<unknown, Outgoing>(handler([3, 2, 1, 0]), first.journal);
  await again.next();
  expect(results.slice(4).map(each => (each as { action: string }).action)).toEqual([
    'decline',
    'accept',
    'decline',
    'accept',
  ]);
});
