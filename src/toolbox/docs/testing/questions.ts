/** A question as a developer would ask it, and where in the installed package its answer stands. */
export interface Question {
  readonly library: string;
  readonly topic: string;
  /** The answer's file, and a piece of text that only the right passage of it holds. */
  readonly file: string;
  readonly holds: string;
}

const readme = 'README.md';
const commander = 'Readme.md';

/** Written before the ranking was tuned, from the packages this project itself installs. */
export const questions: readonly Question[] = [
  {
    library: 'commander',
    topic: 'how do I give an option a default value',
    file: commander,
    holds: '### Default option value',
  },
  {
    library: 'commander',
    topic: 'make an option mandatory',
    file: commander,
    holds: '### Required option',
  },
  {
    library: 'commander',
    topic: 'option that takes several values',
    file: commander,
    holds: '### Variadic option',
  },
  {
    library: 'commander',
    topic: 'show the version of my program',
    file: commander,
    holds: '### Version option',
  },
  {
    library: 'commander',
    topic: 'run code before and after every action',
    file: commander,
    holds: '### Life cycle hooks',
  },
  {
    library: 'commander',
    topic: 'subcommands as separate executables',
    file: commander,
    holds: '### Stand-alone executable',
  },
  {
    library: 'commander',
    topic: 'negatable boolean option --no',
    file: commander,
    holds: '### Other option types',
  },
  {
    library: 'commander',
    topic: 'how to prevent process.exit on error',
    file: commander,
    holds: '### Override exit and output handling',
  },
  {
    library: 'commander',
    topic: 'print help after an error',
    file: commander,
    holds: '### Display help after errors',
  },
  {
    library: 'commander',
    topic: 'parse asynchronously with parseAsync',
    file: commander,
    holds: '### .parse() and .parseAsync()',
  },
  {
    library: 'zod',
    topic: 'how do I parse optional values',
    file: 'v4/classic/schemas.d.ts',
    holds: 'optional',
  },
  {
    library: 'zod',
    topic: 'handle validation errors with safeParse',
    file: readme,
    holds: 'safeParse',
  },
  { library: 'zod', topic: 'infer the static type of a schema', file: readme, holds: 'z.infer' },
  {
    library: 'zod',
    topic: 'convert a schema to JSON schema',
    file: 'v4/core/to-json-schema.d.ts',
    holds: 'JSON Schema',
  },
  {
    library: 'zod',
    topic: 'template literal',
    file: 'v4/classic/schemas.d.ts',
    holds: 'templateLiteral',
  },
  {
    library: 'diff',
    topic: 'apply a patch to a file',
    file: readme,
    holds: 'Applying a patch to a specified file',
  },
  { library: 'diff', topic: 'compare two texts line by line', file: readme, holds: '`diffLines(' },
  {
    library: 'diff',
    topic: 'create a unified patch from two files',
    file: readme,
    holds: '`createTwoFilesPatch(',
  },
  { library: 'diff', topic: 'what is a change object', file: readme, holds: '### Change Objects' },
  {
    library: 'yaml',
    topic: 'parse a YAML file into a value',
    file: readme,
    holds: '## YAML.parse',
  },
  {
    library: 'yaml',
    topic: 'stringify an object to YAML',
    file: readme,
    holds: '## YAML.stringify',
  },
  {
    library: 'smol-toml',
    topic: 'big integers as BigInt',
    file: readme,
    holds: '#### Enabling BigInt',
  },
  {
    library: 'smol-toml',
    topic: 'dates and times',
    file: readme,
    holds: '### Date, Time, and Datetime',
  },
  {
    library: 'web-tree-sitter',
    topic: 'load a precompiled WebAssembly module',
    file: readme,
    holds: '### Loading a pre-compiled WebAssembly module',
  },
  {
    library: 'web-tree-sitter',
    topic: 'edit the source and reparse incrementally',
    file: readme,
    holds: '### Editing',
  },
  {
    library: 'sql-formatter',
    topic: 'replace placeholders by values',
    file: readme,
    holds: '### Placeholders replacement',
  },
  {
    library: 'sql-formatter',
    topic: 'turn formatting off for a part of the query',
    file: readme,
    holds: '### Disabling the formatter',
  },
  { library: 'tinyglobby', topic: 'ignore files', file: 'dist/index.d.mts', holds: 'ignore' },
  {
    library: 'oxc-parser',
    topic: 'walk the syntax tree with a visitor',
    file: readme,
    holds: '### Visitor',
  },
  {
    library: 'commander',
    topic: 'Command.hook signature',
    file: 'typings/index.d.ts',
    holds: 'hook(',
  },
];
