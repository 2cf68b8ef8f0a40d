/**
 * Random handlers and clients that answer with whatever there is: what does not fit, what nobody asked for, twice, late, with
 * noise in between. Over the whole library both eras come to the same result and the same effects, nothing is taken for a yes
 * that is none, and the server goes on serving.
 *
 * @module-tag thorough
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Call, midcall } from '@midcall/server';
import { type Era, eras } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { inSoak } from '../../fixtures/soak.ts';
import { type Params, type Question, type WireClient, wireClient } from '../wire-client.ts';

type Op =
  | { readonly do: 'elicit'; readonly form: keyof typeof forms; readonly words: string }
  | { readonly do: 'sample'; readonly words: string }
  | { readonly do: 'roots' }
  | { readonly do: 'files' }
  | { readonly do: 'step'; readonly words: string; readonly throws: boolean }
  | { readonly do: 'both'; readonly left: Op; readonly right: Op };

const ceiling = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-ceiling-')));
afterAll(() => rmSync(ceiling, { recursive: true }));

const forms = {
  yes: z.object({ sure: z.boolean() }),
  pick: z.object({ colour: z.enum(['red', 'green']), note: z.string().max(5).optional() }),
  many: z.object({ tags: z.array(z.enum(['a', 'b', 'c'])).max(2) }),
};

/** Runs one operation and says what it came to; an error of it is a result like any other. */
async function does(op: Op, call: Call, effects: string[], where: string): Promise<unknown> {
  switch (op.do) {
    case 'elicit': {
      const answer = await call.elicit({ message: `${where}${op.words}?`, form: forms[op.form] });
      if (answer.action !== 'accept') return answer.action === 'cancel' ? answer.reason : 'declined';
      if (!forms[op.form].safeParse(answer.content).success)
        throw new Error('An answer that does not fit came through.');
      await call.step(`${where}act on ${op.words}`, () => void effects.push(`${where}${op.words}`));
      return answer.content;
    }
    case 'sample':
      return call
        .sample({
          messages: [{ role: 'user', content: { type: 'text', text: `${where}${op.words}` } }],
          maxTokens: 10,
        })
        .then(
          reply => reply.content,
          (error: { code?: string }) => error.code,
        );
    case 'roots':
      return call.roots().then(
        roots => roots?.map(root => root.uri) ?? null,
        (error: { code?: string }) => error.code ?? 'failed',
      );
    case 'files':
      return call.files().then(
        files => files.roots.map(root => root.path),
        (error: { code?: string }) => error.code ?? 'failed',
      );
    case 'step':
      return call
        .step(`${where}${op.words}`, () => {
          effects.push(`${where}step ${op.words}`);
          if (op.throws) throw new Error('no');
          return op.words;
        })
        .catch((error: Error) => error.message);
    case 'both':
      return Promise.all([does(op.left, call, effects, `${where}l/`), does(op.right, call, effects, `${where}r/`)]);
  }
}

const words = fc.constantFrom('a', 'b', 'c');
const { op } = fc.letrec<{ op: Op }>(tie => ({
  op: fc.oneof(
    { depthSize: 'xsmall', withCrossShrink: true },
    fc.record({ do: fc.constant('elicit' as const), form: fc.constantFrom('yes', 'pick', 'many'), words }),
    fc.record({ do: fc.constant('sample' as const), words }),
    fc.record({ do: fc.constantFrom('roots' as const, 'files' as const) }),
    fc.record({ do: fc.constant('step' as const), words, throws: fc.boolean() }),
    fc.record({ do: fc.constant('both' as const), left: tie('op'), right: tie('op') }),
  ),
}));

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('x'.repeat(1_100_000), { __proto__: null }, JSON.parse('{"__proto__":{"sure":true}}'), -0, 1e308),
);
const content = fc.oneof(
  { arbitrary: fc.record({ sure: fc.boolean() }), weight: 3 },
  { arbitrary: fc.record({ colour: fc.constantFrom('red', 'green', 'blue') }), weight: 3 },
  { arbitrary: fc.record({ tags: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 }) }), weight: 3 },
  { arbitrary: fc.record({ sure: odd }), weight: 1 },
  { arbitrary: odd, weight: 1 },
);
const answer = fc.oneof(
  { arbitrary: fc.record({ action: fc.constant('accept'), content }), weight: 6 },
  { arbitrary: fc.record({ action: fc.constantFrom('decline', 'cancel', 'ACCEPT', 'true', '') }), weight: 2 },
  { arbitrary: fc.dictionary(fc.constantFrom('action', 'content', 'x'), odd), weight: 1 },
);
const reply = fc.oneof(
  fc.constant({ role: 'assistant', model: 'm', content: { type: 'text', text: 'well' }, stopReason: 'endTurn' }),
  fc.record({ role: fc.constantFrom('assistant', 'user'), model: odd, content: odd }),
);
const listed = fc.oneof(
  fc.constant({ roots: [{ uri: pathToFileURL(ceiling).href }] }),
  fc.constant({}),
  fc.record({
    roots: fc.oneof(
      odd,
      fc.array(
        fc.record(
          { uri: fc.constantFrom('file:///tmp', 'http://x', '', 7), name: fc.constantFrom('n', 7) },
          { requiredKeys: ['uri'] },
        ),
      ),
    ),
  }),
);
const script = fc.record({
  answers: fc.array(answer, { minLength: 1, maxLength: 5 }),
  replies: fc.array(reply, { minLength: 1, maxLength: 2 }),
  lists: fc.array(listed, { minLength: 1, maxLength: 2 }),
  noise: fc.constantFrom('none', 'twice', 'strangers', 'notifications'),
});
type Script = typeof script extends fc.Arbitrary<infer S> ? S : never;

const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

async function run(era: Era, ops: readonly Op[], how: Script) {
  const effects: string[] = [];
  const mid = midcall({
    warn: () => {},
    suspectBelowMs: 0,
    roots: { ceiling: [ceiling], askWhereDeprecated: true },
    sampling: { askWhereDeprecated: true },
    maxRounds: 100,
  });
  const factory = () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', { annotations: { destructiveHint: true } }, async (_, call) => {
      const came: unknown[] = [];
      for (const [index, each] of ops.entries()) came.push(await does(each, call, effects, `${index}/`));
      return { content: [{ type: 'text', text: JSON.stringify(came) }] };
    });
    mid.tool(server, 'ping', {}, () => ({ content: [{ type: 'text', text: 'pong' }] }));
    return server;
  };
  /** The n-th time the same thing is asked gets the n-th answer, in whichever order questions come. */
  const asked = new Map<string, number>();
  const next = <T>(key: string, list: readonly T[]): T => {
    const nth = asked.get(key) ?? 0;
    asked.set(key, nth + 1);
    return list[(nth + key.length) % list.length]!;
  };
  let client: WireClient | undefined;
  const put = async (question: Question): Promise<Params> => {
    const { method, id, params } = question;
    const given =
      method === 'roots/list'
        ? next('roots', how.lists)
        : method === 'sampling/createMessage'
          ? next(JSON.stringify(params?.['messages']), how.replies)
          : next(String(params?.['message']).split('\n')[0]!, how.answers);
    const answered = isObject(given) && !('error' in given) ? given : {};
    if (how.noise === 'notifications') {
      await client?.notify('notifications/progress', { progressToken: 'nobody', progress: 1 });
      await client?.notify('notifications/cancelled', { requestId: 4711 });
      await client?.notify('notifications/elicitation/complete', { elicitationId: 'nobody' });
      await client?.notify('notifications/nonsense');
    }
    if (era === '2025-11-25' && how.noise === 'strangers')
      await client?.respond(9_999, { action: 'accept', content: { sure: true } });
    // The same question is answered twice; the first answer counts.
    if (era === '2025-11-25' && how.noise === 'twice') {
      await client?.respond(id, answered);
      return { action: 'accept', content: { sure: true, colour: 'red', tags: [] } };
    }
    return answered;
  };
  client = await wireClient(era, factory, {
    capabilities: { elicitation: {}, roots: {}, sampling: {} },
    answer: put,
    ...(how.noise === 'strangers' && { unasked: { nobody: { action: 'accept', content: { sure: true } } } }),
  });
  try {
    const text = await client.act();
    return { text, effects: effects.toSorted() };
  } finally {
    await client[Symbol.asyncDispose]();
  }
}

const numRuns = Number(process.env['MIDCALL_RUNS'] ?? inSoak(5_000, 40));

it('whatever a client answers means the same in both eras, and only a yes that fits is one', {
  tags: 'thorough',
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 1, maxLength: 4 }), script, async (ops, how) => {
      const [pushed, rounds] = await Promise.all(eras.map(era => run(era, ops, how)));
      expect(rounds).toEqual(pushed);
      expect(pushed!.text).not.toContain('came through');
    }),
    { numRuns },
  );
});
