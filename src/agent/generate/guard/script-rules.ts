/** Modules through which a script reaches other processes, its engine or its runner. */
export const deniedModules: ReadonlySet<string> = new Set(
  (
    'child_process worker_threads cluster vm module inspector v8 repl async_hooks diagnostics_channel trace_events wasi ' +
    'test/reporters process sea inspector/promises'
  ).split(' '),
);

/** Code does not know that it is tested. */
export const testModules: ReadonlySet<string> = new Set(
  'test assert assert/strict vitest jest @jest/globals mocha chai'.split(' '),
);

export const allowedOfProcess: ReadonlySet<string> = new Set(
  'stdout stderr stdin nextTick hrtime platform arch memoryUsage uptime cwd version versions argv env exitCode'.split(
    ' ',
  ),
);

export const deniedNames: ReadonlySet<string> = new Set(
  'eval Function globalThis global arguments WebAssembly FinalizationRegistry __filename __dirname'.split(
    ' ',
  ),
);

export const deniedMembers: ReadonlySet<string> = new Set(
  (
    'callee caller captureStackTrace prepareStackTrace stackTraceLimit stack __proto__ __defineGetter__ __defineSetter__ ' +
    'reallyExit mainModule binding getCallSites'
  ).split(' '),
);

/** Things of the language; what is changed in them changes what a test runner does. */
export const ownObjects: ReadonlySet<string> = new Set(
  (
    'Object Array String Number Boolean Math JSON Promise Date RegExp Symbol Error TypeError RangeError Map Set WeakMap WeakSet ' +
    'Reflect Proxy console process Buffer Function'
  ).split(' '),
);

export const deniedStrings =
  /NODE_TEST|NODE_OPTIONS|\.tests-|report\.jsonl|\/proc\/|child_process|reallyExit|__proto__/;
export const deniedStringsOfCode = /node:test|\bvitest\b|\bjest\b|NODE_ENV|VITEST|JEST_|\.test\./i;

/** Variables by which a program can tell that it is tested. */
export const deniedVariables = /TEST|^CI$|^NODE_|VITEST|JEST|^npm_/i;
