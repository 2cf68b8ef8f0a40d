/**
 * Checks the evidence of `conformance/` for every normative statement and every behaviour of the source documents
 * (requirements-judge.mjs): `node scripts/requirements.mjs [--report FILE | --list FILE] [--write]`.
 *
 * `--report` takes Vitest's JSON report of a whole run, `--list` what `npx vitest list --json` prints, which runs nothing;
 * without either the tests are listed. `--write` writes docs/requirements.md instead of comparing it. Where the
 * documents that the ids come from lie beside the clone, they must agree.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { differences, judge, listed, namedTests, reported, table } from './requirements-judge.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const json = path => JSON.parse(readFileSync(path, 'utf8'));
const { values: options } = parseArgs({
  options: {
    report: { type: 'string' },
    list: { type: 'string' },
    write: { type: 'boolean' },
  },
});

const requirements = json(`${root}conformance/requirements.json`);
const rows = json(`${root}conformance/rows.json`);
const folder = `${root}conformance/evidence/`;
const evidence = Object.fromEntries(
  readdirSync(folder).map(name => [name.replace(/\.json$/, ''), json(`${folder}${name}`)]),
);

function statuses() {
  if (options.report) return reported(json(options.report), root);
  const tests = options.list ? json(options.list) : JSON.parse(list());
  return listed(tests, root, namedTests(evidence));
}

function list() {
  const vitest = `${root}node_modules/vitest/vitest.mjs`;
  return execFileSync(process.execPath, [vitest, 'list', '--json'], { cwd: root, maxBuffer: 2 ** 28 });
}

const { problems, missing } = judge({ statements: [...requirements, ...rows], evidence, statuses: statuses() });

const source = `${root}../shared/spec/requirements.json`;
if (existsSync(source)) problems.push(...differences(requirements, json(source)));
const systems = `${root}../shared/seeds/SYSTEMS.md`;
if (existsSync(systems)) {
  const ids = [...readFileSync(systems, 'utf8').matchAll(/^\| (\d{3}-\d\d) \|/gm)].map(([, id]) => ({ id }));
  problems.push(...differences(rows, ids));
}

const page = `${root}docs/requirements.md`;
const wanted = table({ requirements, rows, evidence });
if (options.write) writeFileSync(page, wanted);
else if (!existsSync(page) || readFileSync(page, 'utf8') !== wanted)
  problems.push('docs/requirements.md is not in step: run node scripts/requirements.mjs --write');

for (const problem of problems) console.error(problem);
const total = requirements.length + rows.length;
console.log(`requirements: ${total - missing.length} of ${total} have evidence`);
if (missing.length > 0) console.log(`without: ${missing.join(' ')}`);
process.exit(problems.length + missing.length > 0 ? 1 : 0);
