import { TextPositions } from '../../text-positions.ts';
import type { FileImports, ImportReference } from '../import-reference.ts';

/** `@import` of CSS. Comments become blanks first, so that lines stay where they are. */
export function readCssImports(text: string): FileImports {
  const bare = blankComments(text);
  const positions = new TextPositions(bare);
  const imports = bare.matchAll(
    /@import\s{1,99}(?:url\(\s{0,99})?(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'();]+))/gi,
  );
  const references = [...imports].map((match) => ({
    specifier: asRelative(match[1] ?? match[2] ?? match[3] ?? ''),
    line: positions.line(match.index),
  }));
  return { references };
}

function blankComments(text: string): string {
  const parts: string[] = [];
  let position = 0;
  while (position < text.length) {
    const start = text.indexOf('/*', position);
    if (start < 0) break;
    const end = text.indexOf('*/', start + 2);
    const stop = end < 0 ? text.length : end + 2;
    parts.push(text.slice(position, start), text.slice(start, stop).replaceAll(/[^\n]/g, ' '));
    position = stop;
  }
  parts.push(text.slice(position));
  return parts.join('');
}

const maxTagLength = 10_000;

/** `<script src>` and `<link href>` of style sheets and modules; comments are left out. */
export function readHtmlImports(text: string): FileImports {
  const positions = new TextPositions(text);
  const references: ImportReference[] = [];
  let position = 0;
  while (position < text.length) {
    const start = text.indexOf('<', position);
    if (start < 0) break;
    const isComment = text.startsWith('<!--', start);
    const end = text.indexOf(isComment ? '-->' : '>', start + 1);
    if (end < 0) break;
    position = end + 1;
    if (isComment || end - start > maxTagLength) continue;
    const specifier = importedBy(text.slice(start + 1, end));
    if (specifier)
      references.push({ specifier: asRelative(specifier), line: positions.line(start) });
  }
  return { references };
}

function importedBy(tag: string): string | undefined {
  const name = /^[a-z]+/i.exec(tag)?.[0].toLowerCase();
  if (name === 'script') return attributeOf(tag, 'src');
  if (name !== 'link') return undefined;
  const relation = attributeOf(tag, 'rel')?.toLowerCase() ?? '';
  return /\b(stylesheet|modulepreload)\b/.test(relation) ? attributeOf(tag, 'href') : undefined;
}

function attributeOf(tag: string, name: string): string | undefined {
  const start = new RegExp(`\\s${name}\\s{0,9}=\\s{0,9}`, 'i').exec(tag);
  if (!start) return undefined;
  const rest = tag.slice(start.index + start[0].length);
  const value = /^(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/.exec(rest);
  return value?.[1] ?? value?.[2] ?? value?.[3];
}

/** On the web `a.css` lies beside the file; the address part after `?` or `#` names no other file. */
function asRelative(address: string): string {
  const path = address.replace(/[?#].*$/, '');
  return /^([a-z][a-z0-9+.-]*:|\/|\.\.?\/)/i.test(path) ? path : `./${path}`;
}
