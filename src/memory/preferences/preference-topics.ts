import { lookupTable } from '../../kernel/index.ts';

/** Something of which one is chosen, and how the choice is said. */
export interface PreferenceTopic {
  readonly name: string;
  /** `$` stands for the choice. */
  readonly liked: string;
  readonly disliked: string;
  /** How a person writes it → how we do. Choices of different groups do not exclude one another. */
  readonly choices: Readonly<Record<string, string>>;
  /** Values that are numbers, by the group `value`; matched against words between single blanks. */
  readonly pattern?: RegExp;
  readonly groups?: Readonly<Record<string, string>>;
  /** A matter of manner, never of one task: "tabs please" and "no, use tabs" are meant for good. */
  readonly isManner?: boolean;
}

const languages = [
  'English',
  'German',
  'French',
  'Spanish',
  'Italian',
  'Portuguese',
  'Dutch',
  'Polish',
  'Russian',
  'Ukrainian',
  'Turkish',
  'Arabic',
  'Hindi',
  'Chinese',
  'Japanese',
  'Korean',
];

/** `line width 100`, `lines of at most 100 characters`, `100 columns`, `wrap at 100`. */
const lineWidth =
  /(?<= )(?:(?:max(?:imum)? )?(?:(?:line|column|print|code) ?)?(?:width|length|limit)s?(?: (?:of|is|to|at|be|=))?(?: (?:at most|max(?:imum)?))?|lines?(?: (?:of|with|up to|at most|no longer than|not longer than|under|are|should be))+|wrap(?:ped)?(?: (?:lines?|code|it))? at) (?<value>4\d|[5-9]\d|[12]\d\d)(?:[ -](?:columns?|characters?|chars?))?(?= )|(?<= )(?<value>4\d|[5-9]\d|[12]\d\d)[ -](?:(?:columns?|cols?|characters?|chars?)(?: (?:per line|a line|wide|lines?))?|wide)(?= )/;

export const preferenceTopics: readonly PreferenceTopic[] = [
  {
    name: 'line width',
    liked: 'lines of at most $ characters',
    disliked: 'no lines of $ characters',
    isManner: true,
    choices: {},
    pattern: lineWidth,
  },
  {
    name: 'indentation',
    liked: 'indent with $',
    disliked: 'do not indent with $',
    isManner: true,
    pattern: /(?<= )(?:indent(?:ation)? (?:of |by |with |width )?)(?<value>[1-8])(?: spaces)?(?= )/,
    choices: {
      'two spaces': '2 spaces',
      '2 spaces': '2 spaces',
      '2-space': '2 spaces',
      'four spaces': '4 spaces',
      '4 spaces': '4 spaces',
      '4-space': '4 spaces',
      'eight spaces': '8 spaces',
      '8 spaces': '8 spaces',
      '3 spaces': '3 spaces',
      tabs: 'tabs',
      tab: 'tabs',
      spaces: 'spaces',
    },
  },
  {
    name: 'quotes',
    liked: '$ in code',
    disliked: 'no $ in code',
    isManner: true,
    choices: {
      'single quotes': 'single quotes',
      'single quote': 'single quotes',
      'double quotes': 'double quotes',
      'double quote': 'double quotes',
    },
  },
  {
    name: 'semicolons',
    liked: '$ in code',
    disliked: 'no $ in code',
    isManner: true,
    choices: {
      'no semicolons': 'no semicolons',
      'without semicolons': 'no semicolons',
      semicolons: 'semicolons',
    },
  },
  {
    name: 'naming',
    liked: 'names in $',
    disliked: 'no names in $',
    isManner: true,
    choices: {
      'camel case': 'camelCase',
      camelcase: 'camelCase',
      'snake case': 'snake_case',
      snake_case: 'snake_case',
      pascalcase: 'PascalCase',
      'kebab-case': 'kebab-case',
      'kebab case': 'kebab-case',
    },
  },
  {
    name: 'length of answers',
    liked: '$ answers',
    disliked: 'no $ answers',
    isManner: true,
    choices: {
      'short answers': 'short',
      'shorter answers': 'short',
      'brief answers': 'short',
      'concise answers': 'short',
      'answer briefly': 'short',
      'be brief': 'short',
      'be concise': 'short',
      'keep it short': 'short',
      'keep answers short': 'short',
      'long answers': 'detailed',
      'longer answers': 'detailed',
      'detailed answers': 'detailed',
      'be detailed': 'detailed',
      'be verbose': 'detailed',
    },
  },
  {
    name: 'language of answers',
    liked: 'answer in $',
    disliked: 'do not answer in $',
    isManner: true,
    choices: Object.fromEntries(
      languages.flatMap((name) =>
        ['answer in', 'reply in', 'respond in', 'answers in', 'speak', 'talk in'].map((verb) => [
          `${verb} ${name.toLowerCase()}`,
          name,
        ]),
      ),
    ),
  },
  {
    name: 'tests',
    liked: 'tests with $',
    disliked: 'no tests with $',
    choices: {
      pytest: 'pytest',
      unittest: 'unittest',
      jest: 'Jest',
      vitest: 'Vitest',
      mocha: 'Mocha',
      jasmine: 'Jasmine',
      'node:test': 'node:test',
      junit: 'JUnit',
      testng: 'TestNG',
      testify: 'testify',
      rspec: 'RSpec',
      xunit: 'xUnit',
    },
    groups: {
      pytest: 'Python',
      unittest: 'Python',
      Jest: 'JavaScript',
      Vitest: 'JavaScript',
      Mocha: 'JavaScript',
      Jasmine: 'JavaScript',
      'node:test': 'JavaScript',
      JUnit: 'Java',
      TestNG: 'Java',
      testify: 'Go',
      RSpec: 'Ruby',
      xUnit: 'C#',
    },
  },
  {
    name: 'packages',
    liked: 'packages with $',
    disliked: 'no packages with $',
    choices: {
      npm: 'npm',
      yarn: 'Yarn',
      pnpm: 'pnpm',
      bun: 'Bun',
      pip: 'pip',
      poetry: 'Poetry',
      uv: 'uv',
      conda: 'conda',
      maven: 'Maven',
      gradle: 'Gradle',
    },
    groups: {
      npm: 'JavaScript',
      Yarn: 'JavaScript',
      pnpm: 'JavaScript',
      Bun: 'JavaScript',
      pip: 'Python',
      Poetry: 'Python',
      uv: 'Python',
      conda: 'Python',
      Maven: 'Java',
      Gradle: 'Java',
    },
  },
  {
    name: 'formatter',
    liked: 'format with $',
    disliked: 'do not format with $',
    choices: { black: 'Black', yapf: 'yapf', ruff: 'Ruff', prettier: 'Prettier', biome: 'Biome' },
    groups: {
      Black: 'Python',
      yapf: 'Python',
      Ruff: 'Python',
      Prettier: 'JavaScript',
      Biome: 'JavaScript',
    },
  },
  {
    name: 'programming language',
    liked: 'write $',
    disliked: 'do not write $',
    choices: {
      typescript: 'TypeScript',
      javascript: 'JavaScript',
      python: 'Python',
      java: 'Java',
      golang: 'Go',
      rust: 'Rust',
      kotlin: 'Kotlin',
      ruby: 'Ruby',
      swift: 'Swift',
      php: 'PHP',
      'c++': 'C++',
      'c#': 'C#',
    },
  },
];

/** What a preference may be limited to: "in Python", "for TypeScript files". Languages that tools name. */
export const codeLanguages = lookupTable<string>({
  python: 'python',
  javascript: 'javascript',
  js: 'javascript',
  typescript: 'typescript',
  ts: 'typescript',
  java: 'java',
  golang: 'go',
  go: 'go',
  rust: 'rust',
  sql: 'sql',
  html: 'html',
  css: 'css',
});
