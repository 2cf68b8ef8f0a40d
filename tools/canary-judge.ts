/** Looks for secrets in what was said. Pure. */

/** What was planted, and what was said. */
export interface Heard {
  readonly secrets: readonly { readonly secret: string; readonly what: string; readonly test: string }[];
  readonly said: readonly { readonly sink: string; readonly text: string; readonly test: string }[];
}

export interface Problem {
  readonly test: string;
  readonly says: string;
}

/** Characters by which secrets are found: none that is shorter can be told from chance. */
const SHORTEST = 12;

/**
 * Where a secret may begin: a mark for every four characters that one begins with, so that hardly any other place in hundreds of
 * megabytes is looked at twice.
 */
const marks = 2 ** 22;
const markOf = (a: number, b: number, c: number, d: number): number =>
  Math.imul(a ^ (b << 7) ^ (c << 14) ^ (d << 21), 0x9e3779b1) >>> 10;

/** Every secret that was said somewhere, and every one that could not be looked for. None of them is repeated. */
export function judgeCanaries({ secrets, said }: Heard): Problem[] {
  const problems: Problem[] = [];
  const byStart = new Map<string, { secret: string; what: string }[]>();
  const marked = new Uint8Array(marks);
  for (const { secret, what, test } of secrets) {
    if (what === 'secret of a page' && secret.length < 1_000 && !/canary/iu.test(secret)) {
      problems.push({ test, says: 'enters a secret that is not recognisable: let it contain "canary"' });
    }
    if (secret.length < SHORTEST) {
      // Tests that are about people present their names as tokens.
      if (!what.startsWith('token ')) {
        problems.push({ test, says: `has a ${what} of fewer than ${SHORTEST} characters, which cannot be looked for` });
      }
      continue;
    }
    const start = secret.slice(0, SHORTEST);
    byStart.set(start, [...(byStart.get(start) ?? []), { secret, what }]);
    marked[markOf(secret.charCodeAt(0), secret.charCodeAt(1), secret.charCodeAt(2), secret.charCodeAt(3))] = 1;
  }
  for (const { sink, text, test } of said) {
    const found = new Set<string>();
    // Each letter is read once: this passes over all that a run has said.
    let a = text.charCodeAt(0);
    let b = text.charCodeAt(1);
    let c = text.charCodeAt(2);
    for (let at = 0; at + SHORTEST <= text.length; at++) {
      const d = text.charCodeAt(at + 3);
      const mark = markOf(a, b, c, d);
      a = b;
      b = c;
      c = d;
      if (marked[mark] === 0) continue;
      for (const { secret, what } of byStart.get(text.slice(at, at + SHORTEST)) ?? []) {
        if (text.startsWith(secret, at)) found.add(what);
      }
    }
    // The text itself is not repeated: it has the secret in it.
    for (const what of found) problems.push({ test, says: `${what} in: ${sink}` });
  }
  return problems;
}
