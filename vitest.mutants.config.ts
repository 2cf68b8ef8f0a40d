import { defineConfig } from 'vitest/config';
import { alias } from './vitest.config.ts';

/** The tests that judge mutants (scripts/mutants.ts): those in this process, and without the records of what they sent. */
export default defineConfig({
  resolve: { alias },
  test: {
    include: (process.env['MIDCALL_MUTANT_TESTS'] ?? 'test/**/*.test.ts').split(' '),
    exclude: ['test/**/*.{e2e,browser,soak}.test.ts'],
    tags: [{ name: 'thorough', timeout: 600_000 }],
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
});
