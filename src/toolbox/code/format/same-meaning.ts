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

const javaModifiers = new Set(
  'public protected private abstract static final transient volatile synchronized native default sealed strictfp'.split(
    ' ',
  ),
);

/**
 * Forgiven: redundant parentheses, trailing commas and semicolons, `int a[]` for `int[] a`, and the
 * order of modifiers and of imports.
 */
function javaMeaning(text: string): string {
  const comments: string[] = [];
  const words: string[] = [];
  const imports: string[] = [];
  const tokens: string[] = text.match(javaTokens) ?? [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] ?? '';
    if (token.startsWith('//') || token.startsWith('/*')) comments.push(withoutSpace(token));
    else if (token === 'import') {
      const end = tokens.indexOf(';', index);
      imports.push(tokens.slice(index, end).join(' '));
      index = end < 0 ? index : end;
    } else if (!'()[],;'.includes(token)) {
      words.push(token.startsWith('"""') ? withoutSpace(token) : token);
    }
  }
  return [...imports.sort(), ...sortModifiers(words), ...comments].join('\n');
}

function sortModifiers(words: readonly string[]): string[] {
  const sorted: string[] = [];
  let run: string[] = [];
  for (const word of words) {
    if (javaModifiers.has(word)) run.push(word);
    else {
      sorted.push(...run.sort(), word);
      run = [];
    }
  }
  return [...sorted, ...run.sort()];
}

const rustTokens =
  /\/\/[^\n]*|\/\*[^]*?\*\/|[bc]?r(#*)"[^]*?"\1|[bc]?"(?:[^"\\]|\\[^])*"|'(?:[^'\\\n]|\\[^\n]+?)'|\d\w*(?:\.(?![.\w])|\.\d\w*)?(?:(?<=e)[+-]\d\w*)?|[\w\u0080-\uffff]+|[^\s]/gi;

/**
 * Forgiven: parentheses, braces and separators, of which the engine adds and drops redundant ones;
 * how numbers are spelled; where a comment stands among the words.
 */
function rustMeaning(text: string): string {
  const comments: string[] = [];
  const words: string[] = [];
  for (const token of text.match(rustTokens) ?? []) {
    if (token.startsWith('//') || token.startsWith('/*')) comments.push(withoutSpace(token));
    // After a dot it is the place of a field: `a.1.10` is not `a.1.1`.
    else if (/^\d/.test(token) && words.at(-1) !== '.') words.push(rustNumberMeaning(token));
    else if (!'(){},;|'.includes(token)) words.push(token);
  }
  return [...words, ...comments].join('\n');
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

/**
 * What a number in Rust says, however it is spelled: letter case, `_`, zeros at the end of a fraction
 * and the spelling of an exponent do not matter. Whole numbers and floats are never the same.
 */
export function rustNumberMeaning(token: string): string {
  const plain = token.toLowerCase().replaceAll('_', '');
  const float = floatParts.exec(plain)?.groups;
  if (!float || !/[.ef]/.test(plain)) return plain;
  const { whole = '', fraction = '', sign = '', exponent = '', type = '' } = float;
  const power = exponent.slice(countZeros(exponent));
  const scale = power === '' ? '' : `e${sign === '-' ? '-' : ''}${power}`;
  return `${whole}.${withoutEndZeros(fraction)}${scale}${type}`;
}

const floatParts =
  /^(?<whole>\d+)(?:\.(?<fraction>\d*))?(?:e(?<sign>[+-]?)(?<exponent>\d+))?(?<type>f32|f64)?$/;

function countZeros(digits: string): number {
  return /^0*/.exec(digits)?.[0].length ?? 0;
}

/** Not by an expression: looking for `0+$` takes quadratic time over zeros in the middle. */
function withoutEndZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
