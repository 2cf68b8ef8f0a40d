/**
 * Which tests hold which normative statement, and whether every statement is held. Pure.
 *
 * A test holds the statements that its title names before a colon: `mrtr-33, mrtr-50: a state is used once`. So do the
 * titles around it, for every test inside. Ids are written in full, so that one search finds every test of a statement;
 * labels of invariants follow a semicolon: `elicit-33; keys-K3: a key file`. A reason says why a SHOULD is not followed, or
 * with what limit; a MUST or MUST NOT takes none.
 */

/** A statement of the protocol, or a row of the documents Midcall began from, which has neither feature nor level. */
export interface Statement {
  readonly id: string;
  readonly feature?: string;
  readonly level?: string;
  readonly role?: string;
  readonly revisions?: readonly string[];
}

export interface Row {
  readonly id: string;
  readonly title: string;
  readonly source: string;
}

/** A test by its file, from the root, and its name: the titles around it and its own. */
export interface Test {
  readonly file: string;
  readonly name: string;
  readonly status: string;
}

/** What Vitest's JSON report says of a run. */
export interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

const separator = ' › ';
const binding = new Set(['MUST', 'MUST NOT']);
const id = /(?:[a-z]+(?:-[a-z]+)*|\d{3})-\d{2,3}/.source;
const heads = new RegExp(`(?<![\\w-])(${id}(?:, ${id})*)(?:; [\\w, -]+)?: `, 'g');

/**
 * The ids that a text names before a colon.
 * @param text - a title, or the source of a whole file of tests
 * @param prefixes - what ids begin with, so that `utf-16: ` is none
 */
export function idsIn(text: string, prefixes: ReadonlySet<string>): string[] {
  return [...text.matchAll(heads)].flatMap(([, ids]) => ids!.split(', ')).filter(each => prefixes.has(prefixOf(each)));
}

const prefixOf = (each: string): string => each.slice(0, each.lastIndexOf('-'));

export const prefixesOf = (statements: readonly { readonly id: string }[]): ReadonlySet<string> =>
  new Set(statements.map(statement => prefixOf(statement.id)));

/** Id -> the files that name it, in the order of their names. */
export function filesById(
  files: readonly { readonly file: string; readonly text: string }[],
  statements: readonly { readonly id: string }[],
): Map<string, string[]> {
  const prefixes = prefixesOf(statements);
  const found = new Map<string, string[]>();
  for (const { file, text } of files.toSorted((a, b) => (a.file < b.file ? -1 : 1)))
    for (const each of new Set(idsIn(text, prefixes))) found.set(each, [...(found.get(each) ?? []), file]);
  return found;
}

/** The tests of a run. */
export function reported({ testResults }: Report, root: string): Test[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => ({
      file: name.startsWith(root) ? name.slice(root.length) : name,
      name: [...ancestorTitles, title].join(separator),
      status,
    })),
  );
}

/** What is wrong with ids and reasons, whoever ran the tests, one line each, and the ids that nothing names. */
export function judge({
  statements,
  named,
  reasons,
}: {
  readonly statements: readonly Statement[];
  readonly named: ReadonlyMap<string, readonly string[]>;
  readonly reasons: Readonly<Record<string, string>>;
}): { problems: string[]; missing: string[] } {
  const known = new Map(statements.map(statement => [statement.id, statement]));
  const problems: string[] = [];
  if (known.size < statements.length) problems.push('An id occurs twice.');
  for (const [each, files] of named)
    if (!known.has(each)) problems.push(`${files.join(', ')}: there is no statement ${each}.`);
  for (const [each, reason] of Object.entries(reasons)) {
    const level = known.get(each)?.level;
    if (!known.has(each)) problems.push(`tools/conformance/reasons.json: there is no statement ${each}.`);
    else if (reason.trim() === '')
      problems.push(`tools/conformance/reasons.json: the reason for ${each} says nothing.`);
    else if (level !== undefined && binding.has(level))
      problems.push(`tools/conformance/reasons.json: ${each} is a ${level}, which takes no reason.`);
  }
  const missing = statements.filter(statement => !named.has(statement.id) && reasons[statement.id] === undefined);
  return { problems, missing: missing.map(statement => statement.id) };
}

/** What is wrong with the tests of a run, one line each. */
export function judgeRun({
  statements,
  tests,
  reasons,
}: {
  readonly statements: readonly Statement[];
  readonly tests: readonly Test[];
  readonly reasons: Readonly<Record<string, string>>;
}): string[] {
  const prefixes = prefixesOf(statements);
  const states = new Map<string, Set<string>>();
  const problems: string[] = [];
  for (const { file, name, status } of tests) {
    for (const each of idsIn(name, prefixes)) {
      states.set(each, (states.get(each) ?? new Set()).add(status));
      if (status === 'failed') problems.push(`${each}: the test '${file}${separator}${name}' failed.`);
    }
  }
  for (const { id: each } of statements) {
    if (states.get(each)?.has('passed')) continue;
    if (states.has(each)) problems.push(`${each}: none of its tests passed.`);
    else if (reasons[each] === undefined) problems.push(`${each}: no test of this run names it.`);
  }
  return problems;
}

/** The table of everything, as Markdown. */
export function table({
  requirements,
  rows,
  named,
  reasons,
}: {
  readonly requirements: readonly Statement[];
  readonly rows: readonly Row[];
  readonly named: ReadonlyMap<string, readonly string[]>;
  readonly reasons: Readonly<Record<string, string>>;
}): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ');
  const shown = (each: string) =>
    [...(named.get(each) ?? []), ...(reasons[each] === undefined ? [] : [`*${reasons[each]}*`])]
      .map(cell)
      .join('<br>') || 'none yet';
  const lines = [
    '# The requirements, and the tests that hold them',
    '',
    'Every normative statement of the two revisions on elicitation, roots, sampling and multi round-trip requests, and of the',
    `tasks extension (${requirements.length}),`,
    `and every behaviour of the documents Midcall began from (${rows.length}), with the files whose tests fail when it is broken: a test`,
    'names the statements it holds in its title, so searching a file for an id finds them. For a MAY or a definition (DEF) they',
    'show it. Where a SHOULD is not followed, it says why. This page is generated by `npm run requirements -- --write`, and',
    '`npm test` checks that every statement has a test that passed.',
  ];
  for (const feature of new Set(requirements.map(each => each.feature ?? ''))) {
    lines.push('', `## ${feature}`, '', '| Id | Level | Role | Revisions | Tests |', '|---|---|---|---|---|');
    for (const { id: each, level, role, revisions } of requirements.filter(other => other.feature === feature))
      lines.push(`| ${each} | ${level} | ${role} | ${(revisions ?? []).join('<br>')} | ${shown(each)} |`);
  }
  lines.push(
    '',
    '## Behaviours of the source documents',
    '',
    '| Id | Source | Behaviour | Tests |',
    '|---|---|---|---|',
  );
  for (const { id: each, title, source } of rows)
    lines.push(`| ${each} | ${source} | ${cell(title)} | ${shown(each)} |`);
  return `${lines.join('\n')}\n`;
}
