/** Two texts line by line: removed lines, added lines, and the unchanged ones around them. Pure. */
import { type Html, html } from '@midcall/core/page';
import { diffLines } from 'diff';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';

/** The most characters of a text that are compared, changes that are searched for, and lines that are shown. */
const [mostCharacters, mostChanges, mostLines] = [400_000, 1_500, 2_000];
/** How many unchanged lines are shown on each side of a changed one. */
const around = 3;

interface Line {
  readonly mark: '+' | '-' | ' ';
  readonly text: string;
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** Every line of both; if they have too little in common to be compared, first the one and then the other. */
function compared(before: string, after: string): readonly Line[] {
  const [one, other] = [before, after].map(text => (text === '' ? '' : `${text.slice(0, mostCharacters)}\n`)) as [
    string,
    string,
  ];
  const parts = diffLines(one, other, { maxEditLength: mostChanges }) ?? [
    { value: one, removed: true, added: false },
    { value: other, added: true, removed: false },
  ];
  return parts.flatMap(({ value, added, removed }) =>
    linesOf(value).map(text => ({ mark: added ? ('+' as const) : removed ? ('-' as const) : (' ' as const), text })),
  );
}

/** The changed lines with those around them; a number stands for the lines left out between. */
function folded(lines: readonly Line[]): readonly (Line | number)[] {
  const near = new Set<number>();
  for (const [at, { mark }] of lines.entries()) {
    if (mark === ' ') continue;
    for (let each = at - around; each <= at + around; each += 1) near.add(each);
  }
  const folds: (Line | number)[] = [];
  let skipped = 0;
  for (const [at, line] of lines.entries()) {
    if (!near.has(at)) {
      skipped += 1;
      continue;
    }
    if (skipped > 0) folds.push(skipped);
    skipped = 0;
    folds.push(line);
  }
  return skipped > 0 ? [...folds, skipped] : folds;
}

const classes = { '+': 'came', '-': 'went', ' ': 'stayed' } as const;
const spoken = { '+': texts.compare.came, '-': texts.compare.went, ' ': '' } as const;

function row(line: Line | number): Html {
  if (typeof line === 'number') return html`<span class="diff-folded">${texts.compare.same(line)}</span>`;
  const { mark, text } = line;
  const spokenMark = spoken[mark] !== '' && html`<span class="unseen">${spoken[mark]}</span>`;
  return html`<span class="diff-${classes[mark]}">${spokenMark}<span class="diff-mark" aria-hidden="true">${mark}</span>${visibleHtml(text, 4_000)}</span>`;
}

/** What differs between two texts. @param about - what they are, for screen readers */
export function lineDiff(before: string, after: string, about: string): Html {
  const lines = compared(before, after);
  if (lines.every(({ mark }) => mark === ' ')) return html`<p class="empty">${texts.compare.equal}</p>`;
  const foldedLines = folded(lines);
  const left = foldedLines.length - mostLines;
  return html`<pre class="diff" tabindex="0" role="region" aria-label="${about}">${foldedLines.slice(0, mostLines).map(row)}${left > 0 && html`<span class="diff-folded">${texts.json.more(left)}</span>`}</pre>`;
}
