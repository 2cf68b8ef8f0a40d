/** The rows of SYSTEMS.md that are documents: what they must say is there, and agrees with what is tested and installed. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const section = (text: string, heading: string): string =>
  text.split(/^## /m).find(each => each.startsWith(`${heading}\n`)) ?? '';
/** The tests a text links, by title and file, that are not there. */
const stale = (text: string): string[] =>
  [...text.matchAll(/\[([^\]]+)\]\(\.\.\/(test\/[^)]+)\)/g)]
    .filter(([, title, path]) => !read(path!).includes(title!.replaceAll('\n', ' ')))
    .map(([link]) => link);

it('000-11: the page on URL mode names the SDK it was tested with, which is the one that is installed', () => {
  const { version } = JSON.parse(read('node_modules/@modelcontextprotocol/server/package.json')) as { version: string };
  expect(read('docs/connect.md').replace(/\s+/g, ' ')).toContain(`Tested with SDK ${version}.`);
});

it('000-19: the page compares confirming and asking again, by the tool that asks every time', () => {
  const page = read('docs/confirm-or-ask-again.md');
  expect(page).toMatch(/^\| +\| Confirm \| Ask again \|$/m);
  const compared = section(page, 'What differs').match(/^\| [^|-][^|]*\| [^|]+\| [^|]+\|$/gm) ?? [];
  expect(compared.length).toBeGreaterThanOrEqual(6);
  for (const tool of ['notes_archive', 'notes_delete']) expect(page).toContain(tool);
  for (const console of ['wire-2025', 'ask-again', 'user-call']) expect(page).toContain(`docs/console/${console}.txt`);
});

it('000-22: one open question of URL mode is named, with its discussion and what it means for the design', () => {
  const text = section(read('docs/connect.md'), 'An open question');
  expect(text).toMatch(/\?/);
  expect(text).toMatch(
    /\[[^\]]*SEP-1036\]\(https:\/\/github\.com\/modelcontextprotocol\/modelcontextprotocol\/\w+\/\d+\)/,
  );
  expect(text).toContain('Our answer');
});

it('000-23: the glossary has the ten terms, each as people say it and as it is meant', () => {
  const words = section(read('docs/glossary.md'), "The protocol's words");
  const rows = [...words.matchAll(/^\| \*\*(.+?)\*\* \| "([^|]+)" \| ([^|]+) \|$/gm)].map(([, term, said, meant]) => ({
    term,
    said,
    meant,
  }));
  expect(rows.map(row => row.term)).toEqual([
    'Root',
    '`roots/list`',
    '`list_changed`',
    'Elicitation',
    '`elicitation/create`',
    'Form mode',
    'URL mode',
    'Accept, decline, cancel',
    'Disambiguation',
    'Flat form',
  ]);
  for (const { meant } of rows) expect(meant!.length).toBeGreaterThan(60);
  const of = (term: string) => rows.find(row => row.term === term)!.meant;
  // What the specification says of them, where the documents the words came from say otherwise.
  expect(of('Accept, decline, cancel')).toMatch(/\*Decline\* is an explicit no\. \*Cancel\* is no decision/);
  expect(of('URL mode')).toContain('*I agree to open it*, not *I have finished*');
});

it('000-24: the lesson has its time, what it needs, its goals with tests that are there, and what to read next', () => {
  const lesson = read('docs/lesson.md');
  expect(lesson).toMatch(
    /^This takes forty-five minutes\. You need Node 22\.12 or newer, or Node 20 from 20\.19 on, .*\s+.* what an MCP server is\.$/m,
  );
  const goals = section(lesson, 'What you will be able to do, and what shows it')
    .split(/^- \[ \] /m)
    .slice(1);
  expect(goals).toHaveLength(4);
  for (const goal of goals) expect(goal).toMatch(/\]\(\.\.\/test\//);
  expect(stale(lesson)).toEqual([]);
  const reading = section(lesson, 'Further reading');
  for (const named of ['client/roots', 'client/elicitation', 'SEP-1036', 'Cisco', 'The New Stack'])
    expect(reading).toContain(named);
});

it('004-03: what hosts can do is dated', () => {
  expect(read('docs/hosts.md')).toMatch(
    /\*\*\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) 20\d\d\*\*/,
  );
});
