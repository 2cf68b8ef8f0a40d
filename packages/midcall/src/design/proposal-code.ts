/** A proposal as TypeScript that compiles and runs: a function that registers the tool, and the interface it works on. Pure. */

import { isRecord, isTexts } from '@midcall/core/json';
import { capitalized } from '@midcall/core/text';
import type { Proposal } from './propose.ts';
import { type ArgumentFacts, past, type ToolFacts } from './tool-facts.ts';

type Json = Readonly<Record<string, unknown>>;

const deepest = 5;

/** `z.object({ … })` for the arguments of a tool. What Zod would express differently becomes `z.unknown()`, never a guess. */
function argumentsCode(args: readonly ArgumentFacts[]): string {
  if (args.length === 0) return 'z.object({})';
  const lines = args.map(arg => `  ${key(arg.name)}: ${memberCode(arg.schema, arg.required, 0)},`);
  return `z.object({\n${lines.join('\n')}\n})`;
}

function memberCode(schema: Json, required: boolean, depth: number): string {
  const { description } = schema;
  const described = typeof description === 'string' ? `.describe(${literal(description)})` : '';
  return `${value(schema, depth)}${required ? '' : '.optional()'}${described}`;
}

function value(schema: Json, depth: number): string {
  const { type, enum: listed, items, properties } = schema;
  if (depth > deepest) return 'z.unknown()';
  if (Array.isArray(listed)) return listed.length > 0 && isTexts(listed) ? `z.enum(${literal(listed)})` : 'z.unknown()';
  switch (type) {
    case 'string':
      return `z.string()${bound(schema, 'minLength', 'min')}${bound(schema, 'maxLength', 'max')}`;
    case 'integer':
      return `z.int()${bound(schema, 'minimum', 'min')}${bound(schema, 'maximum', 'max')}`;
    case 'number':
      return `z.number()${bound(schema, 'minimum', 'min')}${bound(schema, 'maximum', 'max')}`;
    case 'boolean':
      return 'z.boolean()';
    case 'array':
      return `z.array(${isRecord(items) ? value(items, depth + 1) : 'z.unknown()'})`;
    case 'object':
      return isRecord(properties) ? object(schema, properties, depth) : 'z.record(z.string(), z.unknown())';
    default:
      return 'z.unknown()';
  }
}

function object({ required }: Json, properties: Json, depth: number): string {
  const needed = Array.isArray(required) ? required : [];
  const members = Object.entries(properties).map(([name, each]) => {
    const schema = isRecord(each) ? each : {};
    return `${key(name)}: ${memberCode(schema, needed.includes(name), depth + 1)}`;
  });
  return `z.object({ ${members.join(', ')} })`;
}

const bound = (schema: Json, keyword: string, method: string): string => {
  const limit = schema[keyword];
  return typeof limit === 'number' && Number.isSafeInteger(limit) ? `.${method}(${limit})` : '';
};

/** Invisible characters, and those that reorder text: code must read as it runs. */
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const written = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`;

/** A JSON value as TypeScript: single quotes, names unquoted where possible. */
function literal(value: unknown): string {
  if (typeof value === 'string') {
    const inside = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"');
    return `'${inside.replaceAll("'", "\\'").replace(unseen, written)}'`;
  }
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${key(name)}: ${literal(each)}`)
    .join(', ')} }`;
}

/** The name of a member. */
const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name));

/** `object.name`, or in brackets. */
const member = (object: string, name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? `${object}.${name}` : `${object}[${literal(name)}]`;

/** @returns the text of a module; undefined if nothing is asked */
export function proposalCode(proposal: Proposal, facts: ToolFacts): string | undefined {
  if (!proposal.ask) return undefined;
  return proposal.asks[0]?.mode === 'url' ? pageCode(proposal, facts) : formCode(proposal, facts);
}

/** `notes_delete` becomes `NotesDelete`. */
const pascal = (name: string): string => {
  const words = name.split(/[^A-Za-z0-9]+/).filter(word => word !== '');
  return words.map(capitalized).join('') || 'Tool';
};

/** A template with its places filled in from variables. */
function filled(template: string, places: Readonly<Record<string, string>>): string {
  const escaped = template.replaceAll(/[`\\]|\$\{/g, '\\$&');
  return `\`${escaped.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => (Object.hasOwn(places, name) ? `\${${places[name]}}` : whole))}\``;
}

function head(facts: ToolFacts, types: string): string {
  return `import type { McpServer } from '@modelcontextprotocol/server';
import type { ${types} } from '@midcall/server';
import { z } from 'zod';

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

const inputSchema = ${argumentsCode(facts.args.filter(arg => !arg.secret))};
`;
}

function config({ description, annotations }: ToolFacts): string {
  const lines = [
    ...(description === '' ? [] : [`      description: ${literal(description)},`]),
    '      inputSchema,',
    ...(Object.keys(annotations).length === 0 ? [] : [`      annotations: ${literal(annotations)},`]),
  ];
  return `{\n${lines.join('\n')}\n    }`;
}

function formCode({ asks, timeoutMs, assurance, channels, kind }: Proposal, facts: ToolFacts): string {
  const { noun, verb } = facts;
  const many = asks.find(each => each.form?.properties[`${noun}_id`]);
  const one = asks.find(each => !each.form?.properties[`${noun}_id`]);
  const target = facts.args.find(arg => arg.ambiguous && arg.required);
  const id = kind === 'pick' && target ? member('args', target.name) : "''";
  const limits = [
    `timeoutMs: ${timeoutMs},`,
    ...(assurance === 'in-band' ? [] : [`assurance: ${literal(assurance)},`, `channels: ${literal(channels)},`]),
  ];
  const confirm = literal((one ?? many)!.form!.properties['confirm']);
  const asking = (message: string, properties: string, required: readonly string[], indent: string): string =>
    [
      'call.elicit({',
      `  message: ${message},`,
      `  form: { type: 'object', properties: ${properties}, required: ${literal(required)} },`,
      ...limits.map(line => `  ${line}`),
      '})',
    ].join(`\n${indent}`);
  const single = one && asking(filled(one.message, { label: 'found.label' }), '{ confirm }', ['confirm'], '        ');
  const pick = many && {
    choices: `{ type: 'string', title: ${literal((many.form!.properties[`${noun}_id`] as { title: string }).title)}, oneOf: matches.map(each => ({ const: each.id, title: each.label })) }`,
    message: filled(many.message, target ? { [target.name]: member('args', target.name) } : {}),
  };
  const several =
    pick &&
    asking(pick.message, `{ ${key(`${noun}_id`)}: ${pick.choices}, confirm }`, [`${noun}_id`, 'confirm'], '        ');
  return `${head(facts, 'Midcall')}
/** One ${noun}: how it is named to the program, and how a person tells it apart. */
export interface Found {
  readonly id: string;
  readonly label: string;
}

/** What the tool works on. */
export interface Backend {
  /** Everything the arguments can mean, likeliest first. */
  find(args: z.infer<typeof inputSchema>): Promise<Found[]>;
  act(found: Found, args: z.infer<typeof inputSchema>): Promise<void>;
}

const confirm = ${confirm} as const;

export function register${pascal(facts.name)}(mid: Midcall, server: McpServer, backend: Backend) {
  return mid.tool(
    server,
    ${literal(facts.name)},
    ${config(facts)},
    async (args, call) => {
      const matches = await call.step('find', () => backend.find(args));
      let [found] = matches;
      if (!found) return text(${kind === 'pick' ? `\`No ${noun} matches '\${${id}}'.\`` : literal(`There is no such ${noun}.`)});
${
  several
    ? `
      if (matches.length > 1) {
        const answer = await ${several};
        if (answer.action === 'decline') return text(${literal(`Nothing was ${past(verb)}: the person said no.`)});
        if (answer.action === 'cancel') return text(\`Nothing was ${past(verb)}: nobody decided (\${answer.reason}).\`);
        if (!answer.content.confirm) return text(${literal(`Nothing was ${past(verb)}: it was not confirmed.`)});
        const picked = ${member('answer.content', `${noun}_id`)};
        found = matches.find(each => each.id === picked)!;
      }${single ? ' else {' : ''}`
    : '\n      {'
}${
  single
    ? `
        const answer = await ${single};
        if (answer.action === 'decline') return text(${literal(`Nothing was ${past(verb)}: the person said no.`)});
        if (answer.action === 'cancel') return text(\`Nothing was ${past(verb)}: nobody decided (\${answer.reason}).\`);
        if (!answer.content.confirm) return text(${literal(`Nothing was ${past(verb)}: it was not confirmed.`)});
      }`
    : ''
}

      const chosen = found;
      await call.step('act', () => backend.act(chosen, args), { effect: true });
      return text(\`Done: ${verb} \${chosen.label}.\`);
    },
  );
}
`;
}

function pageCode({ asks, timeoutMs, channels, kind }: Proposal, facts: ToolFacts): string {
  const state = { secret: 'known', 'sign-in': 'connected', 'first-run': 'set up' }[kind as 'secret'] ?? 'ready';
  return `${head(facts, 'Midcall, Page')}
/** What the tool works on. */
export interface Backend<T> {
  /** True if nothing needs to be asked. */
  ready(): Promise<boolean>;
  /** The page is finished, with this. */
  act(content: T | undefined, args: z.infer<typeof inputSchema>): Promise<void>;
}

/** @param page - of @midcall/server/connect: secret(…), formPage(…) or a provider; needs \`midcall({ pages: connect(…) })\` */
export function register${pascal(facts.name)}<T>(mid: Midcall, server: McpServer, page: Page<T>, backend: Backend<T>) {
  return mid.tool(
    server,
    ${literal(facts.name)},
    ${config(facts)},
    async (args, call) => {
      let content: T | undefined;
      if (!(await call.step('ready', () => backend.ready()))) {
        const answer = await call.elicitUrl({
          message: ${literal(asks[0]!.message)},
          page,
          timeoutMs: ${timeoutMs},
          channels: ${literal(channels)},
        });
        if (answer.action === 'decline') return text('Not ${state}: the person said no.');
        if (answer.action === 'cancel') return text(\`Not ${state}: nobody decided (\${answer.reason}).\`);
        content = answer.content;
      }
      await call.step('act', () => backend.act(content, args), { effect: true });
      return text('Done.');
    },
  );
}
`;
}
