import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { findCrashReason, StderrTail } from './crash-reason.ts';

const crashes: readonly (readonly [string, string, string])[] = [
  [
    'npx with a name that does not exist',
    `npm error code E404
npm error 404 Not Found - GET https://registry.example/@acme%2fserver-filesytem - Not found
npm error 404
npm error 404  '@acme/server-filesytem@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git folder.
npm error A complete log of this run can be found in: /home/ada/.npm/_logs/debug-0.log`,
    "npm error 404  '@acme/server-filesytem@*' is not in this registry.",
  ],
  [
    'npm without a network',
    `npm error code ENOTFOUND
npm error syscall getaddrinfo
npm error network request to https://registry.example/x failed, reason: getaddrinfo ENOTFOUND registry.example
npm error network This is a problem related to network connectivity.
npm error network In most cases you are behind a proxy or have bad network settings.
npm error A complete log of this run can be found in: /home/ada/.npm/_logs/debug-0.log`,
    'npm error network request to https://registry.example/x failed, reason: getaddrinfo ENOTFOUND registry.example',
  ],
  [
    'a Node program that throws',
    `listening
/srv/a.js:1
throw new Error('no token');
^

Error: no token
    at Object.<anonymous> (/srv/a.js:1:7)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)

Node.js v24.21.0`,
    'Error: no token',
  ],
  [
    'a Node program that is not there',
    `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/srv/nosuch.mjs'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v24.21.0`,
    "Error: Cannot find module '/srv/nosuch.mjs'",
  ],
  [
    'an error of Node with a code',
    `node:internal/errors:540
      throw error;
      ^

TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument must be of type string
    at validateString (node:internal/validators:162:11)

Node.js v24.21.0`,
    'TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument must be of type string',
  ],
  [
    'a chain of exceptions in Python',
    `Traceback (most recent call last):
  File "/srv/p.py", line 3, in f
    import nosuchmodule
ModuleNotFoundError: No module named 'nosuchmodule'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/p.py", line 6, in <module>
    f()
acme.config.Misconfigured: set ACME_TOKEN`,
    'acme.config.Misconfigured: set ACME_TOKEN',
  ],
  [
    'a command line that Python refuses',
    'usage: srv [-h] --token TOKEN\nsrv: error: the following arguments are required: --token',
    'srv: error: the following arguments are required: --token',
  ],
  [
    'an image that Docker does not find',
    `Unable to find image 'acme/mcp:latest' locally
docker: Error response from daemon: pull access denied for acme/mcp, repository does not exist

Run 'docker run --help' for more information`,
    'docker: Error response from daemon: pull access denied for acme/mcp, repository does not exist',
  ],
  [
    'a panic in Go',
    `panic: assignment to entry in nil map

goroutine 1 [running]:
main.main()
\t/srv/main.go:2 +0x2e
exit status 2`,
    'panic: assignment to entry in nil map',
  ],
  [
    'a panic in Rust',
    `thread 'main' (29276) panicked at src/main.rs:1:90:
called \`Result::unwrap()\` on an \`Err\` value: NotPresent
stack backtrace:
   0: __rustc::rust_begin_unwind
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.`,
    "thread 'main' (29276) panicked at src/main.rs:1:90: called `Result::unwrap()` on an `Err` value: NotPresent",
  ],
  [
    'an exception in Java with its cause',
    `Exception in thread "main" java.lang.RuntimeException: outer
\tat J.main(J.java:1)
Caused by: java.lang.IllegalStateException: inner
\tat J.main(J.java:1)`,
    'Caused by: java.lang.IllegalStateException: inner',
  ],
  ['a shell', 'sh: 1: acme-server: not found', 'sh: 1: acme-server: not found'],
  [
    'a program that says goodbye',
    'Starting\n2026-11-17 ERROR config: token is missing\nshutting down\n',
    '2026-11-17 ERROR config: token is missing',
  ],
];

/** Programs that Node ends, and what must be said of them. */
const programs: readonly (readonly [string, string])[] = [
  [`throw 'no token given'`, 'no token given'],
  [`throw { code: 'EBAD', detail: 'no token' }`, `{ code: 'EBAD', detail: 'no token' }`],
  [`throw 42`, '42'],
  [`Promise.reject('no token given')`, 'Unhandled rejection: no token given'],
  [`Promise.reject(new RangeError('too far'))`, 'RangeError: too far'],
  [
    `class Misconfigured extends Error { name = 'Misconfigured' }; throw new Misconfigured('set X')`,
    'Misconfigured: set X',
  ],
  [
    `throw new Error('two things:\\n - no token\\n - no url')`,
    'Error: two things: - no token - no url',
  ],
  [
    `throw Object.assign(new Error('bad config'), { issues: Array.from({ length: 99 }, (_, at) => ({ path: ['a', at], message: 'Required', code: 'invalid_type' })) })`,
    'Error: bad config',
  ],
  [
    `Error.stackTraceLimit = 500; const f = (n) => { if (n === 0) throw new Error('deep'); f(n - 1); }; f(400)`,
    'Error: deep',
  ],
  [`require('not-there-at-all')`, "Error: Cannot find module 'not-there-at-all' Require stack: - "],
  [`undefined.x`, "TypeError: Cannot read properties of undefined (reading 'x')"],
];

describe('the line that says why a program died', () => {
  it.each(crashes)('of %s', (_what, stderr, expected) => {
    expect(findCrashReason(stderr.split('\n'))).toBe(expected);
  });

  it.each(programs)('of a real program: %s', (source, expected) => {
    const run = spawnSync(process.execPath, ['-e', `console.error('up')\n${source}`], {
      encoding: 'utf8',
    });
    const lines = new StderrTail();
    for (const line of run.stderr.split('\n')) lines.add(line);
    expect(lines.crashReason().startsWith(expected), lines.crashReason()).toBe(true);
  });

  it('is the last one where none stands out', () => {
    expect(findCrashReason(['hello', 'bye', ''])).toBe('bye');
    expect(findCrashReason(['', 'Node.js v24.21.0'])).toBe('Node.js v24.21.0');
    expect(findCrashReason([])).toBe('');
  });
});
