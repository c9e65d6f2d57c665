import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { TextPositions } from '../../text-positions.ts';
import type { FileImports, ImportReference } from '../resolution.ts';

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

/** `<script src>` and `<link href>` of style sheets and modules, in document order. */
export function readHtmlImports(text: string): FileImports {
  const references: ImportReference[] = [];
  const open: DefaultTreeAdapterTypes.Node[] = [parse(text, { sourceCodeLocationInfo: true })];
  for (let node = open.pop(); node; node = open.pop()) {
    if ('content' in node) open.push(node.content);
    if ('childNodes' in node) open.push(...node.childNodes.toReversed());
    if (!('attrs' in node)) continue;
    const specifier = importedBy(node);
    const line = node.sourceCodeLocation?.startLine;
    if (specifier && line) references.push({ specifier: asRelative(specifier), line });
  }
  return { references };
}

function importedBy({ tagName, attrs }: DefaultTreeAdapterTypes.Element): string | undefined {
  const attribute = (name: string) => attrs.find((one) => one.name === name)?.value;
  if (tagName === 'script') return attribute('src');
  const isImport = /\b(stylesheet|modulepreload)\b/i.test(attribute('rel') ?? '');
  return tagName === 'link' && isImport ? attribute('href') : undefined;
}

/** On the web `a.css` lies beside the file; the address part after `?` or `#` names no other file. */
function asRelative(address: string): string {
  const path = address.replace(/[?#].*$/, '');
  return /^([a-z][a-z0-9+.-]*:|\/|\.\.?\/)/i.test(path) ? path : `./${path}`;
}
