import { defineConfig } from 'vitest/config';

/** They measure time on huge inputs, or look at the state of a process that must run nothing else. */
const alone = [
  'src/**/hostile-*.test.ts',
  'src/cli/compile-nothing.test.ts',
  'src/fleet/running-call.test.ts',
  'src/gateway/call-garbage.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: 'test/support/temporary-folder.ts',
    // More than there are processors: many tests wait for processes and clocks most of their time.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        // Files share modules, which takes 40 % less CPU.
        test: { name: 'units', include: ['src/**/*.test.ts'], exclude: alone, isolate: false },
      },
      {
        extends: true,
        test: { name: 'whole', include: ['testkit/**/*.test.ts', 'test/**/*.test.ts', ...alone] },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.suite.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
    },
  },
});
