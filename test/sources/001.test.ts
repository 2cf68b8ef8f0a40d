/** The task server's rows of SYSTEMS.md (001-06 to 001-18), in both eras. */
import { readdirSync, readFileSync } from 'node:fs';
import { type Call, midcall } from '@midcall/server';
import { connectPair, eras, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { tasksServer } from '../../examples/tasks/server.ts';
import { samples } from '../../examples/tasks/tasks.ts';
import {
  accept,
  act,
  decline,
  dismiss,
  fails,
  isOpen,
  questions,
  type Stage,
  type StageOptions,
  stage,
} from './stage.ts';

const tasks = { serve: tasksServer, samples };
const prime = { action: 'prime', ask_preferences: true };
const confirmed = { confirm_via_elicitation: true };
const approve = { action: 'approve', ...confirmed };
const remove = { action: 'delete', task_ids: ['T-2', 'T-5'], ...confirmed };
const statuses = async (on: Stage): Promise<Record<string, string>> => {
  const { tasks } = JSON.parse(await on.file('tasks.json')) as { tasks: { id: string; status: string }[] };
  return Object.fromEntries(tasks.map(task => [task.id, task.status]));
};
const untouched = {
  'T-1': 'Done',
  'T-2': 'Review',
  'T-3': 'Review',
  'T-4': 'In Progress',
  'T-5': 'Todo',
  'T-6': 'Review',
};

describe.each(eras)('%s', era => {
  const on = (answers: readonly Scripted[] = [], more: Partial<StageOptions> = {}) =>
    stage(tasks, { era, answers, ...more });
  const unable = { capabilities: {} };

  /** Calls once with a person who never answers, moving time to the deadline and past it. */
  async function unanswered(name: string, args: Record<string, unknown>, ms: number, options = {}) {
    const tooLate = () => {
      time.advance(ms + 1);
      return accept({ proceed: true });
    };
    const late: Scripted = era === '2025-11-25' ? 'never' : tooLate;
    const at = await on([late], { options });
    const time = at.clock;
    const result = at.call(name, args);
    if (era === '2025-11-25') {
      await at.person.whenAsked(1);
      time.advance(ms - 1);
      expect(await isOpen(result)).toBe(true);
      time.advance(1);
    }
    return { at, result: await result };
  }

  it.each([
    ['nothing', {}, false],
    ['an empty elicitation object', { elicitation: {} }, true],
    ['form mode', { elicitation: { form: {} } }, true],
    ['both modes', { elicitation: { form: {}, url: {} } }, true],
    ['URL mode alone', { elicitation: { url: {} } }, false],
  ])(
    '001-06, elicit-10: a handler sees whether it can ask: a client that declares %s',
    async (_name, capabilities, expected) => {
      const mid = midcall({ warn: () => {} });
      const factory = () => {
        const server = new McpServer({ name: 'test', version: '1.0.0' });
        mid.tool(server, 'can', {}, (_, call) => ({ content: [{ type: 'text', text: String(call.can.form) }] }));
        mid.resource(server, 'can', 'can://one', {}, (uri, call) => ({
          contents: [{ uri: uri.href, text: String(call.can.form) }],
        }));
        mid.prompt(server, 'can', {}, (_, call) => ({
          messages: [{ role: 'user', content: { type: 'text', text: String(call.can.form) } }],
        }));
        return server;
      };
      await using pair = await connectPair(factory, { era, capabilities, person: scriptedPerson([]) });
      const texts = [
        (await pair.client.callTool({ name: 'can' })).content[0],
        (await pair.client.readResource({ uri: 'can://one' })).contents[0],
        (await pair.client.getPrompt({ name: 'can' })).messages[0]!.content,
      ];
      expect(texts.map(each => (each as { text: string }).text)).toEqual(Array(3).fill(String(expected)));
      expect(await mid.withoutClient(call => call.can.form)).toBe(false);
    },
  );

  it.each(['a client that cannot be asked', 'the command line'] as const)(
    '001-07: nothing is asked and nobody waits: %s',
    async caller => {
      await using at = await on([], unable);
      const own = tasksServer(at.directory);
      const call = async (name: string, args: Record<string, unknown>) =>
        caller === 'the command line'
          ? (await own.run(name, args)).structuredContent
          : (await at.call(name, args)).data;
      expect(await call('session', prime)).toEqual({
        success: true,
        tasks: expect.anything(),
        hints: expect.anything(),
      });
      expect(await call('session', { ...prime, include_hints: false })).not.toHaveProperty('hints');
      expect(await call('task_workflow', approve)).toMatchObject({ success: false, cancelled: true });
      expect(await call('task_workflow', remove)).toMatchObject({ cancelled: true });
      expect(await call('demonstrate_elicit', {})).toMatchObject({ success: false });
      expect(at.person.asked).toEqual([]);
      expect(at.clock.waiting).toBe(0);
      expect(await statuses(at)).toEqual(untouched);
    },
  );

  it.each([
    ['accept with yes', accept({ confirm: true }), 'acted: true'],
    ['accept with no', accept({ confirm: false }), 'acted: false'],
    ['accept without content', accept(), 'default'],
    ['decline', decline, 'default'],
    ['cancel', dismiss, 'default'],
  ])('001-08: the example handler uses content only of an accept that has it: %s', async (_name, answer, expected) => {
    const { text, asked } = await act({ era, answers: [answer] }, async call => {
      const answer = await call.elicit({
        message: 'Confirm action?',
        form: { type: 'object', properties: { confirm: { type: 'boolean', description: 'Proceed?' } } },
      });
      if (answer.action !== 'accept' || answer.content.confirm === undefined) return 'default';
      return `acted: ${answer.content.confirm}`;
    });
    expect(text).toBe(expected);
    expect(asked[0]!.params).toMatchObject({
      message: 'Confirm action?',
      requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean', description: 'Proceed?' } } },
    });
  });

  describe('001-09: session, prime, ask_preferences', () => {
    it('001-09: session asks with the exact words, and none is required', async () => {
      await using at = await on([accept({})]);
      await at.call('session', prime);
      const [{ message, schema }] = questions(at) as [{ message: string; schema: Record<string, unknown> }];
      expect(message).toBe('Session prime: include task summary and tool hints?');
      expect(schema['properties']).toEqual({
        include_tasks: { type: 'boolean', description: 'Include task summary' },
        include_hints: { type: 'boolean', description: 'Include tool hints' },
      });
      expect(schema['required'] ?? []).toEqual([]);
    });

    it.each([
      ['both no', accept({ include_tasks: false, include_hints: false }), [false, false, 'ok', 'accept']],
      ['tasks only', accept({ include_tasks: true, include_hints: false }), [true, false, 'ok', 'accept']],
      ['nothing filled in', accept({}), [true, true, 'ok', 'accept']],
      ['no content', accept(), [true, true, 'ok', 'accept']],
      ['decline', decline, [true, true, 'declined', 'decline']],
      ['cancel', dismiss, [true, true, 'declined', 'cancel']],
    ])('001-09: session includes what the person chose: %s', async (_name, answer, expected) => {
      await using at = await on([answer]);
      const { data, text } = await at.call('session', prime);
      expect(['tasks' in data, 'hints' in data, data['elicitation'], data['elicitation_action']]).toEqual(expected);
      expect(JSON.parse(text)).toEqual(data);
    });

    it('001-09: session has the defaults after 5 s without an answer, and says timeout', async () => {
      const { at, result } = await unanswered('session', prime, 5_000);
      await using _ = at;
      expect(result.data).toMatchObject({ elicitation: 'timeout', tasks: expect.anything(), hints: expect.anything() });
    });

    it('001-09: the arguments are the defaults', async () => {
      await using at = await on([decline, accept({ include_tasks: true })]);
      const args = { ...prime, include_tasks: false };
      expect((await at.call('session', args)).data).not.toHaveProperty('tasks');
      expect((await at.call('session', args)).data).toHaveProperty('tasks');
    });

    it('001-09: a question that fails gives the defaults, and it says error', async () => {
      await using at = await on([fails]);
      const result =
        era === '2025-11-25'
          ? await at.call('session', prime)
          : await at.callAnswering('session', prime, { action: 'perhaps' });
      expect(result.data).toMatchObject({ elicitation: 'error', tasks: expect.anything(), hints: expect.anything() });
    });

    it('001-09: session says nothing of a question that was not asked', async () => {
      await using blind = await on([], unable);
      await using quiet = await on();
      for (const { data } of [await blind.call('session', prime), await quiet.call('session', { action: 'prime' })]) {
        expect(Object.keys(data)).toEqual(['success', 'tasks', 'hints']);
      }
      expect(quiet.person.asked).toEqual([]);
    });
  });

  const byUserOrUnavailable = (what: string) => `${what} cancelled by user or elicitation unavailable`;
  describe('001-10: task_workflow, confirm_via_elicitation', () => {
    it('001-10: approve asks with the exact words', async () => {
      await using at = await on([decline]);
      await at.call('task_workflow', approve);
      const [{ message, schema }] = questions(at) as [{ message: string; schema: Record<string, unknown> }];
      expect(message).toBe('Proceed with batch approve? You can choose dry run to preview only.');
      expect(schema['properties']).toEqual({
        proceed: { type: 'boolean', description: 'Proceed with batch approve?' },
        dry_run: { type: 'boolean', description: 'Preview only (no updates)' },
      });
      expect(schema['required'] ?? []).toEqual([]);
    });

    it('001-10: delete asks with the exact words', async () => {
      await using at = await on([decline]);
      await at.call('task_workflow', remove);
      const [{ message, schema }] = questions(at) as [{ message: string; schema: Record<string, unknown> }];
      expect(message).toBe('Proceed with deleting the specified task(s)?');
      expect(schema['properties']).toEqual({ proceed: { type: 'boolean', description: 'Proceed with delete?' } });
    });

    const actions = [
      ['approve', approve, 'Batch approve', { success: false }],
      ['delete', remove, 'Delete', {}],
    ] as const;
    const refusals = [
      ['accept with proceed false', accept({ proceed: false }), (what: string) => `${what} cancelled by user`],
      ['accept without proceed', accept({}), (what: string) => `${what} cancelled by user`],
      ['accept without content', accept(), (what: string) => `${what} cancelled by user`],
      ['decline', decline, byUserOrUnavailable],
      ['cancel', dismiss, byUserOrUnavailable],
    ] as const;
    for (const [action, args, what, extra] of actions) {
      it.each(refusals)(`001-10: ${action} changes nothing where the answer is %s`, async (_name, answer, message) => {
        await using at = await on([answer]);
        const { data, isError } = await at.call('task_workflow', args);
        expect(data).toEqual({ ...extra, cancelled: true, message: message(what) });
        expect(isError).toBe(false);
        expect(await statuses(at)).toEqual(untouched);
      });

      it(`001-10, elicit-40: ${action} changes nothing where its question fails`, async () => {
        await using at = await on([fails]);
        const result =
          era === '2025-11-25'
            ? await at.call('task_workflow', args)
            : await at.callAnswering('task_workflow', args, { action: 'perhaps' });
        expect(result.data).toEqual({ ...extra, cancelled: true, message: byUserOrUnavailable(what) });
        expect(await statuses(at)).toEqual(untouched);
      });

      it(`001-10: ${action} changes nothing where nobody answers for 15 s`, async () => {
        const { at, result } = await unanswered('task_workflow', args, 15_000);
        await using _ = at;
        expect(result.data).toEqual({ ...extra, cancelled: true, message: `${what} cancelled: elicitation timed out` });
        expect(await statuses(at)).toEqual(untouched);
      });

      it(`001-10: ${action} asks nobody without the flag; dry_run changes nothing and lists what would be`, async () => {
        await using at = await on();
        const { data } = await at.call('task_workflow', { ...args, dry_run: true });
        expect((data['candidates'] as { id: string }[]).map(each => each.id)).toEqual(
          action === 'approve' ? ['T-2', 'T-3', 'T-6'] : ['T-2', 'T-5'],
        );
        expect(await statuses(at)).toEqual(untouched);
        await at.call('task_workflow', { ...args, confirm_via_elicitation: false });
        expect(await statuses(at)).not.toEqual(untouched);
        expect(at.person.asked).toEqual([]);
      });
    }

    it('001-10: an accepted approval approves the tasks in review', async () => {
      await using at = await on([accept({ proceed: true })]);
      expect((await at.call('task_workflow', approve)).data).toEqual({
        success: true,
        approved: ['T-2', 'T-3', 'T-6'],
      });
      expect(await statuses(at)).toEqual({ ...untouched, 'T-2': 'Todo', 'T-3': 'Todo', 'T-6': 'Todo' });
    });

    it('001-10: an approval accepted with dry run is a preview, and changes nothing', async () => {
      await using at = await on([accept({ proceed: true, dry_run: true }), accept({ dry_run: true })]);
      for (let n = 0; n < 2; n++) {
        const { data } = await at.call('task_workflow', approve);
        expect(data).toMatchObject({
          success: true,
          dry_run: true,
          candidates: [{ id: 'T-2' }, { id: 'T-3' }, { id: 'T-6' }],
        });
      }
      expect(await statuses(at)).toEqual(untouched);
    });

    it('001-10: an accepted deletion removes the named tasks and no other', async () => {
      await using at = await on([accept({ proceed: true })]);
      expect((await at.call('task_workflow', remove)).data).toEqual({ success: true, deleted: ['T-2', 'T-5'] });
      expect(Object.keys(await statuses(at))).toEqual(['T-1', 'T-3', 'T-4', 'T-6']);
    });

    it('001-10: no id, an unknown id and an unknown argument are errors, before anyone is asked', async () => {
      await using at = await on();
      for (const [args, text] of [
        [{ ...confirmed, action: 'delete' }, 'Give task_id or task_ids'],
        [{ ...remove, task_id: 'T-99' }, "There is no task 'T-99'. Nothing was changed."],
        [{ ...approve, task_ids: ['T-99'] }, "There is no task 'T-99'. Nothing was changed."],
        [{ ...remove, dry_rnu: true }, 'dry_rnu'],
        [{ action: 'burn' }, 'action'],
      ] as const) {
        const result = await at.call('task_workflow', args);
        expect(result.isError).toBe(true);
        expect(result.text).toContain(text);
      }
      expect(at.person.asked).toEqual([]);
      expect(await statuses(at)).toEqual(untouched);
    });
  });

  it('001-11: nothing is approved or deleted where it is to be confirmed and nobody can be asked', async () => {
    await using at = await on([], unable);
    expect((await at.call('task_workflow', approve)).data['message']).toBe(byUserOrUnavailable('Batch approve'));
    expect((await at.call('task_workflow', remove)).data['message']).toBe(byUserOrUnavailable('Delete'));
    expect(await statuses(at)).toEqual(untouched);
  });

  it.each([
    ['session', prime, 40, { preferenceTimeoutMs: 40 }],
    ['task_workflow', approve, 70, { confirmTimeoutMs: 70 }],
    ['task_workflow', remove, 70, { confirmTimeoutMs: 70 }],
    ['demonstrate_elicit', {}, 900_000, {}],
  ])('001-12: no wait is endless: %s %j ends after %d ms', async (name, args, ms, options) => {
    if (name === 'demonstrate_elicit') {
      if (era === '2026-07-28') return;
      await using at = await on(['never', 'never', 'never', 'never']);
      const result = at.call(name, args);
      for (let asked = 1; asked <= 4; asked++) {
        await at.person.whenAsked(asked);
        at.clock.advance(ms);
      }
      expect((await result).data).toMatchObject({ results: { number: { action: 'cancel' } } });
      expect(at.clock.waiting).toBe(0);
      return;
    }
    const { at, result } = await unanswered(name, args, ms, options);
    await using _ = at;
    expect(JSON.stringify(result.data)).toMatch(/timeout|timed out/);
    expect(at.clock.waiting).toBe(0);
    const withdrawn = at.pair.frames.filter(frame => frame.message['method'] === 'notifications/cancelled');
    expect(withdrawn.map(frame => frame.from)).toEqual(era === '2025-11-25' ? ['server'] : []);
  });

  it('001-13: a shorthand and a raw form give the same bytes', async () => {
    const answers = [accept({ value: true }), accept({ value: true })];
    const { asked } = await act({ era, answers }, async call => {
      await call.elicit({ message: 'Confirm?', form: Boolean });
      const properties = { value: { type: 'boolean', title: 'Confirm' } } as const;
      await call.elicit({ message: 'Confirm?', form: { type: 'object', properties, required: ['value'] } });
      return '';
    });
    expect(JSON.stringify(asked[0]!.params)).toBe(JSON.stringify(asked[1]!.params));
  });

  it('001-14: a host that shows nothing leads to a timeout, and one with a screen needs no other server', async () => {
    const { at, result } = await unanswered('session', prime, 5_000);
    await using _ = at;
    expect(result.data['elicitation']).toBe('timeout');
    const person = scriptedPerson([accept({ include_hints: false })]);
    const { factory } = tasksServer(at.directory, { warn: () => {} });
    await using seeing = await connectPair(factory, { era, person });
    const { structuredContent } = await seeing.client.callTool({ name: 'session', arguments: prime });
    expect(structuredContent).toMatchObject({ elicitation: 'ok' });
  });

  it('001-15: demonstrate_elicit asks four kinds of question in order, and lists them', async () => {
    const answers = [accept({ value: true }), accept({ value: 'high' }), accept({ value: 'Tidy up' }), decline];
    await using at = await on(answers);
    const { data } = await at.call('demonstrate_elicit');
    expect(data).toEqual({
      success: true,
      patterns_demonstrated: ['confirmation', 'choice', 'text', 'number'],
      results: {
        confirmation: { action: 'accept', answer: true },
        choice: { action: 'accept', answer: 'high' },
        text: { action: 'accept', answer: 'Tidy up' },
        number: { action: 'decline' },
      },
    });
    const kinds = questions(at).map(({ schema }) => (schema as { properties: { value: object } }).properties.value);
    expect(kinds).toMatchObject([
      { type: 'boolean' },
      { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
      { type: 'string' },
      { type: 'integer', minimum: 1, maximum: 10 },
    ]);
    await using blind = await on([], unable);
    expect((await blind.call('demonstrate_elicit')).data).toMatchObject({
      error: expect.stringContaining('not available'),
    });
  });

  it('001-18: a client that knows only URL mode is not sent a form', async () => {
    await using at = await on([], { capabilities: { elicitation: { url: {} } } });
    expect((await at.call('session', prime)).data).not.toHaveProperty('elicitation');
    expect((await at.call('task_workflow', remove)).data['cancelled']).toBe(true);
    expect(at.person.asked).toEqual([]);
  });
});

it('001-16: the tools decide when to ask, and know nothing of how', () => {
  const folder = new URL('../../examples/tasks/', import.meta.url);
  for (const name of readdirSync(folder).filter(each => each.endsWith('.ts'))) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    expect([
      name,
      text.match(/elicitation\/create|elicitInput|sendRequest|getClientCapabilities|inputRe(quest|sponse)/),
    ]).toEqual([name, null]);
    const values = [...text.matchAll(/^import (?!type )(.*?) from '(@modelcontextprotocol[^']*)'/gm)].map(
      each => each[1],
    );
    expect(values.filter(each => !/^\{ (type \w+, )?McpServer \}$/.test(each!))).toEqual([]);
  }
});

it('001-17: the README has the table, and the types make an author look before using', () => {
  const readme = readFileSync(new URL('../../examples/tasks/README.md', import.meta.url), 'utf8');
  expect(readme).toMatch(/\| Feature +\| Direction +\| In a handler +\|/);
  expect(readme).toMatch(/\| Roots .*\| .*`call\.roots\(\)`/);
  expect(readme).toMatch(/\| Elicitation .*\| .*`call\.elicit/);
  const never = async (call: Call) => {
    // @ts-expect-error the list may be missing
    (await call.roots()).length;
    // @ts-expect-error there is content only where the person accepted
    (await call.elicit({ message: 'Go on?', form: Boolean })).content;
  };
  expect(never).toBeTypeOf('function');
});
