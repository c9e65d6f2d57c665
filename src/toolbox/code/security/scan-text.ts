import type { SourceFile } from '../source-files.ts';
import { blank, matchText } from './match/match-text.ts';
import { splitStatements } from './match/sql-statements.ts';
import type { FileScan } from './scan-file-security.ts';

/** SQL of any dialect, by its statements; nothing has to parse. */
export function scanSql(file: SourceFile): FileScan {
  return { findings: matchText('sql', file, splitStatements(file.text)) };
}

/** Style sheets by patterns over the text without comments. */
export function scanCss(file: SourceFile): FileScan {
  const comments: [number, number][] = [];
  for (
    let at = file.text.indexOf('/*');
    at >= 0;
    at = file.text.indexOf('/*', comments.at(-1)?.[1])
  ) {
    const end = file.text.indexOf('*/', at + 2);
    comments.push([at, end < 0 ? file.text.length : end + 2]);
  }
  const text = blank(file.text, comments);
  return { findings: matchText('css', file, [{ start: 0, text, code: text }]) };
}
