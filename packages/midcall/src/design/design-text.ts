/** A proposal as text for a terminal. Pure. */
import { visible } from '@midcall/core/text';
import type { Proposal, ProposedAsk } from './propose.ts';

/** @param hasCode - true if a module goes with it */
export function designText(proposal: Proposal, hasCode: boolean): readonly string[] {
  const { tool, ask, kind, advice, reasons, uncertain, asks, timeoutMs, assurance, channels, outcomes } = proposal;
  const lines = [`${visibleLine(tool)}: ${ask ? 'ask' : 'do not ask'} (${kind})`, `  ${advice}`, '', 'Why'];
  for (const { text, source } of reasons) lines.push(`  - ${visibleLine(text)}`, `    ${source}`);
  if (uncertain.length > 0)
    lines.push('', 'What could not be determined', ...uncertain.map(each => `  - ${visibleLine(each)}`));
  for (const each of asks) {
    lines.push(
      '',
      `Question, ${visibleLine(each.when)} (${each.mode} mode)`,
      `  message  ${visibleLine(each.message)}`,
    );
    if (each.wire) lines.push('  form', ...fieldLines(each.wire));
  }
  if (outcomes) {
    lines.push('', 'Answer');
    for (const [outcome, then] of Object.entries(outcomes)) lines.push(`  ${outcome.padEnd(12)} ${visibleLine(then)}`);
    lines.push('', `Time ${timeoutMs! / 60_000} minutes, assurance ${assurance}, by ${channels!.join(', else ')}.`);
  }
  if (hasCode) lines.push('', 'With --code: the tool in TypeScript, ready to run.');
  return lines;
}

const visibleLine = (text: string): string => visible(text, { max: 500 });

/** One line per field. */
const fieldLines = ({ properties, required }: NonNullable<ProposedAsk['wire']>): readonly string[] =>
  Object.entries(properties).map(
    ([name, property]) =>
      `    ${visibleLine(name)}${required?.includes(name) ? ' (required)' : ''}: ${visible(JSON.stringify(property), { max: 500 })}`,
  );
