/** The designer: every decision, the forms it proposes, and the skill that says the same in words. */
import { readFileSync } from 'node:fs';
import { form } from '@midcall/core/form';
import type { Tool } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  decisions,
  designText,
  designWords,
  proposalCode,
  propose,
  toolFacts,
} from '../../packages/midcall/src/design/index.ts';

const tool = (
  name: string,
  properties: Record<string, unknown> = {},
  more: Partial<Tool> & { required?: string[] } = {},
): Tool => {
  const { required = Object.keys(properties), ...rest } = more;
  return { name, inputSchema: { type: 'object', properties, required }, ...rest } as Tool;
};
const text = { type: 'string' };
const proposed = (each: Tool) => propose(toolFacts(each));

const cases: readonly (readonly [string, Tool])[] = [
  ['secret', tool('connect_shop', { api_key: text })],
  ['sign-in', tool('github_login')],
  ['sign-in', tool('calendar_sync', {}, { description: 'Connects your calendar.' })],
  ['first-run', tool('notes_setup')],
  ['read-only', tool('notes_search', { query: text })],
  ['read-only', tool('drop_hints', { title: text }, { annotations: { readOnlyHint: true } })],
  ['widget', tool('update_invoice', { lines: { type: 'array', items: { type: 'object' } } })],
  ['widget', tool('choose_theme', {}, { description: 'Shows a preview of each theme.' })],
  ['pick', tool('delete_record', { title: text })],
  ['undoable', tool('delete_record', { id: text }, { description: 'Moves a record to the trash.' })],
  ['confirm', tool('drop-database', { database: text })],
  ['confirm', tool('sweep', { room: text }, { annotations: { destructiveHint: true } })],
  ['argument', tool('create_note', { body: text })],
];

describe('propose', () => {
  it.each(cases)('004-02: the designer takes the decision %s', (kind, each) => {
    expect(proposed(each).kind).toBe(kind);
  });

  it('the cases cover every decision', () => {
    expect(new Set(cases.map(([kind]) => kind))).toEqual(new Set(decisions.map(({ kind }) => kind)));
  });

  it.each(cases)(
    'the designer proposes for %s only forms that can be sent, and code exactly where it asks',
    (_, each) => {
      const facts = toolFacts(each);
      const proposal = propose(facts);
      expect(proposal.asks.length > 0).toBe(proposal.ask);
      for (const ask of proposal.asks) {
        expect(ask.mode === 'form').toBe(ask.form !== undefined);
        if (ask.form) expect(form(ask.form).schema).toEqual(ask.wire);
      }
      expect(proposalCode(proposal, facts) !== undefined).toBe(proposal.ask);
      expect(proposal.reasons.length).toBeGreaterThan(0);
    },
  );

  it.each<[string, Partial<Tool>, Record<string, unknown>?]>([
    ['nested data', {}, { lines: { type: 'array', items: { type: 'object' } } }],
    ['a long list to look through', { description: 'Lets the person browse all photos.' }],
    ['something to be seen before it is chosen', { description: 'Shows a preview of each theme.' }],
    ['progress that is watched', { description: 'Shows the live progress of the import.' }],
    ['a layout of its own', { description: 'Draws a chart to pick points from.' }],
  ])('004-02: the designer goes beyond a form for %s', (_, more, properties = {}) => {
    expect(proposed(tool('choose_next', properties, more))).toMatchObject({ kind: 'widget', ask: false });
  });

  const values = (count: number) => Array.from({ length: count }, (_, n) => `v${n}`);
  const titled = (count: number) => values(count).map(each => ({ const: each, title: each }));
  it.each<[string, Record<string, unknown>, Record<string, unknown>?]>([
    ['values', { type: 'string', enum: values(120) }],
    ['titled values', { type: 'string', oneOf: titled(120) }],
    ['values to tick', { type: 'array', items: { type: 'string', enum: values(120) } }],
    ['titled values to tick', { type: 'array', items: { anyOf: titled(120) } }],
    ['values or nothing', { anyOf: [{ type: 'string', enum: values(120) }, { type: 'null' }] }],
    ['values defined apart', { $ref: '#/$defs/City' }, { City: { enum: values(120) } }],
  ])('004-02: the designer gives the advice for a long list where an argument has 120 %s', (_, city, $defs) => {
    const each = tool('set_home', { city });
    const { kind, ask, advice, reasons } = proposed({
      ...each,
      inputSchema: { ...each.inputSchema, ...($defs && { $defs }) },
    });
    expect({ kind, ask }).toEqual({ kind: 'widget', ask: false });
    expect(advice).toContain('From a long list, let the person search');
    expect(reasons[0]!.text).toBe("The argument 'city' lists 120 values.");
  });

  it('004-02: the designer takes 100 values for a long list, and 99 for none', () => {
    const kindOf = (count: number) =>
      proposed(tool('set_home', { city: { type: 'string', enum: values(count) } })).kind;
    expect([kindOf(99), kindOf(100)]).toEqual(['argument', 'widget']);
  });

  it.each([
    'Lets one of thousands be picked.',
    'Lets the person pick one of thousands of products.',
    'Picks a font. The person chooses it from hundreds of them.',
    'Selects a city among 4,000 towns.',
    'The user can select from over 250 templates.',
    'Choose one of 1200 icons for the page.',
    'Puts up a searchable list of customers.',
    'Lets the person browse all photos.',
    'Shows a scrollable list.',
  ])('004-02: the designer gives the advice for a long list where the description says so: %s', description => {
    const { kind, ask, advice } = proposed(tool('set_item', { id: text }, { description }));
    expect({ kind, ask }).toEqual({ kind: 'widget', ask: false });
    expect(advice).toContain('From a long list, let the person search');
  });

  it.each([
    'Lets the person pick one of three sizes.',
    'Picks a note, and waits 300 seconds for it.',
    'Picks a name of at most 200 characters.',
    'Chooses one of the plans that have been sold since 2019.',
    'Handles thousands of notes. Lets the person pick a colour.',
    'Selects version 2.100.',
    'Picks the plan for $500.',
    'Stores one of the notes; there may be a dozen.',
  ])('004-02: the designer sees no long list in: %s', description => {
    expect(proposed(tool('set_item', { id: text }, { description })).kind).toBe('argument');
  });

  it('a widget of a tool that acts asks for the yes as well', () => {
    const said = (description: string) =>
      proposed(tool('delete_record', { record: { type: 'string', enum: values(120) } }, { description })).reasons.map(
        ({ text: words }) => words,
      );
    expect(said('Deletes a record.')).toContain(
      "'delete' cannot simply be taken back, so the page or widget asks for a yes to it as well.",
    );
    expect(said('Moves a record to the trash.')).toEqual(["The argument 'record' lists 120 values."]);
  });

  it('the designer is not misled by a schema that refers to itself, or by a description without end', () => {
    const each = tool('set_home', { city: { $ref: '#/$defs/City' } }, { description: 'pick one of '.repeat(200_000) });
    const $defs = { City: { anyOf: [{ $ref: '#/$defs/City' }, { $ref: '#/$defs/__proto__' }] } };
    expect(proposed({ ...each, inputSchema: { ...each.inputSchema, $defs } as never }).kind).toBe('argument');
  });

  it.each([
    ['a yes or no', 'confirm', tool('drop-database', { database: text })],
    ['one of several', 'pick', tool('delete_record', { title: text })],
    ['a short form', 'first-run', tool('notes_setup')],
  ])('004-02: %s is asked without a widget', (_, kind, each) => {
    expect(proposed(each)).toMatchObject({ kind, ask: true });
  });

  it('the designer asks with one match too, unless that can be undone', () => {
    const whens = (description: string) =>
      proposed(tool('delete_note', { title: text }, { description })).asks.map(({ when }) => when);
    expect(whens('Deletes a note.')).toEqual(['one note matches', 'several notes match']);
    expect(whens('Moves a note to the trash.')).toEqual(['several notes match']);
  });

  it('the designer asks out of band for money', () => {
    expect(proposed(tool('pay_invoice', { id: text }))).toMatchObject({ assurance: 'out-of-band', timeoutMs: 300_000 });
  });

  it('the designer says what a tool without annotations and description does not tell', () => {
    const { uncertain } = proposed(tool('zap', { id: text }));
    expect(uncertain.map(each => each.split(':')[0])).toEqual([
      'Whether it only reads',
      'Whether it destroys',
      'What it does',
    ]);
  });

  it('the designer takes no argument of a secret into its code', () => {
    const facts = toolFacts(tool('connect_shop', { api_key: text, shop: text }));
    const code = proposalCode(propose(facts), facts)!;
    expect(code).toContain('shop: z.string()');
    expect(code).not.toContain('api_key');
  });

  it('the designer writes hostile names and descriptions as text, in code and in the terminal', () => {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: what a hostile server would send
    const name = 'delete_`${process.exit()}\u202E\u001b[2J';
    const facts = toolFacts(tool(name, { "ti'tle`": text, title: text }, { description: "'); evil(); ('\n*/ `${x}`" }));
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: what a hostile server would send
    const proposal = propose(facts);
    const code = proposalCode(proposal, facts)!;
    expect(code).not.toMatch(/\u202E|\u001b|^.*[^'\\]'\); evil/m);
    expect(designText(proposal, true).join('\n')).not.toMatch(/\u202E|\u001b/);
  });
});

describe('the skill', () => {
  const page = readFileSync(
    new URL('../../packages/midcall/skills/elicitation-form-designer/SKILL.md', import.meta.url),
    'utf8',
  );
  const rows = (heading: string): string[][] =>
    page
      .split(heading)[1]!
      .split('\n\n')[0]!
      .split('\n')
      .slice(2)
      .map(line =>
        line
          .split('|')
          .slice(1, -1)
          .map(cell => cell.trim()),
      );
  const schema = (which: string) =>
    JSON.parse(new RegExp(`<!-- form: ${which} -->\\s+\`\`\`json\\n([\\s\\S]*?)\`\`\``).exec(page)![1]!);

  it('000-17: the skill is a skill: a name like its folder, and a description', () => {
    const front = parse(/^---\n([\s\S]*?)\n---/.exec(page)![1]!);
    expect(front.name).toBe('elicitation-form-designer');
    expect(front.description.length).toBeLessThan(1_024);
    for (const part of ['**Purpose.**', '**Input.**', '## Output']) expect(page).toContain(part);
  });

  it('000-17: the skill takes the same decisions in the same order', () => {
    const said = rows('first row that fits is the kind.\n\n').map(([, kind, when, advice, source]) => [
      kind,
      when,
      advice,
      source,
    ]);
    expect(said).toEqual(decisions.map(each => [each.kind, each.when, each.advice, each.source]));
  });

  it('the skill looks for the same words', () => {
    const said = rows('upper or lower case:\n\n').map(([, words]) => words!.split(', '));
    expect(said).toEqual(Object.values(designWords).map(list => (typeof list === 'string' ? list.split(' ') : list)));
  });

  it('000-17: the skill gives the same forms and messages', () => {
    const asks = proposed(tool('delete_note', { title: text }, { description: 'Moves the note to the attic.' })).asks;
    const fill = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value)
          .replaceAll('<noun>', 'note')
          .replaceAll('<Noun>', 'Note')
          .replaceAll('<what yes does>', 'Move it to the attic'),
      );
    const bare = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value).replace(/"oneOf":\[.*?\]/, '"oneOf":[]'));
    expect(asks.map(ask => bare(ask.form))).toEqual([fill(schema('one')), bare(fill(schema('many')))]);
    const final = ' This cannot be undone.';
    expect(page).toContain('`<Verb> {label}?`');
    expect(page).toContain("`<Verb> '{argument}'? Multiple <nouns> match; pick one.`");
    expect(page).toContain(`\`${final}\``);
    expect(asks.map(ask => ask.message)).toEqual([
      `Delete {label}?${final}`,
      `Delete '{title}'? Multiple notes match; pick one.${final}`,
    ]);
  });
});

describe('the verb and the noun of a name', () => {
  it.each<[string, string, string, string]>([
    ['ban_user', 'ban', 'user', 'banned'],
    ['user_ban', 'ban', 'user', 'banned'],
    ['order_cancel', 'cancel', 'order', 'cancelled'],
    ['cancelOrder', 'cancel', 'order', 'cancelled'],
    ['post_delete', 'delete', 'post', 'deleted'],
    ['delete-posts', 'delete', 'post', 'deleted'],
    ['create_post', 'create', 'post', 'created'],
    ['post_message', 'post', 'message', 'posted'],
    ['book_table', 'book', 'table', 'booked'],
    ['run_stop', 'stop', 'run', 'stopped'],
    ['settings_update', 'update', 'setting', 'updated'],
    ['copy_file', 'copy', 'file', 'copied'],
    ['issue_reopen', 'reopen', 'issue', 'reopened'],
    ['subscription_refund', 'refund', 'subscription', 'refunded'],
    ['deny_request', 'deny', 'request', 'denied'],
    ['unpin_comment', 'unpin', 'comment', 'unpinned'],
    ['pull_request_create', 'create', 'request', 'created'],
    ['pull_image', 'pull', 'image', 'pulled'],
    ['print_label', 'print', 'label', 'printed'],
    ['place_order', 'place', 'order', 'placed'],
    ['backup_database', 'backup', 'database', 'backed up'],
    ['rollback_release', 'rollback', 'release', 'rolled back'],
    ['git_commit', 'commit', 'git', 'committed'],
    ['format_disk', 'format', 'disk', 'formatted'],
    ['render_page', 'render', 'page', 'rendered'],
    ['light_on', 'change', 'light', 'changed'],
    ['branch_merge', 'merge', 'branch', 'merged'],
    ['quarterly_report', 'report', 'quarterly', 'reported'],
    ['frobnicate_widget', 'change', 'widget', 'changed'],
    ['user', 'change', 'user', 'changed'],
  ])('the name %s has the verb %s and the noun %s', (name, verb, noun, done) => {
    const facts = toolFacts(tool(name, {}, { annotations: { destructiveHint: true } }));
    expect(facts).toMatchObject({ verb, noun });
    const code = proposalCode(propose(facts), facts);
    if (code?.includes('Nothing was')) expect(code).toContain(`Nothing was ${done}`);
  });
});
