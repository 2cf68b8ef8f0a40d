/** A question of another server: what leaves, what comes back of it, and what is audited. */
import { expect, it } from 'vitest';
import { Run } from '../../../packages/server/src/engine/run.ts';
import { gatewayQuestion } from '../../../packages/server/src/questions/native/gateway-question.ts';
import type { Outgoing } from '../../../packages/server/src/questions/outgoing.ts';
import { fromClient, unanswered } from '../../../packages/server/src/questions/recording.ts';
import type { GatewayQuestion } from '../../../packages/server/src/request/gateway-call.ts';

const params = { mode: 'url', message: 'Sign in there', url: 'https://other.example/', elicitationId: 'e-1' };
const page: GatewayQuestion = { params };
const form: GatewayQuestion = { params: { message: 'x'.repeat(5_000), requestedSchema: {}, _meta: { a: 1 } } };
const withdrawn = new AbortController().signal;

async function pass(
  recording: unknown,
  {
    asks = 'push',
    url = true,
    form: hasForm = true,
    given = page as unknown,
    journal = [] as Run<unknown>['journal'],
  } = {},
) {
  const audited: unknown[] = [];
  const left: Outgoing[] = [];
  const config = { askTimeoutMs: 900_000, suspectBelowMs: 250 } as never;
  const request = { client: { asks, can: { url, form: hasForm } } } as never;
  const audit = (event: unknown) => void audited.push(event);
  const run = new Run<unknown, Outgoing>(
    each => gatewayQuestion(each as never, config, request, audit, given as GatewayQuestion, withdrawn),
    journal,
  );
  for (;;) {
    const outcome = await run.next();
    if (outcome.kind !== 'needs') return { outcome, audited, left, journal: run.journal };
    left.push(...outcome.asks.map(({ detail }) => detail));
    run.settle(new Map(outcome.asks.map(({ id }) => [id, recording as never])));
  }
}

it('a question of a gateway leaves unchanged, but for an id where there is none and a mode where there must be one', async () => {
  const leaves = { to: 'client', channel: 'native', method: 'elicitation/create', timeoutMs: 900_000, withdrawn };
  const answered = fromClient({ action: 'accept' }, 300);
  expect((await pass(answered)).left).toEqual([{ ...leaves, params }]);
  expect((await pass(answered, { given: form })).left).toEqual([{ ...leaves, params: form.params }]);
  const { elicitationId: _, ...rest } = params;
  const rounds = await pass(answered, { asks: 'rounds', given: { ...page, timeoutMs: 5 } });
  expect(rounds.left).toEqual([{ ...leaves, timeoutMs: 5, params: rest }]);
  const inRounds = await pass(answered, { asks: 'rounds', given: form });
  expect(inRounds.left).toEqual([{ ...leaves, params: { mode: 'form', ...form.params } }]);
});

it.each([
  [fromClient({ action: 'accept' }, 300), { action: 'accept' }, {}],
  [fromClient({ action: 'accept' }, 249), { action: 'accept' }, { suspect: 'too-fast' }],
  [fromClient({ action: 'decline' }, 250), { action: 'decline' }, {}],
  [fromClient({ action: 'cancel' }, 300), { action: 'cancel', reason: 'dismissed' }, {}],
  [fromClient(null, 300), { action: 'cancel', reason: 'error' }, {}],
  [unanswered('timeout', 300), { action: 'cancel', reason: 'timeout' }, {}],
])(
  'a question of a gateway comes back as what the host said, audited once, and not again on replay (%#)',
  async (recording, answer, suspect) => {
    const by = {
      channel: 'native',
      assurance: 'in-band',
      elapsedMs: recording.kind === 'answered' || recording.kind === 'unanswered' ? recording.ms : 0,
      ...suspect,
    };
    const { outcome, audited, journal } = await pass(recording);
    const result = recording.kind === 'answered' && recording.got !== null ? { result: recording.got } : {};
    expect(outcome).toEqual({ kind: 'done', result: { ...answer, by, ...result } });
    expect(audited).toStrictEqual([{ kind: 'answered', ask: journal[0]!.id, ...answer, by }]);
    const replayed = await pass(recording, { journal });
    expect([replayed.outcome, replayed.audited, replayed.left]).toEqual([outcome, [], []]);
  },
);

it.each([
  ['of pages', { url: false }],
  ['of asking', { asks: 'none' }],
  ['of forms', { form: false, given: form }],
] as const)('a question of a gateway asks nobody where the client has no mode %s', async (_, given) => {
  const { outcome, audited, left } = await pass(undefined, given);
  const by = { channel: 'native', assurance: 'in-band', elapsedMs: 0 };
  expect(outcome).toEqual({ kind: 'done', result: { action: 'cancel', reason: 'unavailable', by } });
  expect([audited, left]).toEqual([[], []]);
});

it.each([
  [{ params: 'form' }, 'params'],
  [{ ...page, timeoutMs: 0 }, 'timeoutMs'],
])('what is no question is refused, and what is wrong is named (%#)', async (given, wrong) => {
  const { outcome } = await pass(undefined, { given });
  expect(outcome).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining(`call.pass: ${wrong}`) } });
});

it('two pages are two questions, each with its own answer', async () => {
  const results: unknown[] = [];
  const config = { askTimeoutMs: 900_000, suspectBelowMs: 0 } as never;
  const request = { client: { asks: 'push', can: { url: true } } } as never;
  const differing = [
    page,
    { params: { ...params, url: 'https://else.example/' } },
    { params: { ...params, message: 'Other' } },
    { params: { ...params, elicitationId: 'e-2' } },
  ];
  const handler = (order: readonly number[]) => async (run: Run<unknown, Outgoing>) => {
    for (const at of order)
      results.push(await gatewayQuestion(run as never, config, request, () => {}, differing[at]!, undefined));
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
