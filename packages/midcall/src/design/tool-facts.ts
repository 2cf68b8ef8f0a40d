/** What the designer knows about a tool, read from what its server lists; everything in it is foreign text. Pure. */

import { type Secret, secretIn } from '@midcall/core/form';
import { isRecord } from '@midcall/core/json';
import { capitalized } from '@midcall/core/text';
import type { Tool } from '@modelcontextprotocol/client';
import { designWords, hasWord, nameWords } from './procedure.ts';

type Json = Readonly<Record<string, unknown>>;

/** One argument. */
export interface ArgumentFacts {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Json;
  readonly secret?: Secret;
  /** An object, or a list of objects. */
  readonly nested: boolean;
  /** Its words can match several things. */
  readonly ambiguous: boolean;
}

/** One tool. */
export interface ToolFacts {
  readonly name: string;
  readonly description: string;
  readonly args: readonly ArgumentFacts[];
  readonly inputSchema: Json;
  readonly annotations: Readonly<Record<string, unknown>>;
  /** The word of its name that says what it does, such as `delete`; `change` if no word of it is known to be a verb. */
  readonly verb: string;
  /** What it acts on, in the singular, such as `note`. */
  readonly noun: string;
}

/** Verbs that are nouns as well, as in `order_cancel`, `post_delete` and `run_stop`: they count where no other verb is there. */
const alsoNouns = new Set(
  (
    'access address block book bookmark branch build cache change charge check comment commit contact copy count cover ' +
    'deploy design display document draft email estimate export file filter flag fork group host image import index ' +
    'invite issue label link list lock log look mail map mark message model monitor name note notice order pack page patch plan ' +
    'place point post present preview process profile program project pull purchase query question queue rate record release reply ' +
    'report request research review run sample scan schedule score screen script set share ship show ' +
    'signal snapshot sort star start state status store stream study submit subscribe switch sync tag target task template test ' +
    'time title trace track transfer trigger type upload use view vote watch work'
  ).split(' '),
);

/** What tools are named for, besides what decides about a question. */
const otherVerbs =
  'accept activate add analyze apply append assign attach authenticate backup ban begin calculate call capture change choose ' +
  'click clone close collect combine comment commit compare compile complete compress compute configure confirm connect ' +
  'convert copy crawl create cut deactivate decline decrypt deduct demote deny detach detect diff disable disconnect dismiss ' +
  'download draft drag duplicate edit email empty enable encrypt end enqueue enroll evaluate evict exclude expand expire extend ' +
  'extract fill filter finalize finish fix flag flush follow forget fork format forward freeze generate give grant group handle ' +
  'hide ignore import include increase insert inspect install invite invoke issue join keep kick label launch leave link load lock ' +
  'log mail make manage map mark migrate minimize modify monitor mount move mute navigate notify open pack parse patch pause ' +
  'pin plan play prepare press print process promote provision pull push put quit rate rebuild reboot recalculate receive recommend reconnect ' +
  'record redeem redirect refresh refund register reject release reload rename render renew reopen repair replace reply report ' +
  'request reschedule resend reserve resize resolve respond restore resume retire retry return revert review rollback rotate save scale ' +
  'scan schedule score select sell set share ship shut sign sort split stage star start step stop store stream subscribe suspend ' +
  'swap switch sync tag take terminate test toggle track train translate trigger trim type unarchive unassign unban unblock ' +
  'undo unfollow unlink unlock unmount unmute unpin unpublish unregister unshare unsubscribe update upgrade upload use validate verify ' +
  'vote wait watch withdraw wrap write zip';

const verbs = new Set(
  `${designWords.reads} ${designWords.destroys} ${designWords.sends} configure initialize onboard ${otherVerbs}`.split(
    ' ',
  ),
);

/** The verb of a name in either order: one that is nothing else, then the first word that can be one, then any other. */
const verbIn = (words: readonly string[]): string | undefined =>
  words.find(word => verbs.has(word) && !alsoNouns.has(word)) ??
  [words[0], words.at(-1), ...words].find(word => word !== undefined && verbs.has(word));

/** Words of a name that are not nouns. */
const notNouns = 'many all one bulk batch by my the a in on off up down out from to';

/** Reads a tool as `tools/list` gives it. */
export function toolFacts(tool: Tool): ToolFacts {
  const inputSchema = tool.inputSchema as Json;
  const properties = isRecord(inputSchema['properties']) ? inputSchema['properties'] : {};
  const required = Array.isArray(inputSchema['required']) ? inputSchema['required'] : [];
  const words = nameWords(tool.name);
  const verb = verbIn(words) ?? 'change';
  const rest = words.filter(word => word !== verb && !hasWord(word, notNouns));
  return {
    name: tool.name,
    description: tool.description ?? '',
    args: Object.entries(properties)
      .filter(([name]) => name !== '__proto__')
      .map(([name, schema]) => argument(name, isRecord(schema) ? schema : {}, required.includes(name))),
    inputSchema,
    annotations: { ...tool.annotations },
    verb,
    noun: singular(rest.at(-1) ?? 'item'),
  };
}

function argument(name: string, schema: Json, required: boolean): ArgumentFacts {
  const { title, description, type, items } = schema;
  const secret = secretIn({
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    kind: type === 'boolean' ? 'boolean' : Array.isArray(schema['enum']) ? 'select' : 'text',
  });
  const textual = type === 'string' && schema['enum'] === undefined && schema['format'] === undefined;
  const nested = type === 'object' || (type === 'array' && isRecord(items) && items['type'] === 'object');
  return {
    name,
    required,
    schema,
    ...(secret && { secret }),
    nested,
    ambiguous: textual && hasWord(name, designWords.ambiguous),
  };
}

const singular = (word: string): string =>
  word.endsWith('ies') ? `${word.slice(0, -3)}y` : /[^s]s$/.test(word) ? word.slice(0, -1) : word;

/** The plural of a noun. */
export const plural = (noun: string): string =>
  /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;

/** `delete` becomes `deleted`. */
export function past(verb: string): string {
  const irregular: Readonly<Record<string, string>> = {
    send: 'sent',
    pay: 'paid',
    buy: 'bought',
    run: 'run',
    reset: 'reset',
    set: 'set',
    overwrite: 'overwritten',
    write: 'written',
    drop: 'dropped',
    submit: 'submitted',
    cancel: 'cancelled',
    find: 'found',
    transfer: 'transferred',
    backup: 'backed up',
    begin: 'begun',
    choose: 'chosen',
    commit: 'committed',
    cut: 'cut',
    forget: 'forgotten',
    format: 'formatted',
    freeze: 'frozen',
    get: 'got',
    give: 'given',
    hide: 'hidden',
    keep: 'kept',
    leave: 'left',
    make: 'made',
    put: 'put',
    quit: 'quit',
    read: 'read',
    rebuild: 'rebuilt',
    render: 'rendered',
    resend: 'resent',
    rollback: 'rolled back',
    sell: 'sold',
    shut: 'shut',
    split: 'split',
    take: 'taken',
    undo: 'undone',
    withdraw: 'withdrawn',
  };
  if (irregular[verb] !== undefined) return irregular[verb];
  if (verb.endsWith('e')) return `${verb}d`;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ied`;
  // One short syllable doubles its last letter: banned, stopped.
  return /^(?:un|re)?[^aeiou]*[aeiou][^aeiouwxy]$/.test(verb) ? `${verb}${verb.at(-1)}ed` : `${verb}ed`;
}

/**
 * The effect of a yes, from the first sentence of the description: `Moves the note … to the trash` gives `Move it to the
 * trash`.
 */
export function deed({ description, verb, noun }: ToolFacts): string {
  const [first = ''] = description.split(/[.;,]/);
  const match = /^(\p{L}+?)e?s\s+(?:the|a|an)\s+\p{L}+\b.*?\b(to|into|from)\s+(the|your)\s+(\p{L}+)/u.exec(
    first.trim(),
  );
  if (!match) return `${capitalized(verb)} the ${noun}`;
  const [, stem, way, article, place] = match as unknown as [string, string, string, string, string];
  const full = /(v|c|t|g|[^s]s)$/.test(stem) && first.trim().startsWith(`${stem}es`) ? `${stem}e` : stem;
  return `${full} it ${way} ${article} ${place}`;
}
