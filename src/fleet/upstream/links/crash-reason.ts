import { stripVTControlCharacters } from 'node:util';

/** Limits of the kept stderr: enough for a crash with its stack or a thrown object. */
const maxLines = 1_000;
const maxLength = 64 * 1024;

/** The latest lines of stderr, to find out why a process died. */
export class StderrTail {
  readonly #lines: string[] = [];
  #length = 0;

  add(line: string): void {
    this.#lines.push(line);
    this.#length += line.length;
    while (this.#lines.length > maxLines || this.#length > maxLength) {
      this.#length -= this.#lines.shift()?.length ?? 0;
    }
  }

  /** The most informative line; see `findCrashReason`. */
  crashReason(): string {
    return findCrashReason(this.#lines.map((line) => stripVTControlCharacters(line)));
  }
}

/** Lines without the cause: stacks, source excerpts, and trailers of runtimes. */
const noise = [
  /^\s*$/,
  /^\s*\^+\s*$/,
  /^\s+at /,
  /^\s*\d+: /,
  /^-{3,} .* -{3,}$/,
  /^\s+File "/,
  /^\s*\.\.\. /,
  /^\s*[{}]\s*,?$/,
  /^\s+(?:code|errno|syscall|requireStack|path|spawnargs): /,
  /^\tfrom /,
  /^goroutine \d+ /,
  /^exit status \d+$/,
  /^stack backtrace:$/,
  /^note: .*RUST_BACKTRACE/,
  /^Node\.js v\d/,
  /^\(Use `node /,
  /^(?:See|Run) 'docker /,
  /^npm (?:ERR!|error)\s*(?:code \S+|\d{3})?$/,
  /^npm (?:ERR!|error) .*(?:A complete log of this run|debug-\d+\.log|Note that you can also|tarball, folder|In most cases|'proxy' config|problem related to network)/,
  /^npm (?:notice|warn|WARN)\b/,
];

/** Lines in which a runtime names the cause. */
const causes = [
  // Node, Python, Java, .NET: `TypeError: x`, `a.b.SomeException: x`, behind what announces it.
  /^(?:Uncaught |Unhandled exception[.:] |Caused by: |Exception in thread "[^"]*" )?(?:[\w$]+[.:])*[\w$]*(?:Error|Exception|Interrupt|Exit)(?: \[\w+\])?: \S/,
  /^panic: /,
  /^fatal error: /,
  /^thread '.*' .*panicked at /,
  /Error response from daemon/,
  /^npm (?:ERR!|error) .*(?:Not Found|is not in this registry|not in the npm registry|No matching version|failed, reason:|Forbidden|Unauthorized|could not determine executable)/i,
];

const suspicious =
  /\b(?:error|fatal|panic|exception|fail(?:ed|ure)?|cannot|can't|could not|unable|denied|not found|no such|missing|required|invalid|refused|usage)\b/i;

/**
 * The line of a dead process's stderr that best explains its death: the exception rather than its stack, npm's
 * reason rather than the path of its log. Node's own report comes first. Among equals the latest; the last line
 * when none stands out.
 */
export function findCrashReason(lines: readonly string[]): string {
  const thrown = thrownInNode(lines);
  if (thrown !== undefined) return thrown;
  let best = { line: '', weight: 0 };
  let isInTraceback = false;
  for (const [index, line] of lines.entries()) {
    const weight = weightOf(line, isInTraceback);
    if (weight > 0 && weight >= best.weight)
      best = { line: withNext(line, lines[index + 1]), weight };
    if (line.startsWith('Traceback (most recent call last)')) isInTraceback = true;
    else if (isUnindented(line)) isInTraceback = false;
  }
  if (best.weight > 0) return best.line;
  const filled = lines.filter((line) => line.trim() !== '');
  return filled.findLast((line) => !/^Node\.js v\d/.test(line)) ?? filled.at(-1) ?? '';
}

/** Lines between what was thrown and its stack: a message may have several. */
const maxMessageLines = 20;
const rejectionReason = /^\[?UnhandledPromiseRejection: .* with the reason "(.*)"\.\]?(?: \{)?$/s;

/**
 * Node's report of an uncaught exception: location, source line, a mark below it, then the thrown value with its
 * stack, and at the end Node's version.
 */
function thrownInNode(lines: readonly string[]): string | undefined {
  const end = lines.findLastIndex((line) => /^Node\.js v\d/.test(line));
  const mark = lines.slice(0, Math.max(end, 0)).findLastIndex((line) => /^\s*\^+\s*$/.test(line));
  if (mark === -1) return undefined;
  const rest = lines.slice(mark + 1, end);
  const start = rest.findIndex((line) => line.trim() !== '' && line.trim() !== 'Uncaught:');
  const message = start === -1 ? [] : rest.slice(start, start + maxMessageLines);
  const stop = message.findIndex((line) => /^\s+at |^\(Use `node |^\s*$/.test(line));
  const text = (stop === -1 ? message : message.slice(0, stop))
    .map((line) => line.trim())
    .join(' ');
  const reason = rejectionReason.exec(text)?.[1];
  if (reason !== undefined) return `Unhandled rejection: ${reason}`;
  return text === '' ? undefined : text;
}

function weightOf(line: string, isInTraceback: boolean): number {
  if (noise.some((pattern) => pattern.test(line))) return 0;
  // What ends a traceback of Python is its exception, whatever it is called.
  if (isInTraceback && isUnindented(line)) return 4;
  if (causes.some((pattern) => pattern.test(line))) return 4;
  if (suspicious.test(line)) return isUnindented(line) ? 3 : 2;
  return 1;
}

/** A Rust panic has its message on the next line. */
function withNext(line: string, next: string | undefined): string {
  return /panicked at .*:$/.test(line) && next !== undefined ? `${line} ${next}` : line;
}

function isUnindented(line: string): boolean {
  return /^\S/.test(line);
}
