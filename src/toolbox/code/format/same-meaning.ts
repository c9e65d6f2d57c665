import { childNodes, parseHtmlTree } from './html-end-tags.ts';

/** Languages whose engine's result is compared with its input before it is given out. */
export type GuardedLanguage = 'java' | 'rust' | 'html' | 'css';

/**
 * Whether two valid texts say the same but for layout. A cheap guard against engines that drop or
 * invent something: it looks at the words, not at a syntax tree, and forgives what the language's
 * engine may normalise (named at each function below).
 */
export function hasSameMeaning(language: GuardedLanguage, before: string, after: string): boolean {
  const meaning = meaningOf[language];
  return meaning(before) === meaning(after);
}

const meaningOf: Readonly<Record<GuardedLanguage, (text: string) => string>> = {
  java: javaMeaning,
  rust: rustMeaning,
  html: htmlMeaning,
  css: cssMeaning,
};

const javaTokens =
  /\/\/[^\n]*|\/\*[^]*?\*\/|"""(?:[^\\]|\\.)*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\w$\u0080-\uffff]+|[^\s]/g;

const javaModifiers =
  /(?:^(?:public|protected|private|abstract|static|final|transient|volatile|synchronized|native|default|sealed|strictfp)\n)+/gm;

/**
 * Forgiven: redundant parentheses, trailing commas and semicolons, `int a[]` for `int[] a`, and the
 * order of modifiers and of imports.
 */
function javaMeaning(text: string): string {
  const imports: string[] = [];
  const rest = text.replaceAll(/^\s*import\s[^;]*;/gm, (statement) => {
    imports.push(withoutSpace(statement));
    return '';
  });
  const words = wordsIn(rest, javaTokens, '()[],;').replaceAll(
    javaModifiers,
    (run) => `${run.trimEnd().split('\n').sort().join('\n')}\n`,
  );
  return [...imports.sort(), words].join('\n');
}

/** The tokens but for the dropped ones, one per line, then the comments. Text blocks may be indented anew. */
function wordsIn(text: string, tokens: RegExp, dropped: string): string {
  const comments: string[] = [];
  const words: string[] = [];
  for (const token of text.match(tokens) ?? []) {
    if (token.startsWith('//') || token.startsWith('/*')) comments.push(withoutSpace(token));
    else if (!dropped.includes(token)) {
      words.push(token.startsWith('"""') ? withoutSpace(token) : token);
    }
  }
  return [...words, ...comments].join('\n');
}

const rustTokens =
  /\/\/[^\n]*|\/\*[^]*?\*\/|[bc]?r(#*)"[^]*?"\1|[bc]?"(?:[^"\\]|\\[^])*"|'(?:[^'\\\n]|\\[^\n]+?)'|\d\w*(?:\.(?![.\w])|\.\d\w*)?(?:(?<=e)[+-]\d\w*)?|[\w\u0080-\uffff]+|[^\s]/gi;

/**
 * Forgiven: parentheses, braces and separators, of which the engine adds and drops redundant ones;
 * how numbers are spelled; where a comment stands among the words.
 */
function rustMeaning(text: string): string {
  // After a dot it is the index of a field: `a.1.10` is not `a.1.1`.
  return wordsIn(text, rustTokens, '(){},;|').replaceAll(/(?<!\.\n)^\d.*$/gm, rustNumberMeaning);
}

const sqlTokens =
  /'[^']*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[^]*?\*\/|[\w$\u0080-\uffff]+|[-+*/<>=~!@#%^&|?:]+|\S/g;

/** Whether two texts hold the same tokens. May say no though they do: `=-1` is one token here, `= -1` two. */
export function hasSameSqlTokens(before: string, after: string): boolean {
  return sqlMeaning(before) === sqlMeaning(after);
}

function sqlMeaning(text: string): string {
  const tokens = text.match(sqlTokens) ?? [];
  return tokens.map((token) => (isSqlComment(token) ? withoutSpace(token) : token)).join('\n');
}

function isSqlComment(token: string): boolean {
  return token.startsWith('--') || token.startsWith('/*');
}

const cssNumber = /(?<![\w#.-])[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/g;

/** Forgiven: letter case, kind and presence of quotes, semicolons, and how numbers are spelled. */
function cssMeaning(text: string): string {
  return text
    .toLowerCase()
    .replace(cssNumber, (number) => `${number.startsWith('+') ? '+' : ''}${Number(number)}`)
    .replace(/[\s;"'\\]+/g, '');
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

/**
 * The elements, attributes, texts and comments of an HTML tree. Forgiven are space, letter case of
 * tags, kind of quotes, implied tags, and the layout of scripts, styles and `style` and event
 * attributes.
 */
function htmlMeaning(text: string): string {
  const said: string[] = [];
  const seen = new Set<number>();
  const open: (ReturnType<typeof parseHtmlTree> | string)[] = [parseHtmlTree(text)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node === 'string') said.push(node);
    else if ('value' in node) said.push(withoutSpace(node.value.toLowerCase()));
    else if ('data' in node) said.push(`<!--${withoutSpace(node.data.toLowerCase())}-->`);
    else if ('publicId' in node) said.push(`<!${node.name} ${node.publicId} ${node.systemId}>`);
    else {
      // An open `<b>` is opened again in every block, also in one that holds only space.
      const start = node.sourceCodeLocation?.startOffset;
      if ('attrs' in node && start !== undefined && !seen.has(start)) {
        seen.add(start);
        const attributes = node.attrs.map(({ name, value }) => `${name}=${valueOf(name, value)}`);
        said.push(`<${node.tagName} ${attributes.join(' ')}>`);
        open.push('</>');
      }
      if (node.nodeName === 'script' || node.nodeName === 'style') continue;
      for (const child of childNodes(node).toReversed()) open.push(child);
    }
  }
  return said.join('');
}

function valueOf(key: string, value: string): string {
  const plain = withoutSpace(value);
  return /^(?:style|on\w+|media|srcset|sizes|class)$/i.test(key)
    ? plain.toLowerCase().replace(/[;"'(),]/g, '')
    : plain;
}

/** Longer numbers are compared as they are written. */
const maxNumberLength = 100;

/**
 * A number in Rust in one spelling: letter case, `_`, zeros at the end of a fraction and the spelling
 * of an exponent do not matter. Whole numbers and floats are never the same.
 */
export function rustNumberMeaning(token: string): string {
  const plain = token.toLowerCase().replaceAll('_', '');
  const isShort = plain.length <= maxNumberLength;
  const float = isShort && /[.ef]/.test(plain) ? rustFloat.exec(plain) : null;
  if (!float) return plain;
  const [, whole = '', fraction = '', sign = '', power = '', type = ''] = float;
  return `${whole}.${fraction}${power === '' ? '' : `e${sign}${power}`}${type}`;
}

const rustFloat = /^(\d+)(?:\.(\d*?)0*)?(?:e\+?(-?)0*(\d*))?(f32|f64)?$/;
