/**
 * Judges the frames that a test run recorded in a directory: `node --import ./scripts/load-typescript.mjs scripts/frames.ts DIRECTORY`. Each by the schemas of
 * the SDK, and by the revision's own where `../shared/spec` lies beside the clone. What a test says wrong on purpose is
 * named in conformance/malformed.json, and an entry there that nothing needs is an error too.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Frame, judgeFrames, redacted, setAside, type Wrong } from './frames-judge.ts';
import { schemas } from './frames-schemas.ts';
import { root } from './places.ts';

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const [directory = '.'] = process.argv.slice(2);
const pathOf = (revision: string) => `${root}../shared/spec/${revision}/schema.json`;

const validate = schemas(revision => (existsSync(pathOf(revision)) ? json(pathOf(revision)) : undefined));
/** The SDK's schemas let some things pass that the revision's own refuse, so only with these is it known what is stale. */
const complete = ['2025-11-25', '2026-07-28'].every(revision => existsSync(pathOf(revision)));
const wrong: Wrong[] = [];
let count = 0;
for (const name of readdirSync(directory).sort()) {
  const own = readFileSync(join(directory, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Frame);
  count += own.length;
  wrong.push(...judgeFrames(own, validate));
}
const { left, stale: unneeded } = setAside(wrong, json(`${root}conformance/malformed.json`));
const stale = complete ? unneeded : [];
for (const { record, revision, problems } of left) {
  console.error(
    `${record.test || 'no test'}\n  ${record.from}, over ${record.over}, ${revision}: ${problems.join('; ')}`,
  );
  console.error(
    `  ${JSON.stringify(record.frame === undefined ? { text: record.text?.length } : redacted(record.frame))}`,
  );
}
for (const { test, from } of stale)
  console.error(`conformance/malformed.json: nothing the ${from} says is wrong in '${test}'`);
console.log(`frames: ${count}, ${wrong.length} wrong, ${wrong.length - left.length} of these on purpose`);
process.exit(count === 0 || left.length > 0 || stale.length > 0 ? 1 : 0);
