import type { CodeContext } from '../../code-context.ts';
import type { SourceFile } from '../../source-files.ts';
import type { FileScan } from '../scan-file-security.ts';
import { findingOf, type SecurityFinding } from '../security-rule.ts';
import { TextPositions } from '../../text-positions.ts';
import { blank } from '../text-rule.ts';
import { htmlRules } from './html-rules.ts';
import { readTags, type HtmlTag } from './html-tags.ts';
import { lookupTable } from '../../../../kernel/index.ts';

/** A page by its tags; its scripts by the JavaScript rules. */
export async function scanHtml(file: SourceFile, context: CodeContext): Promise<FileScan> {
  const tags = readTags(file.text);
  const places = new TextPositions(file.text);
  const findings: SecurityFinding[] = [];
  for (const [index, tag] of tags.entries()) {
    for (const [name, matches] of Object.entries(htmlMatchers)) {
      const rule = htmlRules.get(name);
      if (!rule || !matches(tag, () => fieldsAfter(tags, index))) continue;
      findings.push(findingOf(rule, { file: file.path, ...places.position(tag.start) }));
    }
  }
  const scripts = await scanScripts(file, tags, context);
  return { findings: [...findings, ...scripts.findings] };
}

/** Everything but the inline scripts turned to spaces, so that lines and columns stay true. */
async function scanScripts(
  file: SourceFile,
  tags: readonly HtmlTag[],
  context: CodeContext,
): Promise<FileScan> {
  const outside: [number, number][] = [];
  let done = 0;
  for (const tag of tags) {
    if (tag.name !== 'script' || tag.attributes.has('src') || !isJavascript(tag)) continue;
    const close = file.text.indexOf('</', tag.end);
    const end = closingScript(file.text, tag.end, close);
    outside.push([done, tag.end]);
    done = end;
  }
  if (outside.length === 0) return { findings: [] };
  outside.push([done, file.text.length]);
  const { scanJavascript } = await import('../javascript/scan-javascript.ts');
  const script: SourceFile = {
    ...file,
    text: blank(file.text, outside),
    language: 'javascript',
  };
  return scanJavascript(script, context);
}

function closingScript(text: string, from: number, firstClose: number): number {
  if (firstClose < 0) return text.length;
  const close = /<\/script/gi;
  close.lastIndex = from;
  return close.exec(text)?.index ?? text.length;
}

function isJavascript(tag: HtmlTag): boolean {
  const type = tag.attributes.get('type') ?? '';
  return type === '' || /javascript|module|ecmascript|babel|jsx/i.test(type);
}

/** The tags of a form: all up to the next form. */
function fieldsAfter(tags: readonly HtmlTag[], form: number): readonly HtmlTag[] {
  const rest = tags.slice(form + 1, form + 1 + maxFields);
  const next = rest.findIndex((tag) => tag.name === 'form');
  return next < 0 ? rest : rest.slice(0, next);
}

const maxFields = 500;

type HtmlMatcher = (tag: HtmlTag, fields: () => readonly HtmlTag[]) => boolean;

const valueOf = (tag: HtmlTag, name: string): string =>
  (tag.attributes.get(name) ?? '').trim().toLowerCase();
const isForeign = (address: string): boolean => /^(?:https?:)?\/\//.test(address);
const addressNames = ['href', 'src', 'action', 'formaction', 'data', 'xlink:href'];
const isPassword = (tag: HtmlTag): boolean =>
  tag.name === 'input' && valueOf(tag, 'type') === 'password';

export const htmlMatchers: Readonly<Record<string, HtmlMatcher>> = lookupTable({
  'blank-target': (tag) =>
    ['a', 'area', 'form'].includes(tag.name) &&
    valueOf(tag, 'target') === '_blank' &&
    isForeign(valueOf(tag, tag.name === 'form' ? 'action' : 'href')) &&
    !/noopener|noreferrer/.test(valueOf(tag, 'rel')),
  'inline-handler': (tag) => [...tag.attributes.keys()].some((name) => /^on[a-z]{3,}$/.test(name)),
  'javascript-url': (tag) =>
    addressNames.some((name) => {
      const address = valueOf(tag, name).replaceAll(/[\t\n\r]/g, '');
      return address.startsWith('javascript:') && !/^javascript:(?:;|void\(0\);?)?$/.test(address);
    }),
  'insecure-script': (tag) => tag.name === 'script' && valueOf(tag, 'src').startsWith('http://'),
  'insecure-resource': (tag) =>
    (['img', 'iframe', 'video', 'audio', 'source', 'embed'].includes(tag.name) &&
      valueOf(tag, 'src').startsWith('http://')) ||
    (tag.name === 'link' &&
      valueOf(tag, 'href').startsWith('http://') &&
      /stylesheet|icon|preload/.test(valueOf(tag, 'rel'))),
  'missing-integrity': (tag) =>
    !tag.attributes.has('integrity') &&
    ((tag.name === 'script' && isForeign(valueOf(tag, 'src'))) ||
      (tag.name === 'link' &&
        valueOf(tag, 'rel') === 'stylesheet' &&
        isForeign(valueOf(tag, 'href')))),
  'insecure-form': (tag) =>
    valueOf(tag, 'formaction').startsWith('http://') ||
    (tag.name === 'form' && valueOf(tag, 'action').startsWith('http://')),
  'password-get': (tag, fields) =>
    tag.name === 'form' && valueOf(tag, 'method') === 'get' && fields().some(isPassword),
  'password-autocomplete': (tag) => isPassword(tag) && !tag.attributes.has('autocomplete'),
  'password-value': (tag) => isPassword(tag) && !/^$|\{\{|<%|\$\{/.test(valueOf(tag, 'value')),
  'frame-sandbox': (tag) =>
    tag.name === 'iframe' && isForeign(valueOf(tag, 'src')) && !tag.attributes.has('sandbox'),
  'sandbox-escape': (tag) =>
    tag.name === 'iframe' &&
    /allow-scripts/.test(valueOf(tag, 'sandbox')) &&
    /allow-same-origin/.test(valueOf(tag, 'sandbox')),
  'data-html': (tag) =>
    addressNames.some((name) => valueOf(tag, name).startsWith('data:text/html')),
  'unsafe-csp': (tag) =>
    tag.name === 'meta' &&
    valueOf(tag, 'http-equiv') === 'content-security-policy' &&
    /'unsafe-(?:inline|eval)'/.test(valueOf(tag, 'content')),
  'meta-refresh': (tag) =>
    tag.name === 'meta' &&
    valueOf(tag, 'http-equiv') === 'refresh' &&
    /url\s{0,5}=\s{0,5}["']?(?:https?:)?\/\//.test(valueOf(tag, 'content')),
  'object-embed': (tag) => ['object', 'embed', 'applet'].includes(tag.name),
  'upload-without-type': (tag, fields) =>
    tag.name === 'form' &&
    (valueOf(tag, 'method') !== 'post' || valueOf(tag, 'enctype') !== 'multipart/form-data') &&
    fields().some((field) => field.name === 'input' && valueOf(field, 'type') === 'file'),
});
