/**
 * Judges the frames that a test run recorded in a directory: `node --import ./tools/load-typescript.mjs tools/frames.ts DIRECTORY`. Each by the schemas of
 * the SDK, and by the revision's own (tools/conformance/schemas, as the protocol publishes them). What a test says wrong on purpose is
 * named in tools/conformance/malformed.json, and an entry there that nothing needs is an error too.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Frame, judgeFrames, redacted, setAside, type Wrong } from './frames-judge.ts';
import { schemas } from './frames-schemas.ts';
import { root } from './places.ts';

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const [directory = '.'] = process.argv.slice(2);

const validate = schemas(revision => json(`${root}tools/conformance/schemas/${revision}.json`));
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
const { left, stale } = setAside(wrong, json(`${root}tools/conformance/malformed.json`));
for (const { record, revision, problems } of left) {
  console.error(
    `${record.test || 'no test'}\n  ${record.from}, over ${record.over}, ${revision}: ${problems.join('; ')}`,
  );
  console.error(
    `  ${JSON.stringify(record.frame === undefined ? { text: record.text?.length } : redacted(record.frame))}`,
  );
}
for (const { test, from } of stale)
  console.error(`tools/conformance/malformed.json: nothing the ${from} says is wrong in '${test}'`);
console.log(`frames: ${count}, ${wrong.length} wrong, ${wrong.length - left.length} of these on purpose`);
process.exit(count === 0 || left.length > 0 || stale.length > 0 ? 1 : 0);
