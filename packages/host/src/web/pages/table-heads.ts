/** The heads of a table in Markdown that has been read. Pure. */

/** What is read of a token of markdown-it. */
interface Token {
  readonly type: string;
  readonly content: string;
}

/** @param at - where the table opens; only its head is read, since a text may hold thousands of tables */
export function tableHeads(tokens: readonly Token[], at: number): readonly string[] {
  const heads: string[] = [];
  for (let next = at + 1; next < tokens.length && tokens[next]!.type !== 'thead_close'; next += 1) {
    const { type, content } = tokens[next]!;
    if (type === 'inline') heads.push(content);
  }
  return heads;
}
