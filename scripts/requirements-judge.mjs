/**
 * Whether the evidence for the normative statements holds, and the table of it. Pure.
 *
 * Evidence is one file a feature, from id to `{ tests, reason? }`: a test is its file's path, the titles around it and
 * its own, joined by ` › `. A reason says why a SHOULD is not followed, or why a statement is not ours; a MUST or
 * MUST NOT takes none, as both roles are.
 */

const separator = ' › ';
const binding = new Set(['MUST', 'MUST NOT']);
const keys = new Set(['tests', 'reason']);

/**
 * @param statements - `{ id, feature, level }` each; rows have neither feature nor level
 * @param evidence - name of a feature, or `rows` -> id -> entry
 * @param statuses - name of a test -> `passed`, `failed`, `skipped`; `listed` where it was not run
 * @returns what is wrong, one line each, and the ids without evidence
 */
export function judge({ statements, evidence, statuses }) {
  const problems = [];
  const missing = [];
  const file = statement => statement.feature ?? 'rows';
  const known = new Map(statements.map(statement => [statement.id, statement]));
  if (known.size < statements.length) problems.push('An id occurs twice.');
  for (const [name, entries] of Object.entries(evidence)) {
    for (const [id, entry] of Object.entries(entries)) {
      const statement = known.get(id);
      if (statement === undefined || file(statement) !== name)
        problems.push(`${name}.json: ${id} is not one of its ids.`);
      else
        problems.push(...entryProblems(statement, entry, statuses).map(problem => `${name}.json: ${id}: ${problem}`));
    }
  }
  for (const statement of statements) {
    const entry = evidence[file(statement)]?.[statement.id];
    if (!entry || ((entry.tests ?? []).length === 0 && !entry.reason)) missing.push(statement.id);
  }
  return { problems, missing };
}

function entryProblems({ level }, { tests = [], ...rest }, statuses) {
  const problems = [];
  for (const key of Object.keys(rest)) if (!keys.has(key)) problems.push(`'${key}' means nothing here.`);
  if (rest.reason !== undefined && (typeof rest.reason !== 'string' || rest.reason.trim() === ''))
    problems.push('Its reason says nothing.');
  if (rest.reason !== undefined && binding.has(level)) problems.push(`A ${level} takes no reason.`);
  if (new Set(tests).size < tests.length) problems.push('It names a test twice.');
  for (const test of tests) {
    const status = statuses.get(test);
    if (status === undefined) problems.push(`There is no test '${test}'.`);
    if (status === 'failed') problems.push(`The test '${test}' failed.`);
  }
  return problems;
}

/** What differs from the statements or rows they were taken from, one line each. */
export function differences(own, source) {
  const wanted = new Map(source.map(each => [each.id, each]));
  const problems = own.filter(each => !wanted.delete(each.id)).map(({ id }) => `${id} is not in the source.`);
  for (const id of wanted.keys()) problems.push(`${id} of the source is missing here.`);
  const byId = new Map(source.map(each => [each.id, each]));
  for (const each of own) {
    for (const [key, value] of Object.entries(each)) {
      const there = byId.get(each.id)?.[key];
      if (there !== undefined && JSON.stringify(there) !== JSON.stringify(value))
        problems.push(`${each.id}: its ${key} differs from the source.`);
    }
  }
  return problems;
}

/** Name of a test -> status, from Vitest's JSON report; of tests with one name the worst. */
export function reported({ testResults }, root) {
  const statuses = new Map();
  for (const { name, assertionResults } of testResults) {
    for (const { ancestorTitles, title, status } of assertionResults) {
      const test = [relative(name, root), ...ancestorTitles, title].join(separator);
      if (statuses.get(test) !== 'failed') statuses.set(test, status);
    }
  }
  return statuses;
}

/** The same from `vitest list --json`, which runs nothing and joins titles by ` > `. */
export function listed(tests, root, named) {
  const plain = new Set(tests.map(({ file, name }) => `${relative(file, root)} > ${name}`));
  return new Map(named.filter(test => plain.has(test.replaceAll(separator, ' > '))).map(test => [test, 'listed']));
}

const relative = (path, root) => (path.startsWith(root) ? path.slice(root.length) : path);

/** Every test that the evidence names. */
export const namedTests = evidence =>
  Object.values(evidence).flatMap(entries => Object.values(entries).flatMap(({ tests = [] }) => tests));

/** Tests of one file after one another, its path said once. */
function byFile(tests) {
  const files = new Map();
  for (const test of tests) {
    const [file, ...titles] = test.split(separator);
    files.set(file, [...(files.get(file) ?? []), titles.join(separator)]);
  }
  return [...files].map(([file, titles]) => `${file}: ${titles.join('; ')}`);
}

/** The table of everything, as Markdown. */
export function table({ requirements, rows, evidence }) {
  const cell = text => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ');
  const shown = entry =>
    [...byFile(entry?.tests ?? []), ...(entry?.reason ? [`*${entry.reason}*`] : [])].map(cell).join('<br>') ||
    'none yet';
  const features = [...new Set(requirements.map(({ feature }) => feature))];
  const lines = [
    '# The requirements, and the tests that hold them',
    '',
    `Every normative statement of the two revisions on elicitation, roots, sampling and multi round-trip requests (${requirements.length}),`,
    `and every behaviour of the documents Midcall began from (${rows.length}), with the tests that fail when it is broken. For a MAY or a`,
    'definition (DEF) they show it. Where a SHOULD is not followed, it says why. This page is generated by',
    '`node scripts/requirements.mjs --write` from `conformance/`, and checked by `npm test`.',
  ];
  for (const feature of features) {
    lines.push('', `## ${feature}`, '', '| Id | Level | Role | Revisions | Tests |', '|---|---|---|---|---|');
    for (const { id, level, role, revisions } of requirements.filter(each => each.feature === feature))
      lines.push(`| ${id} | ${level} | ${role} | ${revisions.join('<br>')} | ${shown(evidence[feature]?.[id])} |`);
  }
  lines.push(
    '',
    '## Behaviours of the source documents',
    '',
    '| Id | Source | Behaviour | Tests |',
    '|---|---|---|---|',
  );
  for (const { id, title, source } of rows)
    lines.push(`| ${id} | ${source} | ${cell(title)} | ${shown(evidence.rows?.[id])} |`);
  return `${lines.join('\n')}\n`;
}
