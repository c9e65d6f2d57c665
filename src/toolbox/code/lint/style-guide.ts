import type { Language } from '../language.ts';

/** A named selection of rules for one language. */
export interface StyleGuide {
  readonly name: string;
  readonly description: string;
  /** Replaces the configured line length. */
  readonly lineLength?: number;
  /** Opt-in rules it turns on (for Python: Ruff codes or prefixes). */
  readonly adds?: readonly string[];
  /** Rules it turns off. */
  readonly drops?: readonly string[];
  readonly docstrings?: 'google' | 'numpy' | 'pep257';
  /** The case SQL keywords have; without it only a mixture is reported. */
  readonly keywordCase?: 'upper' | 'lower';
}

/** The guides of each language; the first is its default. */
export const styleGuides: Readonly<Record<Language, readonly StyleGuide[]>> = {
  python: [
    { name: 'pep8', description: 'PEP 8 layout and naming, likely bugs, missing docstrings' },
    {
      name: 'pep257',
      description: 'pep8 and the form of docstrings after PEP 257',
      adds: ['D'],
      docstrings: 'pep257',
    },
    {
      name: 'google',
      description: 'Google Python Style Guide: 80 columns, Google docstrings, type hints',
      lineLength: 80,
      adds: ['D', 'ANN'],
      docstrings: 'google',
    },
    {
      name: 'numpy',
      description: 'pep8 and numpydoc docstrings',
      adds: ['D'],
      docstrings: 'numpy',
    },
    {
      name: 'black',
      description: 'pep8 with 88 columns; layout is left to the formatter',
      lineLength: 88,
      drops: ['E1', 'E2', 'E3', 'E7', 'W1', 'W2', 'W3'],
    },
  ],
  javascript: [
    { name: 'recommended', description: 'Likely bugs, dead code, modern syntax' },
    {
      name: 'airbnb',
      description: 'Airbnb: arrow callbacks, template literals, no parameter reassignment',
      adds: [
        'prefer-arrow-callback',
        'prefer-template',
        'no-param-reassign',
        'no-plusplus',
        'no-nested-ternary',
        'curly',
        'dot-notation',
        'no-else-return',
        'no-continue',
      ],
    },
    {
      name: 'standard',
      description: 'JavaScript Standard Style without its layout',
      adds: ['dot-notation', 'camelcase', 'no-void', 'yoda'],
      drops: ['no-warning-comments'],
    },
    {
      name: 'google',
      description: 'Google JavaScript Style Guide: 80 columns, braces, camelCase',
      lineLength: 80,
      adds: ['curly', 'camelcase', 'no-nested-ternary'],
    },
  ],
  typescript: [
    { name: 'recommended', description: 'Likely bugs, dead code, escapes from the type system' },
    {
      name: 'airbnb',
      description: 'Airbnb: arrow callbacks, template literals, no parameter reassignment',
      adds: [
        'prefer-arrow-callback',
        'prefer-template',
        'no-param-reassign',
        'no-nested-ternary',
        'curly',
        'dot-notation',
        'no-else-return',
      ],
    },
    {
      name: 'standard',
      description: 'Standard Style for TypeScript without its layout',
      adds: ['camelcase', 'no-void', 'yoda'],
    },
    {
      name: 'google',
      description: 'Google TypeScript Style Guide: 80 columns, braces, no namespaces',
      lineLength: 80,
      adds: ['curly', 'camelcase', 'no-nested-ternary'],
    },
  ],
  java: [
    {
      name: 'google',
      description: 'Google Java Style: 100 columns, braces always',
      lineLength: 100,
    },
    {
      name: 'sun',
      description: 'Sun code conventions: 80 columns, no magic numbers, final parameters untouched',
      lineLength: 80,
      adds: ['magic-number', 'parameter-reassignment'],
    },
    {
      name: 'oracle',
      description: 'Oracle secure coding: like google, and no parameter reassignment',
      adds: ['parameter-reassignment'],
    },
  ],
  go: [
    { name: 'effective-go', description: 'Effective Go and the Go code review comments' },
    {
      name: 'google',
      description: 'Google Go Style: effective-go, named constants',
      adds: ['magic-number'],
    },
    {
      name: 'uber',
      description: 'Uber Go Style: effective-go, no init functions, no globals',
      lineLength: 99,
      adds: ['init-function', 'global-variable'],
    },
  ],
  rust: [
    { name: 'rust-style', description: 'Rust style guide and the syntactic part of clippy' },
    {
      name: 'clippy-pedantic',
      description: 'rust-style, and no numeric `as`, wildcard imports or magic numbers',
      adds: ['as-conversion', 'magic-number', 'print-in-library'],
    },
    {
      name: 'google',
      description: 'Comprehensive Rust: rust-style, and no unwrap anywhere',
      adds: ['print-in-library'],
    },
  ],
  sql: [
    {
      name: 'sqlstyle',
      description: 'SQL Style Guide (Holywell): upper-case keywords, explicit aliases',
      keywordCase: 'upper',
    },
    { name: 'mozilla', description: 'Mozilla: upper-case keywords', keywordCase: 'upper' },
    { name: 'dbt', description: 'dbt Labs: lower-case keywords, 80 columns', keywordCase: 'lower' },
    { name: 'consistent', description: 'Either case, but not both' },
  ],
  html: [
    { name: 'whatwg', description: 'The HTML standard, accessibility and deprecated features' },
    {
      name: 'google',
      description: 'Google HTML Style: whatwg without inline styles',
      adds: ['no-inline-style'],
    },
    {
      name: 'a11y',
      description: 'whatwg and strict accessibility',
      adds: ['prefer-native-element'],
    },
  ],
  css: [
    { name: 'standard', description: 'stylelint standard: errors, modern notation, naming' },
    {
      name: 'google',
      description: 'Google CSS Style: no ids, no !important',
      adds: ['selector-max-id', 'declaration-no-important'],
    },
    {
      name: 'airbnb',
      description: 'Airbnb CSS: no ids, shallow nesting',
      adds: ['selector-max-id', 'max-nesting-depth', 'declaration-no-important'],
    },
  ],
};

/** Every name some language knows. */
export const styleGuideNames: readonly string[] = [
  ...new Set(Object.values(styleGuides).flatMap((guides) => guides.map(({ name }) => name))),
];

/** The guide to use: the named one, or the language's default where it has none of that name. */
export function chooseStyleGuide(language: Language, name: string | undefined): StyleGuide {
  const guides = styleGuides[language];
  const chosen = guides.find((guide) => guide.name === name) ?? guides[0];
  if (!chosen) throw new Error(`no style guide for ${language}`);
  return chosen;
}
