/** A release is made by the workflow, from what is tested, with provenance. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { packageFolders, root } from '../../tools/places.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const json = (path: string) => JSON.parse(read(path));
interface Job {
  readonly needs?: string;
  readonly permissions: object;
  readonly steps: readonly Step[];
}
const workflow = parse(read('.github/workflows/release.yml')) as {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<'test' | 'release', Job>>;
};
const { test, release } = workflow.jobs;
const steps = [...test.steps, ...release.steps];
const publishing = release.steps.find(step => step.uses?.startsWith('changesets/action@'))!;

it('the workflow runs on main alone, and only what publishes may write', () => {
  expect(workflow.on).toEqual({ push: { branches: ['main'] } });
  expect(workflow.permissions).toEqual({});
  expect(test.permissions).toEqual({ contents: 'read' });
  expect(release.permissions).toEqual({ contents: 'write', 'pull-requests': 'write', 'id-token': 'write' });
});

it('the workflow installs what the lockfile says, tests it and packs it, before it publishes', () => {
  expect(test.steps.flatMap(step => step.run ?? []).filter(line => line.startsWith('npm '))).toEqual([
    'npm ci',
    'npm test',
    'npm run pack',
  ]);
  expect(release.needs).toBe('test');
  expect(release.steps.flatMap(step => step.run ?? [])).toEqual(['npm ci --ignore-scripts']);
  expect(release.steps.at(-1)).toBe(publishing);
  expect(publishing.with).toEqual({ version: 'npm run version', publish: 'npm run release' });
});

it('the workflow tests on the oldest Node that the packages support', () => {
  const { with: setup } = test.steps.find(step => step.uses?.startsWith('actions/setup-node@'))!;
  for (const folder of packageFolders)
    expect(json(join(folder, 'package.json')).engines).toEqual({ node: `^${setup?.['node-version']}.0 || >=22.12.0` });
});

it('the workflow names each action by a commit, and each script by a name that the repository has', () => {
  for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  const { scripts } = json('package.json');
  const lines = [...steps.map(step => step.run ?? ''), ...Object.values(publishing.with ?? {}).map(String)];
  const names = lines.flatMap(line => [...line.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name!));
  expect(names).toEqual(['pack', 'version', 'release']);
  for (const name of names) expect(scripts).toHaveProperty(name);
});

it('all packages are released together, since each asks for the others in the very same version', () => {
  const manifests = packageFolders.map(folder => json(join(folder, 'package.json')));
  expect(new Set(manifests.map(each => each.version)).size).toBe(1);
  for (const { dependencies = {}, version } of manifests)
    for (const { name } of manifests) if (name in dependencies) expect(dependencies[name]).toBe(version);
  expect(json('.changeset/config.json').fixed).toEqual([['@midcall/*', 'midcall', 'create-midcall']]);
});

it('every package is published openly and with provenance', () => {
  expect(publishing.env).toMatchObject({ NPM_CONFIG_PROVENANCE: 'true' });
  for (const folder of packageFolders)
    expect(json(join(folder, 'package.json')).publishConfig).toEqual({ access: 'public', provenance: true });
  expect(json('.changeset/config.json')).toMatchObject({ access: 'public', baseBranch: 'main' });
});
