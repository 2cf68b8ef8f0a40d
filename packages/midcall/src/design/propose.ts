/**
 * Derives the questions that a tool should ask from the facts about it. It follows the procedure, gives its reasons with their
 * source, and says what it could not determine. Pure.
 */
import { type Assurance, type Channel, form, type RawForm, type WireSchema } from '@midcall/core/form';
import { isRecord } from '@midcall/core/json';
import { capitalized, visible } from '@midcall/core/text';
import { type Decision, type DesignKind, decisions, designWords, hasWord, longList, says } from './procedure.ts';
import { deed, past, plural, type ToolFacts } from './tool-facts.ts';

/** One question the tool should ask. */
export interface ProposedAsk {
  readonly when: string;
  readonly mode: 'form' | 'url';
  /** `{name}` stands for a value that is known when the question is asked. */
  readonly message: string;
  /** For forms: the form as `form()` of @midcall/server takes it. Its choices are examples. */
  readonly form?: RawForm;
  /** The form as it is sent. */
  readonly wire?: WireSchema;
}

/** The designer's proposal for a tool. */
export interface Proposal {
  readonly tool: string;
  readonly kind: DesignKind;
  readonly ask: boolean;
  /** In one sentence. */
  readonly advice: string;
  readonly reasons: readonly { readonly text: string; readonly source: string }[];
  /** What a description cannot tell, so that its author must decide. */
  readonly uncertain: readonly string[];
  readonly asks: readonly ProposedAsk[];
  /** How many milliseconds the person has. */
  readonly timeoutMs?: number;
  readonly assurance?: Assurance;
  readonly channels?: readonly Channel[];
  /** What to do on each outcome. */
  readonly outcomes?: Readonly<Record<'accept' | 'decline' | 'cancel' | 'unavailable', string>>;
}

const minutes = 60_000;

/** Proposes what a tool should ask, if anything. */
export function propose(facts: ToolFacts): Proposal {
  const { decision, why } = decide(facts);
  const reasons = [{ text: why, source: decision.source }];
  const base = { tool: facts.name, kind: decision.kind, ask: decision.ask, advice: decision.advice };
  // Showing a page instead of a form does not change what must be agreed to.
  if (decision.kind === 'widget' && acts(facts) && !undoable(facts))
    reasons.push({
      text: `'${facts.verb}' cannot simply be taken back, so the page or widget asks for a yes to it as well.`,
      source: 'MCP schema: ToolAnnotations.destructiveHint',
    });
  if (!decision.ask) return { ...base, reasons, uncertain: unknowns(facts, decision.kind), asks: [] };
  const url = decision.kind === 'secret' || decision.kind === 'sign-in' || decision.kind === 'first-run';
  const grave = hasWord(facts.verb, designWords.grave);
  const asks = url ? [pageAsk(facts, decision.kind)] : formAsks(facts, decision.kind, reasons);
  if (grave)
    reasons.push({
      text: `'${facts.verb}' moves money or reaches the world: the yes is asked for on a page, out of reach of host and model.`,
      source: 'good practice: what cannot be taken back needs a yes nobody else can give',
    });
  return {
    ...base,
    reasons,
    uncertain: unknowns(facts, decision.kind),
    asks,
    timeoutMs: (url ? 10 : 5) * minutes,
    assurance: url || grave ? 'out-of-band' : 'in-band',
    channels: url || grave ? ['native', 'page'] : ['native'],
    outcomes: outcomes(facts, url),
  };
}

/** What the tool destroys or sends, by its name or its annotation. */
const acts = ({ verb, annotations }: ToolFacts): boolean =>
  hasWord(verb, `${designWords.destroys} ${designWords.sends}`) || annotations['destructiveHint'] === true;

const undoable = ({ description }: ToolFacts): boolean => says(description, designWords.undone);

type Json = Readonly<Record<string, unknown>>;

/** After a number: it is a measure, not a count of choices. */
const measures =
  /^(?:\s|-)*(?:%|percent|ms|milliseconds?|seconds?|s|minutes?|min|hours?|h|days?|weeks?|months?|years?|characters?|chars?|letters?|words?|tokens?|bits?|bytes?|[kmgt]i?b|pixels?|px|points?|dpi|requests?|times|steps?|m|km|miles?|metres?|meters?|eur|usd|dollars?|euros?)\b/i;

/** Before a number: it is a year. */
const dated = /\b(?:in|since|before|after|until|by)\s+$/i;

/** @returns why a tool lets the person pick from too many things for a form, as a sentence; undefined if it does not */
function longListIn({ description, args, inputSchema }: Pick<ToolFacts, 'description' | 'args' | 'inputSchema'>) {
  for (const { name, schema } of args) {
    const count = choicesIn(schema, inputSchema);
    if (count >= longList) return `The argument '${visible(name, { max: 60 })}' lists ${count} values.`;
  }
  if (says(description, designWords.list)) return 'Its description speaks of a long list.';
  const sentence = description
    .slice(0, 20_000)
    .split(/[.!?;\n](?:\s|$)/)
    .find(each => says(each, designWords.picks) && ofMany(each));
  return sentence === undefined ? undefined : 'Its description says that one of very many is picked.';
}

const ofMany = (sentence: string): boolean =>
  says(sentence, designWords.many) ||
  [...sentence.matchAll(/(?<![\d.,#$€£])\d{1,3}(?:[,' _]\d{3})+(?!\d)|(?<![\d.,#$€£])\d{3,}(?![\d.]*\d)/g)].some(
    ({ 0: match, index }) =>
      Number(match.replace(/\D/g, '')) >= longList &&
      !measures.test(sentence.slice(index + match.length)) &&
      !(/^(?:19|20)\d\d$/.test(match) && dated.test(sentence.slice(0, index))),
  );

/** The most values that a schema lets one choose from; references within the tool's own schema are followed. */
function choicesIn(schema: unknown, whole: Json, depth = 0): number {
  if (!isRecord(schema) || depth > 8) return 0;
  const { enum: values, oneOf, anyOf, items, $ref } = schema;
  const below = (each: unknown): number => choicesIn(each, whole, depth + 1);
  const listed = [oneOf, anyOf].flatMap(each => {
    if (!Array.isArray(each)) return [];
    return [each.filter(one => isRecord(one) && 'const' in one).length, ...each.slice(0, 20).map(below)];
  });
  return Math.max(
    Array.isArray(values) ? values.length : 0,
    ...listed,
    isRecord(items) ? below(items) : 0,
    typeof $ref === 'string' ? below(pointed($ref, whole)) : 0,
  );
}

/** The definition that a reference such as `#/$defs/City` names. */
function pointed(reference: string, whole: Json): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let at: unknown = whole;
  for (const part of reference.slice(2).split('/').slice(0, 8)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at;
}

function decide(facts: ToolFacts): { readonly decision: Decision; readonly why: string } {
  const { name, description, args, annotations, verb } = facts;
  const reads = annotations['readOnlyHint'] === true;
  const secret = args.find(arg => arg.secret);
  const nested = args.find(arg => arg.nested && arg.required);
  const target = args.find(arg => arg.ambiguous && arg.required);
  const whys: Readonly<Record<DesignKind, string | undefined>> = {
    secret: secret && `The argument '${secret.name}' is a secret (${secret.secret!.words}).`,
    'sign-in':
      hasWord(name, designWords.signsIn) || says(description, designWords.signsInSays)
        ? 'Its name or description says that it signs in or connects an account.'
        : undefined,
    'first-run':
      hasWord(name, designWords.setsUp) && !args.some(arg => arg.required)
        ? 'Its name says that it sets something up, and it requires no argument.'
        : undefined,
    'read-only': reads
      ? 'It declares readOnlyHint.'
      : hasWord(verb, designWords.reads) && annotations['destructiveHint'] !== true
        ? `It reads, as far as '${verb}' in its name says.`
        : undefined,
    widget: nested
      ? `The argument '${nested.name}' is nested; a form is flat.`
      : (longListIn(facts) ??
        (says(description, designWords.widget)
          ? 'Its description speaks of something a form cannot show.'
          : undefined)),
    pick: target && acts(facts) ? `It acts on what '${target.name}' finds, which may be several.` : undefined,
    undoable: acts(facts) && undoable(facts) ? 'Its description says that it can be undone.' : undefined,
    confirm: acts(facts)
      ? annotations['destructiveHint'] === true
        ? 'It declares destructiveHint.'
        : `'${verb}' in its name says that it cannot simply be taken back.`
      : undefined,
    argument: 'Nothing in its name, description or annotations needs a person’s word.',
  };
  const decision = decisions.find(each => whys[each.kind] !== undefined)!;
  return { decision, why: whys[decision.kind]! };
}

function formAsks(
  facts: ToolFacts,
  kind: DesignKind,
  reasons: { text: string; source: string }[],
): readonly ProposedAsk[] {
  const { noun, verb, args } = facts;
  const confirm = { type: 'boolean', title: deed(facts) } as const;
  const reversible = undoable(facts) || says(facts.description, designWords.stays);
  const final = reversible ? '' : ' This cannot be undone.';
  const one = ask('always', `${capitalized(verb)} {label}?${final}`, {
    type: 'object',
    properties: { confirm },
    required: ['confirm'],
  });
  if (kind === 'confirm') return [one];
  const target = args.find(arg => arg.ambiguous && arg.required)!;
  const choice = { type: 'string', title: capitalized(noun), oneOf: examples(noun) } as const;
  const name = `${noun}_id`;
  const many = ask(
    `several ${plural(noun)} match`,
    `${capitalized(verb)} '{${target.name}}'? Multiple ${plural(noun)} match; pick one.${final}`,
    {
      type: 'object',
      properties: { [name]: choice, confirm },
      required: [name, 'confirm'],
    },
  );
  if (undoable(facts)) {
    reasons.push({
      text: 'Its description says that it can be undone, so one match is acted on without asking.',
      source: 'good practice: a question for what can be undone is one too many',
    });
    return [many];
  }
  reasons.push({
    text: 'Nothing says that it can be undone, so one match is asked about too.',
    source: 'MCP schema: ToolAnnotations.destructiveHint',
  });
  return [{ ...one, when: `one ${noun} matches` }, many];
}

const ask = (when: string, message: string, raw: RawForm): ProposedAsk => ({
  when,
  mode: 'form',
  message,
  form: raw,
  wire: form(raw).schema,
});

/** Two placeholders: the real choices are what was found. */
const examples = (noun: string): { const: string; title: string }[] => [
  { const: `${noun}-1`, title: `First ${noun} · where it is · its date` },
  { const: `${noun}-2`, title: `Second ${noun} · where it is · its date` },
];

function pageAsk(facts: ToolFacts, kind: DesignKind): ProposedAsk {
  const secret = facts.args.find(arg => arg.secret);
  const message = {
    secret: `Enter the ${secret?.secret?.words ?? 'secret'} for ${facts.noun} on this page.`,
    'sign-in': 'Sign in to connect your account.',
    'first-run': 'Set up this server.',
  }[kind as 'secret' | 'sign-in' | 'first-run'];
  const when = kind === 'first-run' ? 'not set up yet' : kind === 'sign-in' ? 'not connected yet' : 'not known yet';
  return { when, mode: 'url', message };
}

function outcomes({ verb, noun }: ToolFacts, url: boolean): NonNullable<Proposal['outcomes']> {
  const nothing = url ? 'Nothing was changed' : `Nothing was ${past(verb)}`;
  return {
    accept: url
      ? 'Go on only when the page is finished (`completed`); agreeing to open it is no result.'
      : `Only with confirm: true, ${verb} that one ${noun}; with confirm: false say "${nothing}: it was not confirmed."`,
    decline: `Change nothing, do not ask again in this call, and say "${nothing}: the person said no."`,
    cancel: `Change nothing, and say "${nothing}: nobody decided." with the reason; they may want to be asked later.`,
    unavailable: `Change nothing, and say what helps: a host that can ask${url ? ', or the setting by hand' : ', or an argument that names one'}.`,
  };
}

function unknowns(facts: ToolFacts, kind: DesignKind): readonly string[] {
  const { annotations, noun, args } = facts;
  const unknownFacts: string[] = [];
  if (annotations['readOnlyHint'] === undefined)
    unknownFacts.push(
      'Whether it only reads: it declares no readOnlyHint, and the specification then takes it for one that writes.',
    );
  if (annotations['destructiveHint'] === undefined && annotations['readOnlyHint'] !== true)
    unknownFacts.push(
      'Whether it destroys: it declares no destructiveHint, and the specification then takes it for one that does.',
    );
  if (kind === 'pick')
    unknownFacts.push(
      `How many ${plural(noun)} can match: from ${longList} on, narrow the search or use a page or a widget.`,
    );
  if ((kind === 'confirm' || kind === 'pick') && !undoable(facts))
    unknownFacts.push(
      says(facts.description, designWords.stays)
        ? 'Whether it can be undone: its description does not say so. If it can, say so there, and ask less.'
        : 'Whether it can be undone: its description does not say so, so the message says that it cannot. If it can, say so there.',
    );
  if (kind === 'argument' && args.length === 0) unknownFacts.push('What it needs to know: it takes no arguments.');
  if (facts.description === '') unknownFacts.push('What it does: it has no description.');
  if (kind === 'sign-in' || kind === 'first-run')
    unknownFacts.push('Which settings or which provider the page is for.');
  return unknownFacts;
}
