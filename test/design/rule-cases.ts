/** For each rule of the linter a tool that breaks it, and one that does the same thing well. */
import type { LintRuleId } from '../../packages/midcall/src/design/index.ts';
import type { Hand, HandTool, Reply } from './hand-server.ts';

type Json = Readonly<Record<string, unknown>>;

export interface RuleCase {
  readonly broken: HandTool;
  /** Absent where {@link cleanTool} is the counterpart. */
  readonly clean?: HandTool;
  /** Where only one era can break it. */
  readonly era?: Hand['era'];
  /** Where it shows only beside the other era. */
  readonly both?: boolean;
}

const confirm = { type: 'boolean', title: 'Delete them all' };
const form = (properties: Json, message = 'Delete all items?'): Json => ({
  mode: 'form',
  message,
  requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
});
const page = (era: Hand['era'], url: string): Json => ({
  mode: 'url',
  message: 'Sign in to the shop',
  url,
  ...(era === '2025-11-25' && { elicitationId: 'page-1' }),
});
const accepted = ({ action }: Reply): boolean => action === 'accept';
const unable = 'Not done: this client cannot ask the person.';

/** Asks one form and does only what was confirmed. */
const asking = (properties: Json, message?: string): HandTool => ({
  async run(hand) {
    if (!hand.can.form) return unable;
    const reply = await hand.ask(form(properties, message));
    const names = Object.keys(properties);
    if (!accepted(reply)) return `Not done: the person chose ${reply.action}.`;
    if (!names.every(name => Object.hasOwn(reply.content ?? {}, name))) throw new Error('The answer does not fit.');
    return reply.content!['confirm'] === false ? 'Not done: it was not confirmed.' : 'All items are in the bin.';
  },
});

/** Asks whether to delete, and takes the answer for what it is. */
export const cleanTool: HandTool = asking({ confirm });

/** Asks for a page. */
const opening = (url: string): HandTool => ({
  async run(hand) {
    if (!hand.can.url) return unable;
    const reply = await hand.ask(page(hand.era, url));
    return accepted(reply) ? 'The page is open; call again when you have signed in.' : 'Not connected.';
  },
});

/** Has a page opened and waits for the person there; announces it by a form, with these fields, to some clients. */
const announcing = (byForm: (hand: Hand) => boolean, properties: Json = {}): HandTool => ({
  async run(hand) {
    if (!hand.can.form) return unable;
    const url = 'https://shop.example.com/connect/1';
    const asked = byForm(hand) ? form(properties, `Open ${url} and accept.`) : page(hand.era, url);
    return accepted(await hand.ask(asked)) ? new Promise(() => {}) : 'Not connected.';
  },
});

/** Deletes after one of these replies, or without asking. */
const deletingOn = (actions: readonly string[], unasked = false): HandTool => ({
  async run(hand) {
    if (!hand.can.form) return unasked ? 'Deleted 3 items.' : unable;
    const { action = '', content } = await hand.ask(form({ confirm }));
    const yes = action !== 'accept' || content?.['confirm'] === true;
    return actions.includes(action) && yes ? 'Deleted 3 items.' : 'Nothing was deleted.';
  },
});

const choices = (count: number, titled = true) =>
  Array.from({ length: count }, (_, index) => {
    const own = { const: `note-${100 + index}` };
    return titled ? { ...own, title: `Report of week ${index + 1}` } : own;
  });
const text = (title: string, more: Json = {}) => ({ type: 'string', title, description: 'A few words.', ...more });

/** Asks while `again` says so, at most nine times. */
const repeating = (again: (reply: Reply) => boolean): HandTool => ({
  async run(hand) {
    if (!hand.can.form) return unable;
    for (let times = 0; times < 9; times += 1) {
      const reply = await hand.ask(form({ confirm }));
      if (!again(reply)) return accepted(reply) ? 'Gone to the bin.' : 'Nothing was deleted.';
    }
    return 'Nothing was deleted.';
  },
});

export const ruleCases: Readonly<Record<LintRuleId, readonly RuleCase[]>> = {
  'secret-in-form': [
    { broken: asking({ api_key: text('Value') }), clean: asking({ label: text('Label') }) },
    { broken: asking({ a: { type: 'object' }, password: { type: 'string' } }) },
    { broken: asking({ value: { type: 'string' } }, 'Please enter your password.') },
  ],
  'nested-schema': [
    { broken: asking({ address: { type: 'object', properties: { street: text('Street') } } }) },
    { broken: asking({ lines: { type: 'array', items: { type: 'object' } } }) },
  ],
  'unsupported-schema': [
    { broken: asking({ phone: text('Phone', { format: 'phone' }) }) },
    { broken: asking({ nick: { title: 'Nick', anyOf: [{ type: 'string' }, { type: 'null' }] } }) },
    { broken: asking({ tags: { title: 'Tags', type: 'array', items: { type: 'string' } } }) },
    { broken: asking({ size: { title: 'Size', type: 'integer', enum: [1, 2] } }) },
    { broken: asking({ colour: { type: 'string', title: 'Colour', enum: ['red'], default: 'blue' } }) },
  ],
  'message-missing': [{ broken: asking({ confirm }, ' ') }],
  'wrong-wire': [
    {
      era: '2026-07-28',
      broken: {
        async run(hand) {
          return accepted(await hand.push(form({ confirm }))) ? 'Gone to the bin.' : 'Nothing was deleted.';
        },
      },
    },
    {
      era: '2026-07-28',
      broken: {
        async run(hand) {
          const reply = await hand.ask({ ...page(hand.era, 'https://shop.example.com/connect/1'), elicitationId: '1' });
          return accepted(reply) ? 'Open.' : 'Not connected.';
        },
      },
      clean: opening('https://shop.example.com/connect/1'),
    },
    {
      era: '2025-11-25',
      broken: {
        async run(hand) {
          const reply = await hand.ask(page('2026-07-28', 'https://shop.example.com/connect/1'));
          return accepted(reply) ? 'Open.' : 'Not connected.';
        },
      },
      clean: opening('https://shop.example.com/connect/1'),
    },
    {
      era: '2026-07-28',
      broken: {
        async run(hand) {
          await hand.ask(form({ confirm }));
          return hand.fail({ code: -32042, message: 'A page first', data: { elicitations: [] } });
        },
      },
    },
  ],
  'undeclared-request': [
    {
      broken: {
        async run(hand) {
          return accepted(await hand.ask(form({ confirm }))) ? 'Gone to the bin.' : 'Nothing was deleted.';
        },
      },
    },
    {
      broken: {
        async run(hand) {
          const reply = await hand.ask(page(hand.era, 'https://shop.example.com/connect/1'));
          return accepted(reply) ? 'Open.' : 'Not connected.';
        },
      },
      clean: opening('https://shop.example.com/connect/1'),
    },
    {
      broken: {
        async run(hand) {
          await hand.ask({ messages: [], maxTokens: 1 }, 'sampling/createMessage');
          return 'Summarized.';
        },
      },
    },
  ],
  'url-not-openable': [
    { broken: opening('javascript:alert(1)'), clean: opening('https://shop.example.com/connect/1') },
    { broken: opening('shop') },
  ],
  'url-not-https': [{ broken: opening('http://shop.example.com/connect/1'), clean: opening('http://127.0.0.1:80/a') }],
  'url-carries-secret': [
    { broken: opening('https://shop.example.com/?access_token=x'), clean: opening('https://shop.example.com/?t=x') },
    { broken: opening('https://ada:pw@shop.example.com/') },
  ],
  'link-in-form': [
    { broken: asking({ confirm }, 'Read https://shop.example.com/terms first.') },
    { broken: announcing(() => true), clean: announcing(hand => !hand.can.url) },
    { broken: announcing(hand => !hand.can.url, { confirm }), clean: announcing(hand => !hand.can.url) },
  ],
  'decline-accepted': [{ broken: deletingOn(['accept', 'decline']), clean: deletingOn(['accept']) }],
  'dismiss-accepted': [{ broken: deletingOn(['accept', 'cancel']), clean: deletingOn(['accept']) }],
  'unconfirmed-acted': [
    {
      broken: {
        async run(hand) {
          if (!hand.can.form) return unable;
          return accepted(await hand.ask(form({ confirm }))) ? 'Deleted 3 items.' : 'Nothing was deleted.';
        },
      },
      clean: deletingOn(['accept']),
    },
  ],
  'unchecked-answer': [
    {
      broken: {
        async run(hand) {
          if (!hand.can.form) return unable;
          const reply = await hand.ask(form({ name: text('Name') }, 'Under which name?'));
          return accepted(reply) ? `Booked a table for "${reply.content?.['name']}".` : 'Nothing was booked.';
        },
      },
    },
  ],
  'reads-absent-answer': [
    {
      broken: {
        async run(hand) {
          if (!hand.can.form) return unable;
          const reply = await hand.ask(form({ name: text('Name') }, 'Under which name?'));
          return `Hello ${(reply.content as Json)['name']}.`;
        },
      },
    },
    {
      broken: {
        async run(hand) {
          if (!hand.can.form) return unable;
          const reply = await hand.ask(form({ name: text('Name') }, 'Under which name?'));
          return `Well, hello ${reply.content?.['name']}.`;
        },
      },
    },
  ],
  'fails-open': [
    { broken: deletingOn(['accept'], true), clean: deletingOn(['accept']) },
    {
      broken: {
        async run(hand) {
          if (hand.can.form && !accepted(await hand.ask(form({ confirm })))) return 'Nothing was deleted.';
          throw new Error('Cannot reach the database.');
        },
      },
    },
  ],
  'unasked-in-era': [
    {
      both: true,
      broken: {
        async run(hand) {
          if (hand.era === '2026-07-28' || !hand.can.form) throw new Error('Cannot reach the database.');
          if (!accepted(await hand.ask(form({ confirm })))) return 'Nothing was deleted.';
          throw new Error('Cannot reach the database.');
        },
      },
    },
  ],
  'asked-again': [
    { broken: repeating(({ action }) => action === 'decline') },
    { broken: repeating(({ action }) => action === 'cancel') },
  ],
  'asks-in-loop': [
    {
      broken: {
        async run(hand) {
          if (!hand.can.form) return unable;
          for (let line = 1; line <= 7; line += 1)
            if (!accepted(await hand.ask(form({ confirm }, `Delete line ${line}?`)))) return 'Nothing was deleted.';
          return 'Gone to the bin.';
        },
      },
    },
  ],
  hangs: [
    {
      broken: {
        async run(hand) {
          if (!hand.can.form) return unable;
          const reply = await hand.ask(form({ confirm }));
          return accepted(reply) ? 'Gone to the bin.' : new Promise(() => {});
        },
      },
      // It waits for the person on the page.
      clean: announcing(hand => !hand.can.url),
    },
  ],
  crashes: [
    {
      broken: {
        async run(hand) {
          if (!hand.can.form) return unable;
          if (accepted(await hand.ask(form({ confirm })))) return 'Gone to the bin.';
          hand.die();
          return new Promise(() => {});
        },
      },
    },
  ],
  'many-choices': [
    {
      broken: asking({ note: { type: 'string', title: 'Note', oneOf: choices(100) } }),
      clean: asking({ note: { type: 'string', title: 'Note', oneOf: choices(99) } }),
    },
  ],
  'opaque-choices': [
    {
      broken: asking({ note: { type: 'string', title: 'Note', oneOf: choices(3, false) } }),
      clean: asking({ note: { type: 'string', title: 'Note', oneOf: choices(3) } }),
    },
  ],
  'many-fields': [
    { broken: asking(Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`line${n}`, text(`Line ${n}`)]))) },
  ],
  'missing-title': [{ broken: asking({ confirm: { type: 'boolean' } }) }],
  'missing-description': [
    { broken: asking({ name: { type: 'string', title: 'Name' } }), clean: asking({ name: text('Name') }) },
  ],
  'asks-for-argument': [
    {
      broken: {
        ...asking({ branch: text('Branch') }),
        inputSchema: { type: 'object', properties: { branch: { type: 'string' } } },
      },
    },
  ],
  'pattern-sent': [{ broken: asking({ code: text('Code of the shop', { pattern: '^[a-z]+$' }) }) }],
  'enum-names': [
    { broken: asking({ size: { type: 'string', title: 'Size', enum: ['s', 'l'], enumNames: ['Small', 'Large'] } }) },
  ],
  'destructive-unasked': [
    {
      broken: { annotations: { destructiveHint: true }, run: async () => 'Deleted 3 items.' },
      clean: { ...cleanTool, annotations: { destructiveHint: true } },
    },
  ],
};
