/**
 * Runs test files with node:test, each in a process of its own, and records what they report. Runs
 * inside the sandbox. What to do comes on standard input as JSON, with the key that signs the
 * records: the processes of the tests get neither.
 */
import { createHmac } from 'node:crypto';
import { existsSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import nodeModule from 'node:module';
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

// Node 20 does not have it. It warns that it is experimental, which is of no interest to the tests' user.
const { stripTypeScriptTypes } = nodeModule;
process.removeAllListeners('warning');
const order = JSON.parse(readFileSync(0, 'utf8'));
const root = process.cwd();
const report = openSync(order.report, 'w');
let count = 0;
let failures = 0;

function record(kind, fields) {
  const text = JSON.stringify({ kind, ...fields });
  const signature = createHmac('sha256', Buffer.from(order.key, 'hex'))
    .update(`${count}\n${text}`)
    .digest('hex');
  count += 1;
  writeSync(report, `${signature} ${text}\n`);
}

const events = run({
  files: order.files.map((file) => resolve(file)),
  concurrency: true,
  ...(order.filter === null ? {} : { testNamePatterns: [order.filter] }),
  ...(order.coverage ? { coverage: true, coverageExcludeGlobs: order.coverageExcludes } : {}),
});
if (typeof order.separateMs === 'number') endLateChildren(order.separateMs);
// Open suites by file: names in events are those of the test alone.
const parents = new Map();
// The end of what each file wrote to standard error: why it failed, when it failed as a whole.
const complaints = new Map();
const maxComplaint = 4_000;

events.on('test:start', (data) => {
  const place = placeOf(data);
  const path = parents.get(place) ?? [];
  path.length = data.nesting;
  path[data.nesting] = data.name;
  parents.set(place, path);
  if (!isFile(data)) record('start', { name: path.join(' > '), file: place });
});
events.on('test:stderr', ({ file, message }) => {
  complaints.set(file, ((complaints.get(file) ?? '') + message).slice(-maxComplaint));
});
events.on('test:pass', (data) =>
  tell(data, data.skip !== undefined || data.todo !== undefined ? 'skipped' : 'passed'),
);
events.on('test:fail', (data) => tell(data, data.todo !== undefined ? 'skipped' : 'failed'));
events.on('test:coverage', ({ summary }) => {
  const meter = `Node ${process.version}`;
  const measured = new Set();
  for (const file of summary.files) {
    const path = relative(root, file.path);
    measured.add(path);
    const missing = file.lines.filter((line) => line.count === 0).map((line) => line.line);
    record('coverage', { file: path, lines: file.totalLineCount, missing, meter });
  }
  for (const file of order.sources) {
    // A test may have removed it.
    const missing = measured.has(file) || !existsSync(file) ? [] : codeLines(file);
    if (missing.length > 0) record('coverage', { file, lines: missing.length, missing, meter });
  }
});
events.on('end', () => {
  record('end', { exitCode: failures > 0 ? 1 : 0 });
  process.exitCode = failures > 0 ? 1 : 0;
});
events.compose(spec).pipe(process.stdout);

/** Ends each process of a test file that takes too long: `run` waits for them for ever. */
function endLateChildren(limitMs) {
  const since = new Map();
  const look = () => {
    for (const pid of childPids()) {
      if (!since.has(pid)) since.set(pid, performance.now());
      if (performance.now() - since.get(pid) > limitMs) process.kill(pid, 'SIGKILL');
    }
  };
  setInterval(look, 100).unref();
}

function childPids() {
  return readdirSync('/proc/self/task')
    .flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' '))
    .filter(Boolean)
    .map(Number);
}

/** All lines of a file that no test loaded, as Node counts them; none where it has nothing but types and comments. */
function codeLines(file) {
  const text = readFileSync(resolve(file), 'utf8');
  const code = withoutTypes(file, text).replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '');
  if (code.trim() === '') return [];
  return text
    .trimEnd()
    .split('\n')
    .map((_line, index) => index + 1);
}

function withoutTypes(file, text) {
  if (!/\.[cm]?ts$/.test(file) || !stripTypeScriptTypes) return text;
  try {
    return stripTypeScriptTypes(text);
  } catch {
    return text;
  }
}

function tell(data, status) {
  if (status === 'failed') failures += 1;
  const place = placeOf(data);
  const path = (parents.get(place) ?? []).slice(0, data.nesting);
  const error = data.details?.error;
  const name = [...path, data.name].join(' > ');
  const durationMs = data.details?.duration_ms ?? 0;
  if (isFile(data)) {
    const said = status === 'failed' ? (complaints.get(data.file) ?? '').trim() : '';
    const message = said || 'the file ended without reporting a test';
    failures += status === 'failed' ? 0 : 1;
    record('test', { name: place, file: place, status: 'error', durationMs, message });
    return;
  }
  const message = status === 'failed' ? failureText(error) : reasonOf(data);
  if (data.details?.type !== 'suite') {
    record('test', { name, file: place, status, durationMs, message });
    return;
  }
  record('stop', { name, file: place });
  // A suite that failed only because of its tests is told by them.
  if (status === 'failed' && error?.failureType !== 'subtestsFailed') {
    record('test', { name, file: place, status: 'error', durationMs, message });
  }
}

function reasonOf(data) {
  const reason = data.skip ?? data.todo;
  return typeof reason === 'string' && reason !== '' ? reason : null;
}

function failureText(error) {
  const cause = error?.cause ?? error;
  const text =
    typeof cause === 'string' ? cause : `${cause?.name ?? 'Error'}: ${cause?.message ?? ''}`;
  const place = /\(?((?:file:\/\/)?\/[^()\n]*?:\d+):\d+\)?$/m.exec(cause?.stack ?? '');
  const file = place ? relative(root, place[1].replace('file://', '')) : '';
  return place && !file.startsWith('..') ? `${text}\n(${file})` : text;
}

/** Node reports a file without tests, or one that failed as a whole, as a test named after it. */
function isFile(data) {
  return data.nesting === 0 && resolve(data.name) === data.file;
}

function placeOf(data) {
  return data.file ? relative(root, data.file) : '';
}
