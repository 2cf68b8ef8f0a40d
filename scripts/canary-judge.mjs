/** Looks for secrets in what was said. Pure; see canary-judge.d.mts. */

/** Characters by which secrets are found: none that is shorter can be told from chance. */
const SHORTEST = 12;

export function judgeCanaries({ secrets, said }) {
  const problems = [];
  const byStart = new Map();
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
  }
  for (const { sink, text, test } of said) {
    const found = new Set();
    for (let at = 0; at + SHORTEST <= text.length; at++) {
      for (const { secret, what } of byStart.get(text.slice(at, at + SHORTEST)) ?? []) {
        if (text.startsWith(secret, at)) found.add(what);
      }
    }
    // The text itself is not repeated: it has the secret in it.
    for (const what of found) problems.push({ test, says: `${what} in: ${sink}` });
  }
  return problems;
}
