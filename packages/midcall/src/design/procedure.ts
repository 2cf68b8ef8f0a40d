/**
 * The designer's procedure as data: the words it looks for and the decisions it makes, in order. The skill in
 * skills/elicitation-form-designer says the same to a person or a model, and a test keeps both the same.
 */

/** What a tool turns out to need. The first decision that fits is taken. */
export type DesignKind =
  | 'secret'
  | 'sign-in'
  | 'first-run'
  | 'read-only'
  | 'widget'
  | 'pick'
  | 'confirm'
  | 'undoable'
  | 'argument';

/** One decision. */
export interface Decision {
  readonly kind: DesignKind;
  /** When it is taken. */
  readonly when: string;
  /** What to do then. */
  readonly advice: string;
  readonly ask: boolean;
  readonly source: string;
}

const elicitation = (section: string): string => `MCP client/elicitation, "${section}"`;

/** The decisions, in order. */
export const decisions: readonly Decision[] = [
  {
    kind: 'secret',
    when: 'an argument is a password, a key, a token or a payment credential',
    advice:
      'Take the argument away: neither a form nor the model may see it. Ask on a page (URL mode), or sign in by OAuth; a key that serves the whole server belongs in the host’s settings (MCPB: user_config with sensitive: true).',
    ask: true,
    source: elicitation('User Interaction Model'),
  },
  {
    kind: 'sign-in',
    when: 'the tool signs in to another service, or connects an account',
    advice: 'Ask to open a page of your own (URL mode), which sends the person to the provider.',
    ask: true,
    source: elicitation('URL Mode Elicitation Requests'),
  },
  {
    kind: 'first-run',
    when: 'the tool sets the server up, and requires no argument',
    advice: 'Ask to open a settings page (URL mode); a form will do for two or three plain preferences.',
    ask: true,
    source: elicitation('URL Mode Elicitation Requests'),
  },
  {
    kind: 'read-only',
    when: 'the tool only reads',
    advice: 'Do not ask: it may be called often, and changes nothing.',
    ask: false,
    source: 'MCP schema: ToolAnnotations.readOnlyHint',
  },
  {
    kind: 'widget',
    when: 'the choice needs nested data, a preview, a chart or map, live progress, or a list of 100 or more',
    advice:
      'Do not ask by form: build a page or a widget. From a long list, let the person search: narrow it down to the likeliest before you ask, or show all of it on the page.',
    ask: false,
    source: elicitation('Requested Schema'),
  },
  {
    kind: 'pick',
    when: 'the tool acts on a thing it finds by words that can match several (a title, a name, a query)',
    advice:
      'Where several match, ask which one: a choice with a title for each. Ask for a yes too where the act is destructive.',
    ask: true,
    source: elicitation('Requested Schema'),
  },
  {
    kind: 'undoable',
    when: 'the tool destroys or sends one thing it is given by id, and its description says how that is undone',
    advice: 'Do not ask: act, and say how it is undone.',
    ask: false,
    source: 'MCP schema: ToolAnnotations.destructiveHint',
  },
  {
    kind: 'confirm',
    when: 'the tool destroys, sends, pays or publishes something, or declares destructiveHint',
    advice: 'Ask for a yes, naming what will happen and to what.',
    ask: true,
    source: 'MCP schema: ToolAnnotations.destructiveHint',
  },
  {
    kind: 'argument',
    when: 'none of these',
    advice:
      'Do not ask: make what it needs required arguments, and return an error that says what is wrong with a value.',
    ask: false,
    source: 'MCP server/tools, "Error Handling"',
  },
];

/** From this many entries on, a list is searched rather than read. */
export const longList = 100;

/** The words that decide, per decision; looked for as whole words in the tool's name, and where it says so, its description. */
export const designWords = {
  /** In the name. */
  reads: 'list get read search find show look view fetch query count describe explain status export check',
  /** In the name. */
  destroys:
    'delete remove drop purge wipe clear erase reset overwrite truncate uninstall revoke archive cancel close kill',
  /** In the name. */
  sends: 'send publish post deploy merge pay transfer purchase buy book order place submit approve execute run restart',
  /** In the name. */
  signsIn: 'login signin auth authorize connect link',
  /** In the description. */
  signsInSays: ['sign in', 'signs in', 'log in', 'logs in', 'oauth', 'connects your', 'link your account'],
  /** In the name. */
  setsUp: 'setup configure config init initialize onboard settings preferences',
  /** In the description. */
  widget: ['preview', 'chart', 'on a map', 'drag', 'layout', 'live progress'],
  /** In the description: there is a long list. */
  list: ['browse', 'searchable', 'scrollable', 'long list', 'search through', 'scroll through'],
  /** In the description: something is picked. */
  picks: ['pick', 'picks', 'picked', 'choose', 'chooses', 'chosen', 'select', 'selects', 'selected', 'one of'],
  /** In the same sentence of the description: it is picked from very many. */
  many: ['hundred', 'hundreds', 'thousand', 'thousands', 'million', 'millions'],
  /** Names of arguments that can match several things. */
  ambiguous: 'title name subject query keyword label term phrase',
  /** In the description: the action can be undone. */
  undone: ['trash', 'recycle bin', 'undo', 'undone', 'restore', 'brings it back', 'recover'],
  /** In the description: the thing is still there afterwards. */
  stays: ['archive', 'can be read', 'is kept', 'stays'],
  /** In the name: money or the outside world; the yes is asked for out of band. */
  grave: 'pay transfer purchase buy deploy publish',
} as const;

/** True if one of the words of a list is a word of `name`. */
export function hasWord(name: string, list: string): boolean {
  const words = new Set(nameWords(name));
  return list.split(' ').some(each => words.has(each));
}

/** True if a text holds one of the phrases, as words. */
export function says(text: string, phrases: readonly string[]): boolean {
  const normalized = ` ${text.toLowerCase().replace(/[^a-z0-9]+/g, ' ')} `;
  return phrases.some(phrase => normalized.includes(` ${phrase} `) || normalized.includes(` ${phrase}s `));
}

/** The words of a tool's name, lower case: `notes_delete`, `drop-database` and `dropDatabase` alike. */
export function nameWords(name: string): readonly string[] {
  const spaced = name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2').toLowerCase();
  return spaced.split(/[^\p{L}\p{N}]+/u).filter(word => word !== '');
}
