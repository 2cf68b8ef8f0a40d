/** The file that keeps the person's consent to calls. */
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { consentFile } from '@midcall/host';
import { expect, it } from 'vitest';

const newPath = (): string => join(mkdtempSync(join(tmpdir(), 'midcall-consent-')), 'consent.json');
const call = { started: [], ended: { how: 'executed', at: 1 } } as const;

it('consent-storage-S1: the file is empty before it exists, and then holds all changes of several at once, for its owner alone', async () => {
  const path = newPath();
  const files = [consentFile(path), consentFile(path)];
  expect(files[0]!.current()).toEqual({ grants: [], calls: {} });
  const names = Array.from({ length: 20 }, (_, n) => `c${n}`);
  await Promise.all(
    names.map((name, n) =>
      files[n % 2]!.change(({ calls, ...rest }) => ({ ...rest, calls: { ...calls, [name]: call } })),
    ),
  );
  for (const file of files) expect(Object.keys(file.current().calls).sort()).toEqual([...names].sort());
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(files[0]!.current()).toBe(files[0]!.current());
});

it.each([
  ['text', 'no JSON'],
  ['a list', '[]'],
  ['a call without a list of starts', '{"grants":[],"calls":{"a":{}}}'],
  ['a yes without a time', '{"grants":[],"calls":{"a":{"started":[],"yes":{"id":"x"}}}}'],
  ['a start of no process', '{"grants":[],"calls":{"a":{"started":[{"id":"x","at":1,"by":{}}]}}}'],
  ['no list of grants', '{"calls":{}}'],
  ['a grant without a width', '{"grants":[{"id":"x"}],"calls":{}}'],
  ['an unknown end', '{"grants":[],"calls":{"a":{"started":[],"ended":{"how":"done","at":1}}}}'],
])(
  'consent-storage-S2: %s is not taken for an empty file, at the start or later, and nothing is written over it',
  async (_, text) => {
    const path = newPath();
    const file = consentFile(path);
    await file.change(content => ({ ...content, calls: { a: call } }));
    writeFileSync(path, text);
    const says = 'does not hold the consent to calls';
    expect(() => consentFile(path)).toThrow(says);
    // Also the second time it is looked at.
    expect(() => file.current()).toThrow(says);
    expect(() => file.current()).toThrow(says);
    await expect(file.change(content => content)).rejects.toThrow(says);
    expect(readFileSync(path, 'utf8')).toBe(text);
    writeFileSync(path, '{"grants":[],"calls":{}}');
    expect(file.current()).toEqual({ grants: [], calls: {} });
  },
);

it('another process reads what is in the file: unused answers, calls that were started, and how calls ended', async () => {
  const path = newPath();
  const calls = {
    a: { started: [], yes: { id: 'y', at: 1 } },
    b: { started: [{ id: 's', at: 1, by: { pid: 1, host: 'h', began: 'b' } }] },
    c: { started: [], ended: { how: 'in-doubt', at: 1 } },
    d: call,
  } as const;
  await consentFile(path).change(content => ({ ...content, calls }));
  expect(consentFile(path).current()).toEqual({ grants: [], calls });
});
