import { findCopyData } from './sql-copy-data.ts';

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

/** Splits a script at its client commands; the data after `COPY … FROM stdin` belongs to them. */
export function splitScript(text: string): readonly ScriptPart[] {
  const parts: ScriptPart[] = [];
  let lines: string[] = [];
  let start = 0;
  let kind: ScriptPart['kind'] = 'sql';
  const finish = (nextStart: number, nextKind: ScriptPart['kind']): void => {
    if (lines.length > 0) parts.push({ kind, text: lines.join('\n'), linesBefore: start });
    lines = [];
    start = nextStart;
    kind = nextKind;
  };
  const copyData = findCopyData(text).values();
  let data = copyData.next().value;
  let offset = 0;
  for (const [index, line] of text.split('\n').entries()) {
    while (data && data.end <= offset) data = copyData.next().value;
    const isData = data !== undefined && data.start <= offset;
    const lineKind = isData || commandLine.test(line) ? 'command' : 'sql';
    if (lineKind !== kind) finish(index, lineKind);
    lines.push(line);
    offset += line.length + 1;
  }
  finish(0, 'sql');
  return parts;
}
