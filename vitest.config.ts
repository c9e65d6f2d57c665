import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'test/support/temporary-folder.ts',
    include: ['src/**/*.test.ts', 'testkit/**/*.test.ts', 'test/**/*.test.ts'],
    // More than there are processors: many tests wait for processes and clocks most of their time.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.suite.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
    },
  },
});
