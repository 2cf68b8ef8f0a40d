/**
 * Looks whether a secret of a test run got out: `canary.ts FRAMES CANARIES`, the two directories that frames-tap.ts and
 * canary-tap.ts recorded to. In frames, in request states (opened with the keys of the run), addresses,
 * pages, logs, audit events, warnings, spans and errors, caught ones too. Needs a build.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyRing } from '../packages/server/src/state/keys.ts';
import { createSealer } from '../packages/server/src/state/seal.ts';
import { type Heard, judgeCanaries } from './canary-judge.ts';
import type { Frame } from './frames-judge.ts';

type Secret = Heard['secrets'][number];
type Said = Heard['said'][number];

const [framesDirectory = '.', directory = '.'] = process.argv.slice(2);
const linesOf = (from: string): string[] =>
  readdirSync(from).flatMap(name => readFileSync(join(from, name), 'utf8').split('\n').filter(Boolean));

const heard = linesOf(directory).map(line => JSON.parse(line) as Partial<Secret & Said> & { readonly key?: string });
const secrets = heard.filter((each): each is Secret => each.secret !== undefined);
// A key that a ring refuses, as tests try out, has sealed nothing.
const keys = [...new Set(heard.flatMap(({ key }) => key ?? []))].filter(key => {
  try {
    return keyRing(key).keys.length > 0;
  } catch {
    return false;
  }
});
const said = heard.filter((each): each is Said => each.sink !== undefined);
const sealer = keys.length > 0 ? createSealer(keyRing(keys), { maxLength: 2 ** 25 }) : undefined;
let [frames, states, unopened] = [0, 0, 0];
/** What a line begins with that records a frame: in the strings before it, every quote is escaped. */
const frameBegins = ',"frame":';
for (const line of linesOf(framesDirectory)) {
  frames += 1;
  const at = line.indexOf(frameBegins);
  // The frame itself stands there as it was written, so nothing is parsed that would only be written again.
  const { test, from, over, text = '' } = JSON.parse(at < 0 ? line : `${line.slice(0, at)}}`) as Frame;
  const written = at < 0 ? text : line.slice(at + frameBegins.length, -1);
  said.push({ test, sink: `a frame of the ${from} over ${over}`, text: written });
  for (const [state] of written.matchAll(/\bm1\.[\w-]{60,}/gu)) {
    const opened = sealer?.open(state, 'request-state');
    if (opened?.ok) said.push({ test, sink: 'a request state', text: JSON.stringify(opened.payload) });
    if (opened?.ok) states += 1;
    else unopened += 1;
  }
}
const problems = judgeCanaries({ secrets, said });
for (const line of new Set(problems.map(({ test, says }) => `${test || 'no test'}: ${says}`))) console.error(line);
console.log(
  `canary: ${secrets.length} secrets looked for in ${frames} frames, ${states} opened states and ${said.length - frames - states} addresses, ` +
    `pages, logs, spans and errors (${unopened} states changed or sealed elsewhere); ${problems.length} problems`,
);
process.exit(problems.length > 0 || secrets.length === 0 || frames === 0 ? 1 : 0);
