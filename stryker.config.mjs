/** How code is broken to see whether a test notices; scripts/mutants.ts says which. */

export default {
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutants.config.ts' },
  coverageAnalysis: 'perTest',
  // A mutant in what runs once, when a module is loaded, takes all tests for itself.
  ignoreStatic: true,
  ignorePatterns: ['/packages/*/dist', '/api', '/tarballs', '/docs/images'],
  tempDirName: '.stryker-tmp',
  concurrency: 2,
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: 'reports/mutants.json' },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  thresholds: { high: 85, low: 85, break: 85 },
};
