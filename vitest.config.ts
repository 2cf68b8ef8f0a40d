import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { soak } from './test/fixtures/soak.ts';
import { root, sourceOf } from './tools/places.ts';

/**
 * Three kinds of test, told apart by the end of a file's name: `.test.ts` runs in this process and takes milliseconds;
 * `.e2e.test.ts` starts real processes and servers; `.browser.test.ts` drives Chromium. `npm run check` runs the first kind
 * only, and of it only what is not tagged `thorough`.
 *
 * The time a test may take only ends one that hangs. What a test says is never a matter of time: it waits for what it is
 * about, so that a busy machine comes to the same.
 */
interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | { readonly default: string }>>;
}

const packages = `${root}packages/`;

/** Each public entry of each package, as its source: tests need no build. */
export const alias = readdirSync(packages).flatMap(folder => {
  const { name, exports = {} } = JSON.parse(readFileSync(`${packages}${folder}/package.json`, 'utf8')) as Manifest;
  return Object.entries(exports).flatMap(([entry, built]) => {
    if (typeof built === 'string') return [];
    const source = join(root, sourceOf(`packages/${folder}`, built.default));
    return [{ find: new RegExp(`^${name}${entry.slice(1)}$`), replacement: source }];
  });
});

interface Kind {
  readonly include: string[];
  readonly exclude?: string[];
  readonly isolate?: boolean;
}

/** Files share a process, so that what most of them import is loaded once. */
const project = (name: string, kind: Kind, hangsAfterMs = 300_000) => ({
  resolve: { alias },
  test: {
    name,
    isolate: false,
    ...kind,
    testTimeout: soak ? 3_600_000 : hangsAfterMs,
    hookTimeout: hangsAfterMs,
    setupFiles: [
      'test/fixtures/own-config.ts',
      'test/fixtures/no-pattern-as-text.ts',
      'test/fixtures/short-names.ts',
      'test/fixtures/record-frames.ts',
      'test/fixtures/record-canaries.ts',
    ],
  },
});

/** Put another module in the place of one of ours, or load ours anew, so they need a process where it has not been loaded. */
export const replaceModules = [
  'test/server/questions/channels.test.ts',
  'test/server/http/replaced-response.test.ts',
  'test/connect/globals.test.ts',
];

export default defineConfig({
  test: {
    // Tests of processes and browsers wait for most of their time.
    maxWorkers: 3,
    // What one project has compiled, the others read.
    experimental: { fsModuleCache: true },
    globalSetup: 'test/fixtures/own-tmp.ts',
    tags: [
      {
        name: 'thorough',
        description:
          'Tries many drawn inputs, many descriptors, every outcome, or every point at which something may stop.',
        timeout: 600_000,
      },
    ],
    projects: [
      project(
        'unit',
        {
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.{e2e,browser,soak}.test.ts', ...replaceModules],
        },
        60_000,
      ),
      project('replaced', { include: replaceModules, isolate: true }, 60_000),
      project('e2e', { include: ['test/**/*.{e2e,browser}.test.ts'] }),
    ],
  },
});
