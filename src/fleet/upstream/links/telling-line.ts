/** Lines of stderr that are looked at: a crash with its stack fits, what was logged long before it does not. */
export const tellingLines = 60;

/** Says nothing about the cause: stacks, source excerpts, and what runtimes add at the end. */
const noise = [
  /^\s*$/,
  /^\s*\^+\s*$/,
  /^\s+at /,
  /^\s+\d+: /,
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
  /^(?:See|Run) 'docker /,
  /^npm (?:ERR!|error)\s*(?:code \S+|\d{3})?$/,
  /^npm (?:ERR!|error) .*(?:A complete log of this run|debug-\d+\.log|Note that you can also|tarball, folder|In most cases|'proxy' config|problem related to network)/,
  /^npm (?:notice|warn|WARN)\b/,
];

/** Names the cause in the words of a runtime. */
const telling = [
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
 * The line of a dead program's stderr that says most about why it died: the exception rather than its stack,
 * npm's reason rather than the path of its log. Among equals the latest; the last line when none stands out.
 */
export function tellingLine(lines: readonly string[]): string {
  let best = { line: '', weight: 0 };
  let isInTraceback = false;
  for (const [index, line] of lines.entries()) {
    const weight = weightOf(line, isInTraceback);
    if (weight > 0 && weight >= best.weight)
      best = { line: withNext(line, lines[index + 1]), weight };
    if (line.startsWith('Traceback (most recent call last)')) isInTraceback = true;
    else if (isUnindented(line)) isInTraceback = false;
  }
  return best.weight > 0 ? best.line : (lines.findLast((line) => line.trim() !== '') ?? '');
}

function weightOf(line: string, isInTraceback: boolean): number {
  if (noise.some((pattern) => pattern.test(line))) return 0;
  // What ends a traceback of Python is its exception, whatever it is called.
  if (isInTraceback && isUnindented(line)) return 4;
  if (telling.some((pattern) => pattern.test(line))) return 4;
  if (suspicious.test(line)) return isUnindented(line) ? 3 : 2;
  return 1;
}

/** A panic of Rust has its message in the next line. */
function withNext(line: string, next: string | undefined): string {
  return /panicked at .*:$/.test(line) && next !== undefined ? `${line} ${next}` : line;
}

function isUnindented(line: string): boolean {
  return /^\S/.test(line);
}
