/** A stretch of a script: SQL, or lines for the client program that no SQL parser knows. */
export interface ScriptPart {
  readonly kind: 'sql' | 'command';
  readonly text: string;
  /** Lines before it in the script. */
  readonly linesBefore: number;
}

/**
 * psql's backslash commands, the separator of SQL Server's tools, and one-line statements whose syntax
 * none of the parsers has: settings of SQLite, and MySQL's users with a host.
 */
const commandLine =
  /^(?:\\[a-z!?.].*|go(?:[ \t]+\d+)?[ \t]*;?[ \t]*|pragma[ \t]+\w[^;]*;?[ \t]*|(?:create|alter|drop|grant|revoke|rename)[ \t][^;]*'@'[^;]*;?[ \t]*)$/i;

const copyFromInput = /^copy\s[^;]*\sfrom\s+stdin\b[^;]*;\s*$/i;
const endOfCopy = '\\.';

/** Splits a script at its client commands; the data after `COPY … FROM stdin` belongs to them. */
export function splitScript(text: string): readonly ScriptPart[] {
  const parts: ScriptPart[] = [];
  let lines: string[] = [];
  let start = 0;
  let kind: ScriptPart['kind'] = 'sql';
  let isInCopyData = false;
  const finish = (nextStart: number, nextKind: ScriptPart['kind']): void => {
    if (lines.length > 0) parts.push({ kind, text: lines.join('\n'), linesBefore: start });
    lines = [];
    start = nextStart;
    kind = nextKind;
  };
  for (const [index, line] of text.split('\n').entries()) {
    const lineKind = isInCopyData || commandLine.test(line) ? 'command' : 'sql';
    if (lineKind !== kind) finish(index, lineKind);
    lines.push(line);
    if (isInCopyData) isInCopyData = line !== endOfCopy;
    else isInCopyData = copyFromInput.test(line);
  }
  finish(0, 'sql');
  return parts;
}
