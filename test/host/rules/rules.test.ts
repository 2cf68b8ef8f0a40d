import { type Rule, Rules } from '@midcall/host';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const base = { server: 'mail', tools: ['send'], effect: 'allow' } as const;
const sent = (where: object): readonly Rule[] => [{ ...base, where } as Rule];
const call = (args: object, more: object = {}) =>
  ({ server: 'mail', tool: 'send', arguments: args as Record<string, unknown>, annotations: {}, ...more }) as const;
const effectOf = (rules: readonly Rule[], args: object, more?: object) =>
  new Rules({ rules }).judge(call(args, more)).effect;

describe('the first rule that is about a call', () => {
  const rules: readonly Rule[] = [
    { server: 'mail', tools: ['send_draft', 'list*'], effect: 'allow' },
    { server: 'mail', tools: ['*_all'], effect: 'refuse' },
    { server: '*', tools: ['a*b*c'], effect: 'ask' },
    { server: 'notes', tools: ['*delete*'], effect: 'refuse' },
    { server: 'files', tools: '*', effect: 'allow' },
  ];
  it.each([
    ['mail', 'send_draft', 'allow'],
    ['mail', 'list', 'allow'],
    ['mail', 'list_all', 'allow'],
    ['mail', 'delete_all', 'refuse'],
    ['mail', 'relist', 'ask'],
    ['mail', 'LIST', 'ask'],
    ['files', 'axbxc', 'ask'],
    ['files', 'abc', 'ask'],
    ['files', 'acb', 'allow'],
    ['files', 'delete_all', 'allow'],
    ['notes', 'delete_note', 'refuse'],
    ['notes', 'undelete', 'refuse'],
    ['notes', 'edit', 'ask'],
  ])('the first rule that is about a call of %s decides: %s is %s', (server, tool, effect) => {
    expect(effectOf(rules, {}, { server, tool })).toBe(effect);
  });

  it('the rule that decides is named by its number in the list', () => {
    expect(new Rules({ rules }).judge(call({}, { tool: 'delete_all' })).why).toBe('rule 2 says refuse');
  });

  it('a call that no rule is about is asked about if a rule names its server, and passes if none does', () => {
    const named: readonly Rule[] = [{ server: 'mail', tools: ['list'], effect: 'allow' }];
    expect(effectOf(named, {}, { tool: 'other' })).toBe('ask');
    expect(effectOf(named, {}, { server: 'files', tool: 'other' })).toBe('allow');
  });

  it('a call is judged within steps, whatever pattern and arguments are, and not allowed if it could not be judged', () => {
    const where = { properties: { to: { type: 'string', pattern: '^(([a-z]|[a-y])*)*$' } } };
    const [fits, fails] = ['', '!'].map(end => ({ to: `${'a'.repeat(200_000)}${end}` })) as [object, object];
    const many = Array.from({ length: 500 }, () => sent(where)[0]!);
    expect(new Rules({ rules: many }).judge(call(fits)).effect).toBe('ask');
    expect(effectOf([{ ...base, effect: 'refuse', where }], fails)).toBe('refuse');
  });
});

it.each<readonly [string, Rule, readonly [mail: boolean, files: boolean]]>([
  ['names tools', { server: 'mail', tools: ['send'], effect: 'ask' }, [false, false]],
  ['is about all tools', { server: 'mail', tools: '*', effect: 'ask' }, [false, false]],
  ['is about annotations', { server: 'mail', tools: { annotated: 'read-only' }, effect: 'allow' }, [true, false]],
  ['is about those of every server', { server: '*', tools: { annotated: 'read-only' }, effect: 'ask' }, [true, true]],
])(
  'what a server says of its tools has to be known for a rule about it that is about annotations: %s',
  (_, rule, needs) => {
    const rules = new Rules({ rules: [rule] });
    expect(['mail', 'files'].map(server => rules.readsAnnotations(server))).toEqual(needs);
  },
);

describe('a rule that asks others', () => {
  const others: Rule = { server: 'mail', tools: '*', effect: 'ask', from: 'finance', count: 2, not: 'requester' };

  it('a rule that asks others asks in a host that has inboxes', () => {
    expect(new Rules({ rules: [others], approvers: true }).judge(call({}))).toMatchObject({
      effect: 'ask',
      rule: others,
    });
  });

  it('a rule that asks others refuses its calls in a host without inboxes, if it came after the start', () => {
    let list: readonly Rule[] = [];
    const rules = new Rules({ rules: () => list });
    list = [others];
    const { effect, why } = rules.judge(call({}));
    expect([effect, why]).toEqual(['refuse', expect.stringContaining('asks people in their inboxes')]);
  });
});

describe('a rule that allows', () => {
  const closed = { properties: { to: { type: 'string' }, copies: { type: 'integer', maximum: 2 } }, required: ['to'] };
  it.each([
    [{ to: 'ada' }, 'allow'],
    [{ to: 'ada', copies: 2 }, 'allow'],
    [{ to: 'ada', bcc: 'eve' }, 'ask'],
    [{ to: ['ada'] }, 'ask'],
    [{ to: 'ada', copies: '2' }, 'ask'],
    [{ to: 'ada', copies: 3 }, 'ask'],
    [{ to: 'ada', __proto__: null, constructor: 1 }, 'ask'],
    [{}, 'ask'],
  ])('a rule that allows does so only for arguments that it names, of the type it names: %j', (args, effect) => {
    expect(effectOf(sent(closed), args)).toBe(effect);
  });

  it('a rule that allows is closed at every depth', () => {
    const where = {
      properties: {
        mail: { type: 'object', properties: { to: { type: 'string' } } },
        lines: { type: 'array', items: { type: 'object', properties: { n: { const: 1 } } } },
      },
    };
    expect(effectOf(sent(where), { mail: { to: 'ada' }, lines: [{ n: 1 }] })).toBe('allow');
    expect(effectOf(sent(where), { mail: { to: 'ada', bcc: 'eve' } })).toBe('ask');
    expect(effectOf(sent(where), { lines: [{ n: 1, m: 2 }] })).toBe('ask');
  });

  it('a rule that allows trusts annotations only of the server that it names', () => {
    const trusting: readonly Rule[] = [{ server: 'mail', tools: { annotated: 'read-only' }, effect: 'allow' }];
    const safe: readonly Rule[] = [{ server: 'mail', tools: { annotated: 'not-destructive' }, effect: 'allow' }];
    expect(effectOf(trusting, {}, { annotations: { readOnlyHint: true } })).toBe('allow');
    expect(effectOf(trusting, {}, { annotations: { readOnlyHint: 'true' } })).toBe('ask');
    expect(effectOf(trusting, {}, { annotations: { destructiveHint: false } })).toBe('ask');
    expect(effectOf(safe, {}, { annotations: { destructiveHint: false } })).toBe('allow');
    expect(effectOf(safe, {}, { annotations: {} })).toBe('ask');
    expect(effectOf(safe, {}, { annotations: undefined })).toBe('ask');
  });
});

it('a rule that names some arguments never allows a call with others, whatever these are', () => {
  const rules = sent({ properties: { to: { type: 'string' } } });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), args => {
      const fits = Object.entries(args).every(([name, value]) => name === 'to' && typeof value === 'string');
      expect(effectOf(rules, args)).toBe(fits ? 'allow' : 'ask');
    }),
  );
});

it.each([
  ['a text', ['x'], 'Rule 1 must be an object; got "x"'],
  ['no server', [{ tools: '*', effect: 'ask' }], 'Rule 1 has no "server"'],
  ['no effect', [base, { server: 'a', tools: '*' }], 'Rule 2 has no "effect"'],
  ['another effect', [{ ...base, effect: 'deny' }], '"effect" must be "allow", "ask" or "refuse"; got "deny"'],
  ['no tool', [{ ...base, tools: [] }], '"tools" must be'],
  ['another annotation', [{ ...base, tools: { annotated: 'safe' } }], '"tools" must be'],
  ['more than an annotation', [{ ...base, tools: { annotated: 'read-only', not: ['x'] } }], '"tools" must be'],
  ['nothing as tools', [{ ...base, tools: null }], '"tools" must be'],
  [
    'annotations of every server',
    [{ ...base, server: '*', tools: { annotated: 'read-only' } }],
    'must name its server',
  ],
  ['a typo', [{ ...base, were: {} }], 'Did you mean "where"?'],
  [
    'approvers in a host without inboxes',
    [{ ...base, effect: 'ask', from: 'finance' }],
    'Rule 1 asks people in their inboxes',
  ],
  [
    'a passkey in a host without inboxes',
    [{ ...base, effect: 'ask', assurance: 'present' }],
    'only a bridge with --inbox',
  ],
  ['approvers who allow', [{ ...base, from: 'finance' }], 'only a rule whose effect is "ask" can have "from"'],
  ['a count of nobody', [{ ...base, effect: 'ask', count: 2 }], 'only a rule that has "from" can have "count"'],
  ['a count of none', [{ ...base, effect: 'ask', from: 'finance', count: 0 }], 'whole number from 1 to 100; got 0'],
  [
    'approvers in the host',
    [{ ...base, effect: 'ask', from: 'finance', assurance: 'in-band' }],
    'never answer "in-band"',
  ],
  ['a grant of approvers', [{ ...base, effect: 'ask', from: 'finance', grant: 'tool' }], 'is for one call'],
  ['another width of grants', [{ ...base, effect: 'ask', grant: 'all' }], '"grant" must be "none", "exact", "fields"'],
  ['a grant for longer than a day', [{ ...base, effect: 'ask', grantFor: 86_400_001 }], '"grantFor" must be'],
  ['a grant without asking', [{ ...base, effect: 'refuse', grant: 'exact' }], 'only a rule whose effect is "ask"'],
  ['a label without asking', [{ ...base, labels: { to: 'Recipient' } }], 'only a rule whose effect is "ask"'],
  ['no time', [{ ...base, effect: 'ask', within: 0 }], '"within" must be'],
  ['a list as where', [{ ...base, where: [] }], '"where" must be'],
  ['an argument without a type', sent({ properties: { to: {} } }), '"where", "to" must have a "type"'],
  ['true as an argument', sent({ properties: { to: true } }), '"to" must be a schema with a type'],
  ['an object without members', sent({ properties: { to: { type: ['object', 'x'] } } }), 'must have a "type"'],
  ['a list without items', sent({ properties: { to: { type: 'array' } } }), '"items" must be a schema'],
  ['alternatives', sent({ anyOf: [{}] }), 'cannot use "anyOf"'],
  ['alternatives, which are several rules', sent({ anyOf: [{}] }), 'write several rules for alternatives'],
  ['a format', sent({ properties: { to: { type: 'string', format: 'email' } } }), 'cannot use "format"'],
  ['a reference', sent({ $ref: '#/x' }), 'cannot use "$ref"'],
  ['open arguments', sent({ additionalProperties: true }), '"additionalProperties" must be false'],
  ['other arguments', sent({ type: 'array', items: { type: 'string' } }), '"type" must be "object"'],
  ['too many', Array.from({ length: 501 }, () => base), 'at most 500; got 501'],
])('rules with %s are refused, and the error says what must be', (_, rules, says) => {
  expect(() => new Rules({ rules: rules as never })).toThrow(says);
});

it.each<readonly [string, Rule]>([
  ['a grant for a day', { ...base, effect: 'ask', grantFor: 86_400_000 }],
  ['arguments that are not closed, where it only asks', { ...base, effect: 'ask', where: { properties: { to: {} } } }],
  [
    'annotations of every server, where it only asks',
    { ...base, server: '*', tools: { annotated: 'read-only' }, effect: 'ask' },
  ],
])('a rule with %s is taken', (_, rule) => {
  expect(() => new Rules({ rules: [rule] })).not.toThrow();
});
