import { type ParsedLanguage } from '../language.ts';

/** An example that a request gives for the code: `f(2) == 4`, `returns [] for an empty list`. */
export interface Example {
  /** As it is written. */
  readonly text: string;
  /** Expressions; one of them has to give the result. */
  readonly calls: readonly string[];
  readonly expected:
    | { readonly kind: 'value'; readonly text: string }
    | { readonly kind: 'error'; readonly name: string };
}

const maxExamples = 20;
const maxLength = 500;

const relation =
  /^\s*(?:(?:(?:\/\/|#)\s*)?(===?|->|=>|→|=|:)|\/\/|#|\n|,?\s*(?:is|are|returns?|gives|yields|equals|becomes|evaluates to|(?:should|must)(?: return| be| give| equal)?)\b(?: the (?:number|string|list|value))?)\s*/;
const raising = /^\s*,?\s*(?:should |must )?(?:raises?|throws?)\s+(?:an?\s+)?([A-Z]\w{0,60})/;
const word = /^(?:True|False|None|true|false|null|nil|undefined|NaN|-?Infinity)\b/;
const number = /^-?\d[\d_]{0,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?(?![\w.]*\w)/i;

/** The examples of a request that call something the code defines. Ambiguous text is not an example. */
export function readExamples(
  request: string,
  { language, code }: { readonly language: ParsedLanguage; readonly code: string },
): Example[] {
  const text = request.replaceAll('`', '').replaceAll(/^\s*(?:>>>|>)\s?/gm, '');
  const names = definedNames(code);
  const found: Example[] = [];
  for (const match of text.matchAll(/(?<![\w$.])(?:new\s+)?([A-Za-z_$][\w$]{0,80})\(/g)) {
    if (!names.has(match[1] ?? '') || found.length >= maxExamples) continue;
    const example = readOne(text, match.index);
    if (example && isKnown(example.calls[0] ?? '', { language, names })) found.push(example);
  }
  const unique = new Map(
    [...found, ...readEmpty(text, { language, code })].map((one) => [one.text, one]),
  );
  return [...unique.values()];
}

function readOne(text: string, start: number): Example | undefined {
  const end = endOfCall(text, start);
  if (end === undefined || end - start > maxLength) return undefined;
  const call = text.slice(start, end);
  const rest = text.slice(end, end + maxLength);
  const error = raising.exec(rest);
  if (error?.[1] !== undefined) {
    return { text: call + error[0], calls: [call], expected: { kind: 'error', name: error[1] } };
  }
  const between = relation.exec(rest);
  const result = rest.slice(between?.[0].length ?? 0);
  const value = between ? literalAt(result) : undefined;
  // `[][]int{{1}}` and `[1] * 3` only start with a literal.
  if (
    !between ||
    value === undefined ||
    /^(?:[\w[{("']|\s*[*+%])/.test(result.slice(value.length))
  ) {
    return undefined;
  }
  return {
    text: `${call}${between[0]}${value}`,
    calls: [call],
    expected: { kind: 'value', text: value },
  };
}

/** After the last bracket of `f(…)`, `new A(…).b(…)`. */
function endOfCall(text: string, start: number): number | undefined {
  let at = text.indexOf('(', start);
  for (let chained = 0; chained < 5; chained += 1) {
    const end = endOfBrackets(text, at);
    if (end === undefined) return undefined;
    const more = /^\.[A-Za-z_]\w{0,80}\(/.exec(text.slice(end, end + 100));
    if (!more) return end;
    at = end + more[0].length - 1;
  }
  return undefined;
}

function endOfBrackets(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < Math.min(text.length, start + maxLength); at += 1) {
    const sign = text[at] ?? '';
    if ('"\''.includes(sign)) at = endOfQuotes(text, at) - 1;
    if ('([{'.includes(sign)) depth += 1;
    if (')]}'.includes(sign)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

function endOfQuotes(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}

/** The literal that a text starts with. */
function literalAt(text: string): string | undefined {
  const first = text[0] ?? '';
  if (first === '"' || first === "'") return text.slice(0, endOfQuotes(text, 0));
  if ('[{('.includes(first) && first !== '') {
    const end = endOfBrackets(text, 0);
    const value = end === undefined ? undefined : text.slice(0, end);
    return value !== undefined &&
      /[A-Za-z]/.test(
        value.replaceAll(
          /(["'])(?:\\.|(?!\1).)*\1|\b(?:True|False|None|true|false|null|nil)\b|\w+:/g,
          '',
        ),
      )
      ? undefined
      : value;
  }
  return (word.exec(text) ?? number.exec(text))?.[0];
}

const emptyValues: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:list|array|sequence|iterable|slice)$/, ['[]']],
  [/^(?:string|text|str)$/, ['""']],
  [/^(?:dict|dictionary|object|map|mapping)$/, ['{}']],
  [/^input$/, ['[]', '""', '{}']],
];

const forEmpty =
  /\breturns?\s+(\S{1,40}?)\s+(?:for|on|when given|if given|given|with|when (?:it|the \w+) is|if (?:it|the \w+) is)\s+(?:an?\s+|the\s+)?empty(?:\s+(\w+))?/gi;
const ofEmpty =
  /\b(?:for|on|given|with)\s+(?:an?\s+|the\s+)?empty\s+(\w+)\s*,?\s*(?:it\s+)?(?:should\s+)?returns?\s+(\S{1,40})/gi;

/** `returns [] for an empty list`, where there is one function that this can be said of. */
function readEmpty(
  text: string,
  { language, code }: { readonly language: ParsedLanguage; readonly code: string },
): Example[] {
  if (language === 'go' || language === 'java' || language === 'rust') return [];
  const functions = [
    ...code.matchAll(/^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:def|function)\s+(?!_)(\w+)/gm),
  ];
  const [name] = functions.map((match) => match[1] ?? '');
  if (functions.length !== 1 || name === undefined) return [];
  const said = [
    ...[...text.matchAll(forEmpty)].map(([whole, value, what]) => ({ whole, value, what })),
    ...[...text.matchAll(ofEmpty)].map(([whole, what, value]) => ({ whole, value, what })),
  ];
  return said.flatMap(({ whole, value = '', what = 'input' }) => {
    const expected = literalAt(value);
    const values = emptyValues.find(([kind]) => kind.test(what.toLowerCase()))?.[1];
    if (expected === undefined || !values) return [];
    const calls = values.map((one) => `${name}(${one})`);
    return [{ text: whole, calls, expected: { kind: 'value', text: expected } as const }];
  });
}

function definedNames(code: string): ReadonlySet<string> {
  const definition =
    /\b(?:def|class|function\*?|func|type|const|let|var|struct|enum)\s+(?:\([^)]{0,100}\)\s*)?([A-Za-z_$][\w$]*)/g;
  return new Set([...code.matchAll(definition)].map((match) => match[1] ?? ''));
}

const ordinaryNames: Readonly<Record<'python' | 'script' | 'go', RegExp>> = {
  python: /^(?:True|False|None|float|int|set|dict|list|tuple|range|inf)$/,
  script:
    /^(?:true|false|null|undefined|NaN|Infinity|new|Date|UTC|Math|Map|Set|BigInt|Symbol|Number|String|Array)$/,
  go: /^(?:true|false|nil|u?int\d{0,2}|float\d\d|string|byte|rune|bool|map)$/,
};

/** Whether all names in a call are known; parameters of another language's notation are not. */
function isKnown(
  call: string,
  { language, names }: { readonly language: ParsedLanguage; readonly names: ReadonlySet<string> },
): boolean {
  const ordinary =
    language === 'python' || language === 'go' ? ordinaryNames[language] : ordinaryNames.script;
  const bare = call
    .replaceAll(/(["'])(?:\\.|(?!\1).)*\1/g, '')
    .replaceAll(/\.\w+|\w+\s*:(?!:)|\w+=/g, '');
  return [...bare.matchAll(/[A-Za-z_$][\w$]*/g)].every(
    ([name]) => names.has(name) || ordinary.test(name),
  );
}
