/**
 * `explore` catches what breaks, by name, and leaves a good tool alone.
 *
 * @module-tag thorough
 */

import { type Answer, approvers, type Call, type MidcallOptions, midcall } from '@midcall/server';
import { type Connect, confirm as confirmPage, connect, formPage } from '@midcall/server/connect';
import {
  type ExploredTool,
  type ExploreOptions,
  explore,
  type FindingKind,
  type TestInboxOptions,
  testInbox,
} from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { beforeAll, describe, expect, it } from 'vitest';

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
const confirm = { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] } as const;

type Handler = (call: Call, effect: (name: string) => void) => Promise<ReturnType<typeof text>>;

/** @param more - options of the server's own, made anew for each */
const toolOf = (handler: Handler, more: () => MidcallOptions = () => ({})): ExploredTool => ({
  name: 'act',
  server: (options, effect) => {
    const mid = midcall({ ...options, ...more() });
    return () => {
      const server = new McpServer({ name: 'explored', version: '1.0.0' });
      mid.tool(server, 'act', {}, (_, call) => handler(call, effect));
      return server;
    };
  },
});

const run = (handler: Handler, options: ExploreOptions = {}) =>
  explore(toolOf(handler), {}, { hangMs: 400, budget: 60, ...options });

const linkAlone = 'pages that are announced by a link alone: nobody finishes them';

/** Explores a tool whose server has pages. */
async function exploreWithPages(handler: Handler, options: ExploreOptions = {}) {
  const pages: Connect[] = [];
  const more = () => {
    const own = connect({ name: 'Explored', reach: { kind: 'here', browser: false } });
    pages.push(own);
    return { pages: own };
  };
  const report = await explore(toolOf(handler, more), {}, options);
  await Promise.all(pages.map(each => each.close()));
  return report;
}
const kinds = (report: { findings: readonly { kind: FindingKind }[] }) => [
  ...new Set(report.findings.map(({ kind }) => kind)),
];
const outside = (report: { outside: readonly { kind: FindingKind }[] }) => [
  ...new Set(report.outside.map(({ kind }) => kind)),
];

const pay: Handler = async call => {
  const answer = await call.elicit({ message: 'Pay 10?', form: confirm });
  if (answer.action !== 'accept') return text(`Not paid: ${answer.action}.`);
  if (!answer.content.confirm) return text('Not paid: you said no.');
  await call.step('charge', () => 'paid', { effect: true });
  return text('Paid.');
};

describe('a tool that asks first and takes every answer', () => {
  let first: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    // It loads what a server loads when it is needed, which takes its time.
    first = await run(pay, { hangMs: 5_000 });
  });

  it('a tool that asks first and takes every answer has no findings, and every outcome was covered', () => {
    const report = first;
    expect(report.text).toMatch(/Nothing broken/);
    expect(report).toMatchObject({ findings: [], outside: [], notCovered: [], asks: 3 });
    // accept, 5 refusals, delivered twice, a no; and for the answer that does not fit 8 more, and 8 more; and unasked.
    expect(report.paths).toBe(23);
  });

  it('the same tool is reported the same the second time', async () => {
    expect(await run(pay)).toEqual(first);
  });
});

describe('a handler that', { tags: 'thorough' }, () => {
  it('a handler that acts on a decline is caught', async () => {
    const report = await run(async call => {
      await call.elicit({ message: 'Pay 10?', form: confirm });
      await call.step('charge', () => 'paid', { effect: true });
      return text('Paid.');
    });
    expect(kinds(report)).toEqual(['acts-without-consent']);
    expect(report.findings[0]).toMatchObject({
      message: "'charge' ran though nobody had said yes",
      playedAs: ['2025-11-25', '2026-07-28', 'task'],
      path: ['"Pay 10?" -> decline'],
    });
    expect(report.text).toContain('"Pay 10?" -> decline');
  });

  it('a handler that takes confirm: false for a yes is caught', async () => {
    const report = await run(async call => {
      const answer = await call.elicit({ message: 'Pay 10?', form: confirm });
      if (answer.action === 'accept') await call.step('charge', () => 'paid', { effect: true });
      return text('Done.');
    });
    expect(report.findings).toMatchObject([
      { kind: 'acts-without-consent', path: ['"Pay 10?" -> accept with confirm false'] },
    ]);
  });

  it('a handler that acts before it asks is caught', async () => {
    const report = await run(async call => {
      await call.step('charge', () => 'paid', { effect: true });
      const answer = await call.elicit({ message: 'Was that right?', form: confirm });
      return text(answer.action);
    });
    expect(kinds(report)).toEqual(['acts-without-consent']);
  });

  it('a handler that goes on where the client cannot be asked is caught', async () => {
    const report = await run(async call => {
      if (call.can.form) {
        const answer = await call.elicit({ message: 'Pay 10?', form: confirm });
        if (answer.action !== 'accept' || !answer.content.confirm) return text('Not paid.');
      }
      await call.step('charge', () => 'paid', { effect: true });
      return text('Paid.');
    });
    expect(report.findings).toMatchObject([
      { kind: 'acts-without-consent', path: ['the client cannot be asked'], paths: 1 },
    ]);
  });

  it('a handler that changes something outside a step is caught when it is replayed', async () => {
    const report = await run(async (call, effect) => {
      const first = await call.elicit({ message: 'Begin?', form: confirm });
      if (first.action !== 'accept' || !first.content.confirm) return text('No.');
      effect('mail');
      const second = await call.elicit({ message: 'Go on?', form: { words: String } });
      return text(second.action);
    });
    expect(kinds(report)).toEqual(['repeats-effect']);
    expect(report.findings[0]).toMatchObject({ playedAs: ['2026-07-28'], message: "replaying ran 'mail' again" });
  });

  it('a handler that throws on a dismissal is caught', async () => {
    const report = await run(async call => {
      const answer = await call.elicit({ message: 'Pay 10?', form: confirm });
      if (answer.action === 'cancel') throw new Error('cannot happen');
      return text(answer.action);
    });
    expect(kinds(report)).toEqual(['unhandled-outcome']);
    expect(report.findings.map(({ message }) => message)).toEqual(
      expect.arrayContaining([expect.stringContaining("'dismiss'"), expect.stringContaining("'timeout'")]),
    );
  });

  it('a handler that throws at an answer that fits its form is caught', async () => {
    const report = await run(async call => {
      const answer = await call.elicit({
        message: 'How many?',
        form: { type: 'object', properties: { n: { type: 'integer', minimum: 0, maximum: 9 } }, required: ['n'] },
      });
      if (answer.action !== 'accept') return text('None.');
      return text('x'.repeat(Math.trunc(10 / answer.content.n)));
    });
    expect(report.findings).toMatchObject([{ kind: 'throws-on-answer', path: ['"How many?" -> accept with n 0'] }]);
  });

  it('a handler that never ends is caught, and the exploration stops', async () => {
    const report = await run(
      async call => {
        const answer = await call.elicit({ message: 'Pay 10?', form: confirm });
        if (answer.action === 'accept') await new Promise(() => {});
        return text(answer.action);
      },
      { hangMs: 50 },
    );
    expect(kinds(report)).toEqual(['hangs']);
    expect(report.notCovered.join()).toContain('hang');
  });

  it('a handler that does not await its question is caught', async () => {
    const report = await run(async call => {
      void call.elicit({ message: 'Pay 10?', form: confirm });
      return text('Asked.');
    });
    expect(kinds(report)).toEqual(['not-awaited']);
  });

  it('a handler that asks until somebody agrees is caught', async () => {
    const report = await run(
      async call => {
        for (;;) {
          const answer = await call.elicit({ message: 'Pay 10?', form: confirm });
          if (answer.action === 'accept') return text('Thanks.');
        }
      },
      { budget: 10 },
    );
    expect(kinds(report)).toEqual(['asks-in-circles']);
  });

  it('a handler that asks for ever is left after a while', async () => {
    const report = await run(
      async call => {
        for (let n = 0; call.can.form; n++) await call.elicit({ message: `Question ${n}`, form: confirm });
        return text('Nobody to ask.');
      },
      { budget: 3 },
    );
    expect(kinds(report)).toEqual(['asks-in-circles', 'too-many-rounds']);
    expect(report.notCovered.length).toBeGreaterThan(0);
  });

  it('elicit-form-28: a handler that asks for a secret is told so', async () => {
    const report = await run(async call => {
      await call.elicit({ message: 'Your password?', form: { password: String } });
      return text('Thanks.');
    });
    expect(kinds(report)).toEqual(['mistake']);
  });
});

describe('outside the rules:', { tags: 'thorough' }, () => {
  it('an effect beside a question is reported', async () => {
    const report = await run(
      async call => {
        const answer = await call.elicit({ message: 'Begin?', form: confirm });
        if (answer.action !== 'accept' || !answer.content.confirm) return text('No.');
        await Promise.all([
          call.step('charge', () => 'paid', { effect: true }),
          call.elicit({ message: 'How was it?', form: { words: String } }),
        ]);
        return text('Done.');
      },
      { budget: 15 },
    );
    expect(outside(report)).toEqual(['effect-beside-ask']);
    expect(kinds(report)).toEqual([]);
  });

  it('a race between a question and a timer is reported', async () => {
    const report = await run(async call => {
      const timer = new Promise<undefined>(resolve => setTimeout(resolve, 60_000));
      const answer = await Promise.race([call.elicit({ message: 'Pay 10?', form: confirm }), timer]);
      return text(answer?.action ?? 'too late');
    });
    expect(outside(report)).toEqual(['timer-beside-ask']);
  });

  it('a handler that asks something else when it is replayed is broken, and reported as such', async () => {
    let n = 0;
    const report = await run(
      async call => {
        n += 1;
        const answer = await call.elicit({ message: `Pay ${n}?`, form: confirm });
        return text(answer.action);
      },
      { budget: 3 },
    );
    expect(kinds(report)).toContain('diverges');
    expect(report.findings.find(({ kind }) => kind === 'diverges')?.playedAs).toEqual(['2026-07-28']);
  });

  it('a result that is another every time is no difference of the eras', async () => {
    let n = 0;
    const report = await run(async call => {
      const answer = await call.elicit({ message: 'Pay 10?', form: confirm });
      n += 1;
      return text(`${answer.action} ${n}`);
    });
    expect(outside(report)).toEqual(['not-repeatable']);
    expect(kinds(report)).toEqual([]);
  });

  it('more rounds than a client goes through are reported', async () => {
    const report = await run(
      async call => {
        for (let n = 0; n < 11; n++) {
          const answer = await call.elicit({ message: `Question ${n}`, form: confirm });
          if (answer.action !== 'accept') return text(answer.action);
        }
        return text('Enough.');
      },
      { budget: 5 },
    );
    expect(kinds(report)).toEqual(['too-many-rounds']);
    expect(report.findings[0]?.playedAs).toEqual(['2026-07-28']);
  });
});

describe('as a task', () => {
  it('what ends differently as a task is caught', async () => {
    const told = await explore(
      {
        name: 'act',
        server: options => {
          const mid = midcall(options);
          return () => {
            const server = new McpServer({ name: 'explored', version: '1.0.0' });
            mid.wrap(server);
            // A handler beside the library's, which sees whether its client has tasks.
            mid.tool(server, 'act', {}, async (_, call) => {
              const answer = await call.elicit({ message: 'Pay 10?', form: confirm });
              return text(`${answer.action} ${'extensions' in (call.client?.capabilities ?? {})}`);
            });
            return server;
          };
        },
      },
      {},
      { budget: 3 },
    );
    expect(kinds(told)).toEqual(['task-differs']);
    expect(told.findings[0]).toMatchObject({ playedAs: ['task'] });
    expect(told.text).toContain('Only as a task; on');
  });

  it('a tool that has to be a task is taken as that alone, and one that never is takes its paths in both eras', async () => {
    const of = (task: 'required' | 'never'): ExploredTool => ({
      name: 'act',
      server: options => {
        const mid = midcall(options);
        return () => {
          const server = new McpServer({ name: 'explored', version: '1.0.0' });
          mid.tool(
            server,
            'act',
            { task },
            async (_, call) => (await call.elicit({ message: 'Sure?', form: confirm })).action,
          );
          return server;
        };
      },
    });
    const required = await explore(of('required'), {}, { budget: 3, depth: 1 });
    expect(required.findings, required.text).toEqual([]);
    expect(required.asks).toBeGreaterThan(0);
    const never = await explore(of('never'), {}, { budget: 3, depth: 1 });
    expect(never.findings, never.text).toEqual([]);
    expect(never.runs).toBe(2 * never.paths);
  });
});

describe('an exploration', () => {
  it('an exploration takes parallel questions through every combination, deadlines that pass included', async () => {
    const report = await run(async call => {
      const [a, b] = await Promise.all([
        call.elicit({ message: 'A?', form: { type: 'object', properties: {} } }),
        call.elicit({ message: 'B?', form: { type: 'object', properties: {} } }),
      ]);
      return text(`${a.action} ${b.action}`);
    });
    expect(report).toMatchObject({ findings: [], outside: [] });
  });

  it('an exploration lets the days pass for which a question is open, in both eras and as a task', async () => {
    const report = await run(async call => {
      const answer = await call.elicit({ message: 'When you have time?', form: Boolean, timeoutMs: 6 * 86_400_000 });
      return text(answer.action === 'cancel' ? answer.reason : answer.action);
    });
    expect(report.findings, report.text).toEqual([]);
    expect(report.notCovered).toEqual([]);
  });

  it('an exploration samples beyond its depth within its budget, and says so', async () => {
    const report = await run(
      async call => {
        const heard: string[] = [];
        for (let n = 0; n < 5; n++) heard.push((await call.elicit({ message: `Q${n}`, form: confirm })).action);
        return text(heard.join());
      },
      { depth: 1, budget: 40 },
    );
    expect(report.findings).toEqual([]);
    expect(report.asks).toBeGreaterThanOrEqual(5);
    expect(report.notCovered.join()).toMatch(/random paths/);
  });

  it('an exploration allows effects that need no consent by name', async () => {
    const handler: Handler = async call => {
      await call.step('trash', () => 1, { effect: true });
      return text('Done.');
    };
    expect(kinds(await run(handler))).toEqual(['acts-without-consent']);
    expect(kinds(await run(handler, { withoutConsent: ['trash'] }))).toEqual([]);
  });

  it.each([
    ['takes an unfinished page for a yes is caught, in URL mode', true, { form: {}, url: {} }, 1],
    ['waits for the page to be finished has no findings, in URL mode', false, { form: {}, url: {} }, 1],
    ['takes an unfinished page for a yes is caught, where a form shows the link', true, { form: {} }, 2],
    ['waits for the page to be finished has no findings, where a form shows the link', false, { form: {} }, 2],
  ] as const)('a handler that %s', async (_, hasty, elicitation, asks) => {
    const effects: string[] = [];
    const report = await exploreWithPages(
      async call => {
        const answer = await call.elicitUrl({ message: 'Delete it all?', page: confirmPage() });
        const unfinished = answer.action === 'cancel' && answer.reason === 'unfinished';
        if (answer.action !== 'accept' && !(hasty && unfinished)) return text('Kept.');
        await call.step('delete', () => effects.push('deleted'), { effect: true });
        return text('Deleted.');
      },
      { capabilities: { elicitation } },
    );
    expect(
      report.findings.map(({ kind, path }) => [kind, path.at(-1)?.replace(/.* -> /, '')]),
      report.text,
    ).toEqual(hasty ? [['acts-without-consent', 'agree to the page, and leave it unfinished']] : []);
    expect(report, report.text).toMatchObject({ outside: [], asks, notCovered: [] });
    // Those who finish the page had it done.
    expect(effects.length).toBeGreaterThan(0);
  });

  it('an exploration enters on a page what the author says, and reports one that it cannot finish', async () => {
    const handler: Handler = async call => {
      const page = formPage({ title: 'The code', items: { code: { kind: 'text', label: 'Code', maxLength: 4 } } });
      const answer = await call.elicitUrl({ message: 'The code?', page });
      return text(answer.action === 'accept' ? answer.content.code : answer.action);
    };
    const capabilities = { elicitation: { url: {} } };
    const seen: string[] = [];
    const good = await exploreWithPages(
      async (call, effect) => {
        const told = await handler(call, effect);
        seen.push(told.content[0]!.text);
        return told;
      },
      { capabilities, answers: () => ({ code: 'A1' }) },
    );
    expect(good, good.text).toMatchObject({ findings: [], outside: [], notCovered: [linkAlone] });
    expect(seen).toContain('A1');
    const few = { capabilities, budget: 5 };
    const bad = await exploreWithPages(handler, { ...few, answers: () => ({ cod: 'A1', code: 'too long' }) });
    expect(bad.notCovered.join('\n')).toMatch(
      /^the page of "The code\?.*": The page 'The code' did not take what was entered: /m,
    );
    const odd = await exploreWithPages(handler, { ...few, answers: () => ({ cod: 'A1' }) });
    expect(odd.notCovered.join('\n')).toMatch(/^the input 'cod': the page of "The code\?.*" has none$/m);
  });

  it('an exploration lets the time of a page pass that is only a link, where the client cannot be asked', async () => {
    const report = await exploreWithPages(async call => {
      const answer = await call.elicit({ message: 'Delete it all?', form: Boolean });
      if (answer.action !== 'accept' || !answer.content) return text('Kept.');
      await call.step('delete', () => 1, { effect: true });
      return text('Deleted.');
    });
    expect([report.findings, report.outside], report.text).toEqual([[], []]);
    expect(report.notCovered).toEqual([linkAlone]);
  });

  it('an exploration takes sampling through its outcomes', async () => {
    const tool = toolOf(
      async call => {
        try {
          const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }];
          await call.sample({ messages, maxTokens: 10 });
          return text('Replied.');
        } catch (error) {
          return text((error as { code: string }).code);
        }
      },
      () => ({ sampling: { askWhereDeprecated: true } }),
    );
    const report = await explore(tool, {}, { capabilities: { sampling: {} } });
    expect(report).toMatchObject({ findings: [], outside: [] });
    expect(report.paths).toBe(6);
  });
});

describe('a tool that asks approvers', () => {
  // Loaded at the first question of this kind, which may take longer than a run may hang.
  beforeAll(() => import('../../packages/server/src/questions/approvers/put-to-approvers.ts'));

  const asking =
    (pays: (answer: Answer<boolean>) => boolean): Handler =>
    async call => {
      const answer = await call.elicit({ message: 'Pay 10?', form: Boolean, from: approvers('finance', { count: 2 }) });
      if (!pays(answer)) return text('Not paid.');
      await call.step('charge', () => 'paid', { effect: true });
      return text('Paid.');
    };
  const agreed = (answer: Answer<boolean>): boolean => answer.action === 'accept' && answer.content;
  const exploreWith = (handler: Handler, votes?: TestInboxOptions['votes']) => {
    const inbox = () => testInbox({ groups: { finance: ['ada', 'ben'] }, ...(votes && { votes }) });
    return explore(
      toolOf(handler, () => ({ inbox: inbox() })),
      {},
      { hangMs: 400, budget: 60 },
    );
  };
  const yes = { action: 'accept', content: { value: true } } as const;

  it('a tool that asks approvers acts with their consent, and is found out if it acts without', async () => {
    const both = () => [['ada', yes] as const, ['ben', yes] as const];
    expect(kinds(await exploreWith(asking(agreed), both))).toEqual([]);
    const one = () => [['ada', yes] as const, ['ben', { action: 'decline' }] as const];
    expect(kinds(await exploreWith(asking(agreed), one))).toEqual([]);
    expect(
      kinds(
        await exploreWith(
          asking(() => true),
          one,
        ),
      ),
    ).toEqual(['acts-without-consent']);
  });

  it('a tool waits for approvers who do not answer, which the report says', async () => {
    const report = await exploreWith(asking(agreed));
    expect(kinds(report)).toEqual([]);
    expect(report.text).toContain('approvers who have not answered: give testInbox() their votes');
  });
});
