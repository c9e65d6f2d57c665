import type { SourceFile } from '../../source-files.ts';
import type { FileScan } from '../scan-file-security.ts';
import { blank, matchTextRules } from '../text-rule.ts';
import { cssRules } from './css-rules.ts';

export async function scanCss(file: SourceFile): Promise<FileScan> {
  return { findings: matchTextRules(cssRules, withoutComments(file.text), file.path) };
}

function withoutComments(text: string): string {
  const comments: [number, number][] = [];
  for (let at = text.indexOf('/*'); at >= 0; at = text.indexOf('/*', comments.at(-1)?.[1])) {
    const end = text.indexOf('*/', at + 2);
    comments.push([at, end < 0 ? text.length : end + 2]);
  }
  return blank(text, comments);
}
