/** Names for a scaffold, made of the words of a description. */
export interface ScaffoldNames {
  /** The description on one line, safe inside comments and strings of every language. */
  readonly title: string;
  readonly camel: string;
  readonly pascal: string;
  readonly snake: string;
  readonly kebab: string;
  /** In snake case; `value` when the description names none. */
  readonly parameters: readonly [string, ...string[]];
}

const maxWords = 4;
const maxTitleLength = 120;
const maxParameters = 6;
const fillers = new Set(
  (
    'a an the of for to in on with that which and or it its me my i we you please can could would should will ' +
    'create write make build implement generate develop code function method class module program script helper ' +
    'utility library tool api endpoint rest service resource cli command line application app want need new simple ' +
    'small python javascript typescript java go golang rust sql html css node using use some this these those from by'
  ).split(' '),
);

/** Reserved words of some language: not usable as the name of a function. */
const reserved = new Set(
  (
    'import export default return delete switch case break continue for while if else try catch finally throw raise ' +
    'with async await def lambda pass yield global assert var let const func struct interface type package select ' +
    'match loop move impl trait enum mod pub use self super static final void int public private native range map chan go'
  ).split(' '),
);

/** `parseQuery(url, limit)`: a signature given by the user. */
const signature = /\b([A-Za-z_]\w{1,63})\s?\(([\w\s,]{0,200})\)/u;

export function scaffoldNames(description: string, fallback: string): ScaffoldNames {
  const named = signature.exec(description);
  const text = named?.[1] ?? description;
  const words = named ? splitName(text) : contentWords(text);
  const isUsable = words.length > 1 || (words.length === 1 && !reserved.has(words[0] ?? ''));
  const [first = fallback, ...rest] = isUsable ? words : [...words, fallback];
  const parameters = (named?.[2] ?? '')
    .split(',')
    .map((name) => splitName(name).join('_'))
    .filter((name) => /^[a-z]/.test(name))
    .map((name) => (reserved.has(name) ? `${name}_value` : name))
    .slice(0, maxParameters);
  const [firstParameter = 'value', ...otherParameters] = parameters;
  return {
    title: titleOf(description),
    camel: [first, ...rest.map(capitalize)].join(''),
    pascal: [first, ...rest].map(capitalize).join(''),
    snake: [first, ...rest].join('_'),
    kebab: [first, ...rest].join('-'),
    parameters: [firstParameter, ...otherParameters],
  };
}

function contentWords(text: string): string[] {
  return (text.toLowerCase().match(/[a-z][a-z0-9]*/g) ?? [])
    .filter((word) => !fillers.has(word))
    .slice(0, maxWords);
}

function splitName(name: string): string[] {
  return (name.match(/[A-Z]?[a-z0-9]+|[A-Z]+/g) ?? []).map((word) => word.toLowerCase());
}

/** Without characters that could end a comment or a string. */
function titleOf(description: string): string {
  const line = description
    .replaceAll(/[^\p{L}\p{N} .,;:()=+%#@_-]/gu, ' ')
    .replaceAll(/-{2,}|\s+/g, ' ')
    .trim();
  return line.length > maxTitleLength ? `${line.slice(0, maxTitleLength - 1)}…` : line;
}

export function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export function camelCase(snake: string): string {
  const [first = '', ...rest] = snake.split('_');
  return [first, ...rest.map(capitalize)].join('');
}
