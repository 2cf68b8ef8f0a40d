import { defineConfig } from 'vitest/config';
import { alias } from './vitest.config.ts';

/** What only `npm run soak` runs. Before it that runs what `npm test` does, in full counts (test/fixtures/soak.ts). */
export default defineConfig({
  resolve: { alias },
  test: {
    include: ['test/**/*.soak.test.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    env: { MIDCALL_SOAK: '1' },
    globalSetup: 'test/fixtures/own-tmp.ts',
    fileParallelism: false,
  },
});
