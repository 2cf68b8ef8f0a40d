/** The linter before a server written by hand: every rule has a tool that breaks it and one that does not. */
import type { Era } from '@midcall/host';
import { eras } from '@midcall/testing';
import type { Transport } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import {
  type LintOptions,
  type LintRuleId,
  lint,
  lintRuleIds,
  lintText,
} from '../../packages/midcall/src/design/index.ts';
import { type HandTool, handServer, idleClock } from './hand-server.ts';
import { cleanTool, ruleCases } from './rule-cases.ts';

const linted = (tool: HandTool, options: LintOptions = {}) =>
  lint(() => handServer({ tool }), { select: { which: 'all' }, clock: idleClock, ...options });

/** The statements a rule reports breaches of; a case names them in its title. */
const statements: Partial<Record<LintRuleId, string>> = {
  'enum-names': 'elicit-form-33: ',
  'link-in-form': 'elicit-form-31: ',
  'many-choices': '004-02: ',
  'nested-schema': '004-02: ',
  'secret-in-form': 'elicit-form-28: ',
  'undeclared-request': 'elicit-13: ',
};
const cases = lintRuleIds.flatMap(rule =>
  ruleCases[rule].map((each, index) => ({
    title: `${statements[rule] ?? ''}${rule}, case ${index + 1},`,
    rule,
    ...each,
  })),
);

describe.each(eras)('%s', era => {
  it.each(cases.filter(each => each.era === undefined || each.era === era).map(each => [each.title, each] as const))(
    '%s is found where it is broken, and only there',
    async (_, each) => {
      const { findings } = await linted(each.broken, { eras: each.both ? eras : [era] });
      expect(findings.map(found => found.rule)).toContain(each.rule);
      const clean = await linted(each.clean ?? cleanTool, { eras: [era] });
      expect(clean.findings.filter(found => found.severity !== 'note')).toEqual([]);
      expect(clean.findings.map(found => found.rule)).not.toContain(each.rule);
    },
  );
});

it('the linter finds nothing in a tool that takes every answer for what it is, in both eras', async () => {
  const report = await linted(cleanTool);
  expect(report).toMatchObject({ eras, findings: [], notes: [], notCalled: [] });
  expect(report.tools).toEqual(new Map([['tool', 1]]));
});

it('the linter takes a tool that asks until an answer pleases it for one that checks, and says it could not compare', async () => {
  const params = (why: string) => ({
    message: `Which room?${why}`,
    requestedSchema: { type: 'object', properties: { room: { type: 'string', title: 'Room' } }, required: ['room'] },
  });
  const picky: HandTool = {
    async run(hand) {
      if (!hand.can.form) return 'Not booked: nobody can be asked.';
      let why = '';
      for (let times = 0; times < 3; times++) {
        const { action, content } = await hand.ask(params(why));
        if (action !== 'accept') return `Not booked: ${action}.`;
        if (content?.['room'] === 'the one with the view') return 'Booked.';
        why = ' That one is taken.';
      }
      return 'Not booked: no answer fitted.';
    },
  };
  const { findings } = await linted(picky);
  expect(findings.map(({ rule }) => rule)).not.toContain('unchecked-answer');
});

it('the linter says of a tool that fails without a language model that no arguments help', async () => {
  const inputSchema = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] };
  const failing = (why: string): HandTool => ({ inputSchema, run: () => Promise.reject(new Error(why)) });
  const { notes } = await linted(failing('This needs a language model: the client has none.'));
  expect(notes).toEqual([
    'tool: it needs a language model, which lint does not have, so it could not be judged: "Error: This needs a language model: the client has none.".',
  ]);
  expect((await linted(failing('There is no such place.'))).notes[0]).toContain('Give real arguments with --args.');
});

it('the linter counts what both eras show once, and names them', async () => {
  const { findings } = await linted(ruleCases['decline-accepted'][0]!.broken);
  expect(findings.filter(({ rule }) => rule === 'decline-accepted')).toMatchObject([
    { eras, certainty: 'suspected', severity: 'error', play: 'decline' },
  ]);
});

it('the linter calls a deed told in other words possible, and no more than a warning', async () => {
  const tool: HandTool = {
    async run(hand) {
      if (!hand.can.form) return 'Not done.';
      const { action } = await hand.ask({ message: 'Delete?', requestedSchema: { type: 'object', properties: {} } });
      return action === 'accept' ? 'The three old notes are in the bin.' : 'Deleted everything.';
    },
  };
  const { findings } = await linted(tool, { eras: ['2025-11-25'] });
  const found = findings.find(({ rule }) => rule === 'decline-accepted');
  expect(found).toMatchObject({ certainty: 'possible', severity: 'warning' });
});

it('the linter counts rounds that ask nothing per call: many tools that poll once are no call without end', async () => {
  const polling: HandTool = {
    ...cleanTool,
    async run(hand) {
      await hand.poll();
      return cleanTool.run(hand);
    },
  };
  const tools = Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`tool${at}`, polling]));
  const report = await lint(() => handServer(tools), {
    select: { which: 'all' },
    clock: idleClock,
    eras: ['2026-07-28'],
  });
  expect(report).toMatchObject({ findings: [], notes: [] });
  expect([...report.tools.values()]).toEqual(Array(14).fill(1));
});

it('the linter refuses before it accepts, in every era', async () => {
  const said: string[] = [];
  await linted(cleanTool, { onProgress: line => said.push(line) });
  const accepts = said.findIndex(line => line.includes('bare'));
  const refusals = said.map(line => line.split(' ')[1]);
  expect(refusals.slice(0, 4)).toEqual(['decline', 'dismiss', 'no-capability', 'unconfirmed']);
  expect(refusals.slice(4, 8)).toEqual(refusals.slice(0, 4));
  expect(accepts).toBeGreaterThan(7);
});

it('the linter refuses each question of a call by itself', async () => {
  const tool: HandTool = {
    async run(hand) {
      if (!hand.can.form) return 'Not done.';
      const ask = (message: string) =>
        hand.ask({ mode: 'form', message, requestedSchema: { type: 'object', properties: {} } });
      if ((await ask('First?')).action !== 'accept') return 'Not done.';
      await ask('Second?');
      return 'Sent the letter.';
    },
  };
  const { findings } = await linted(tool);
  expect(findings.map(({ rule }) => rule)).toEqual(['decline-accepted', 'dismiss-accepted']);
});

it('the linter calls only what declares itself read-only, where it is told nothing else', async () => {
  const called: string[] = [];
  const tool = (name: string, annotations?: Record<string, unknown>): HandTool => ({
    ...(annotations && { annotations }),
    run: async () => {
      called.push(name);
      return 'ok';
    },
  });
  const open = () =>
    handServer({ look: tool('look', { readOnlyHint: true }), write: tool('write'), wipe: tool('wipe') }, [
      '2025-11-25',
    ]);
  const report = await lint(open, { clock: idleClock });
  expect(called).toEqual(['look']);
  expect(report).toMatchObject({ eras: ['2025-11-25'], notCalled: ['write', 'wipe'] });

  expect(lintText(report).join('\n')).toContain('Not called, since they do not declare readOnlyHint: write, wipe.');

  const named = { which: 'named', tools: new Map([['wipe', undefined]]) } as const;
  const one = await lint(open, { clock: idleClock, select: named });
  expect(called).toEqual(['look', 'wipe']);
  expect(lintText(one).join('\n')).toContain('Not called, since --tool does not name them: look, write.');
});

it('the linter says which era it could not reach, and that nothing was judged there', async () => {
  for (const [spoken, other] of [eras, eras.toReversed()] as [Era, Era][]) {
    const open = () => handServer({ tool: cleanTool }, [spoken]);
    const report = await lint(open, { select: { which: 'all' }, clock: idleClock });
    expect(report).toMatchObject({ eras: [spoken], findings: [] });
    expect(report.notes).toEqual([
      other === '2025-11-25'
        ? 'The server did not accept 2025-11-25: “Method not found”. Nothing was judged there.'
        : 'The server did not accept 2026-07-28: it does not offer that revision. Nothing was judged there.',
    ]);
    const alone = await lint(open, { select: { which: 'all' }, clock: idleClock, eras: [spoken] });
    expect(alone.notes).toEqual([]);
  }
});

it('the linter says why a server is not reached at all with what it answered to either revision', async () => {
  const answering = (answer: (transport: Transport, id: unknown) => void) => () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    far.onmessage = message => answer(far, (message as { id?: unknown }).id);
    void far.start();
    return near;
  };
  const refusing = answering(
    (far, id) => void far.send({ jsonrpc: '2.0', id, error: { code: -32000, message: 'No licence.' } } as never),
  );
  await expect(lint(refusing, { clock: idleClock })).rejects.toMatchObject({
    message: 'The server did not accept 2025-11-25: “No licence.”.',
  });
  const after = (_ms: number, fn: () => void) => {
    queueMicrotask(fn);
    return () => {};
  };
  await expect(
    lint(
      answering(() => {}),
      { clock: { now: () => 0, after } },
    ),
  ).rejects.toMatchObject({
    message: 'The server could not be reached on 2025-11-25: it did not answer in time.',
  });
});

it('the linter refuses the name of a tool that does not exist', async () => {
  const select = { which: 'named', tools: new Map([['nope', {}]]) } as const;
  await expect(linted(cleanTool, { select })).rejects.toMatchObject({ code: 'cli/usage' });
});

it('the linter says where a tool failed before it could ask, and where accepting did not succeed', async () => {
  const failing: HandTool = {
    inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    run: () => Promise.reject(new Error('No such id.')),
  };
  expect((await linted(failing)).notes.join()).toContain('Give real arguments with --args');
  const refusing: HandTool = {
    async run(hand) {
      await hand.ask({ mode: 'form', message: 'Which?', requestedSchema: { type: 'object', properties: {} } });
      throw new Error('No such thing.');
    },
  };
  expect((await linted(refusing)).notes.join()).toContain('could not be compared');
});

it('the linter takes a page nobody finishes for what it is', async () => {
  const tool: HandTool = {
    async run(hand) {
      if (!hand.can.url) return 'Not connected.';
      const url = { mode: 'url', message: 'Sign in', url: 'https://shop.example.com/c/1' };
      const { action } = await hand.ask({ ...url, ...(hand.era === '2025-11-25' && { elicitationId: '1' }) });
      return action === 'accept' ? new Promise(() => {}) : 'Not connected.';
    },
  };
  const report = await linted(tool);
  expect(report.findings).toEqual([]);
  expect(report.notes.join()).toContain('nobody finishes the page');
});

it('the linter shows hidden characters of a server, and never obeys them', async () => {
  const tool: HandTool = {
    async run(hand) {
      await hand.ask({
        mode: 'form',
        message: 'Which?',
        requestedSchema: { type: 'object', properties: { '\u202Ex\u001b[2J': {} } },
      });
      return 'Done.';
    },
  };
  const { findings } = await linted(tool);
  expect(JSON.stringify(findings.map(each => each.message))).not.toMatch(/\u202E|\\u001b/);
});

describe('a client that declares no elicitation', () => {
  const confirm = {
    message: 'Delete it?',
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Delete it', description: 'For good.' } },
      required: ['confirm'],
    },
  };

  it.each(eras)(
    'a client that declares no elicitation is not said to be let through where it was asked all the same and nobody accepted: %s',
    async era => {
      const asks: HandTool = {
        async run(hand) {
          const { action, content } = await hand.ask(confirm);
          return action === 'accept' && content?.['confirm'] === true ? 'Deleted it.' : 'Nothing was deleted.';
        },
      };
      const found = (await linted(asks, { eras: [era] })).findings.map(({ rule }) => rule);
      expect(found).toContain('undeclared-request');
      expect(found).not.toContain('fails-open');
    },
  );
});
