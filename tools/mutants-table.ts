/** The table of tools/conformance/MUTANTS.md, which tools/mutants.ts writes row by row. Pure. */

export interface Row {
  readonly folder: string;
  readonly killed: number;
  readonly equivalent: number;
  readonly survived: number;
  readonly part: number;
  /** How many mutants Stryker makes of the folder, and how many of them were drawn at most. */
  readonly mutants: number;
  readonly sample: number;
  readonly minutes: number;
}

/** The cells of a row. Mutants that run only while a module is loaded cannot be switched on, and are in no column. */
export function cells(row: Row, at: Date): readonly string[] {
  const { folder, killed, equivalent, survived, part, mutants, sample, minutes } = row;
  const some = sample < mutants;
  return [
    `\`${folder}\``,
    some ? `${sample} drawn of ${mutants}` : `all ${mutants}`,
    `${killed}`,
    `${survived}`,
    `${equivalent}`,
    `${(100 * part).toFixed(1)} %`,
    `\`npm run mutants -- ${some ? `--sample ${sample} ` : ''}${folder}\``,
    at.toISOString().slice(0, 10),
    minutes.toFixed(minutes < 10 ? 1 : 0),
  ];
}

/** The document with this row in the place of what it had for the folder, or after its last row. */
export function withRow(document: string, row: Row, at: Date): string {
  const written = `| ${cells(row, at).join(' | ')} |`;
  const lines = document.trimEnd().split('\n');
  const old = lines.findIndex(line => line.startsWith(`| \`${row.folder}\` |`));
  if (old >= 0) lines[old] = written;
  else lines.splice(lines.findLastIndex(line => line.startsWith('|')) + 1, 0, written);
  return `${lines.join('\n')}\n`;
}
