import type { CodeContext } from '../code-context.ts';
import type { SourceFile } from '../source-files.ts';
import { TextPositions } from '../text-positions.ts';
import { holds, type Setting, type Subject } from './judge-node.ts';
import { blank } from './scan-text.ts';
import { scanTree } from './scan-tree.ts';
import { readRules } from './security-rules.ts';
import type { FileScan } from './scan-file-security.ts';
import { findingOf, type SecurityFinding } from './security-rules.ts';

/** A page by its tags; its scripts by the JavaScript rules. */
export async function scanHtml(file: SourceFile, context: CodeContext): Promise<FileScan> {
  const tags = await readTags(file.text);
  const places = new TextPositions(file.text);
  const rules = [...readRules('html').rules.values()];
  const findings: SecurityFinding[] = [];
  for (const [index, tag] of tags.entries()) {
    const setting = settingOf(tags, index);
    for (const rule of rules) {
      const isMatch = rule.match.some(({ when }) =>
        Object.entries(when).every(([name, test]) => holds(setting.select(name), test, setting)),
      );
      if (isMatch)
        findings.push(findingOf(rule, { file: file.path, ...places.position(tag.start) }));
    }
  }
  const scripts = await scanScripts(file, tags, context);
  return { findings: [...findings, ...scripts.findings] };
}

/** `tag`, `attribute` (any name), `address` (any that is followed), `input type` (of a form's fields) or an attribute. */
function settingOf(tags: readonly HtmlTag[], index: number): Setting {
  const tag = tags[index];
  const select = (name: string): readonly Subject[] => {
    if (name === 'tag') return [{ source: tag?.name ?? '' }];
    if (name === 'attribute')
      return [...(tag?.attributes.keys() ?? [])].map((source) => ({ source }));
    if (name === 'address') return addressNames.flatMap((one) => valueOf(tag, one));
    if (name !== 'input type') return valueOf(tag, name);
    const inputs = fieldsAfter(tags, index).filter((field) => field.name === 'input');
    return inputs.flatMap((field) => valueOf(field, 'type'));
  };
  return { valuesOf: () => [], carriers: new Set(), select };
}

const addressNames = ['href', 'src', 'action', 'formaction', 'data', 'xlink:href'];

function valueOf(tag: HtmlTag | undefined, name: string): readonly Subject[] {
  const value = tag?.attributes.get(name);
  const source = value
    ?.replaceAll(/[\t\n\r]/g, '')
    .trim()
    .toLowerCase();
  return source === undefined ? [] : [{ source }];
}

const maxFields = 500;

/** The tags of a form: all up to the next form. */
function fieldsAfter(tags: readonly HtmlTag[], form: number): readonly HtmlTag[] {
  const rest = tags.slice(form + 1, form + 1 + maxFields);
  const next = rest.findIndex((tag) => tag.name === 'form');
  return next < 0 ? rest : rest.slice(0, next);
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
    outside.push([done, tag.end]);
    const close = /<\/script/gi;
    close.lastIndex = tag.end;
    done = close.exec(file.text)?.index ?? file.text.length;
  }
  if (outside.length === 0) return { findings: [] };
  outside.push([done, file.text.length]);
  const text = blank(file.text, outside);
  return scanTree({ ...file, text, language: 'javascript' }, context);
}

function isJavascript(tag: HtmlTag): boolean {
  const type = tag.attributes.get('type') ?? '';
  return type === '' || /javascript|module|ecmascript|babel|jsx/i.test(type);
}

/** An opening tag. Names are lower case; an attribute without a value has an empty one. */
interface HtmlTag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly start: number;
  /** Where its contents begin. */
  readonly end: number;
}

const rawTextTags: ReadonlySet<string> = new Set(['script', 'style', 'textarea', 'title']);

/** The opening tags of a page in order, as a browser's tokenizer reads them; comments and raw text are skipped. */
async function readTags(page: string): Promise<readonly HtmlTag[]> {
  const { Tokenizer, TokenizerMode } = await import('parse5');
  const tags: HtmlTag[] = [];
  const ignore = (): void => {};
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag: ({ tagName: name, attrs, location }) => {
        const attributes = new Map(attrs.map((one) => [one.name, one.value]));
        const { startOffset: start = 0, endOffset: end = 0 } = location ?? {};
        tags.push({ name, attributes, start, end });
        if (!rawTextTags.has(name)) return;
        tokenizer.lastStartTagName = name;
        tokenizer.state = TokenizerMode.RAWTEXT;
      },
      onEndTag: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
      onCharacter: ignore,
      onNullCharacter: ignore,
      onWhitespaceCharacter: ignore,
    },
  );
  tokenizer.write(page, true);
  return tags;
}
