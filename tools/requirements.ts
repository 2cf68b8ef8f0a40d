/**
 * Checks that every normative statement and every behaviour of the source documents is held by a test
 * (requirements-judge.ts): `npm run requirements [-- --report FILE] [-- --write]`.
 *
 * `--report` takes Vitest's JSON report of a whole run, and each statement must have a test that passed; without it, one
 * that is written. `--write` writes docs/requirements.md instead of comparing it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { root } from './places.ts';
import { judge, judgeRun, type Report, reported, table } from './requirements-judge.ts';
import { reasons, requirements, rows, statements, testsNamed } from './tests-named.ts';

const { values: options } = parseArgs({ options: { report: { type: 'string' }, write: { type: 'boolean' } } });

const named = testsNamed();
const { problems, missing } = judge({ statements, named, reasons });
if (options.report) {
  const report = JSON.parse(readFileSync(options.report, 'utf8')) as Report;
  problems.push(...judgeRun({ statements, tests: reported(report, root), reasons }));
}

const page = `${root}docs/requirements.md`;
const wanted = table({ requirements, rows, named, reasons });
if (options.write) writeFileSync(page, wanted);
else if (!existsSync(page) || readFileSync(page, 'utf8') !== wanted)
  problems.push('docs/requirements.md is not in step: run npm run requirements -- --write');

for (const problem of problems) console.error(problem);
console.log(`requirements: ${statements.length - missing.length} of ${statements.length} have tests`);
if (missing.length > 0) console.log(`without: ${missing.join(' ')}`);
process.exit(problems.length + missing.length > 0 ? 1 : 0);
