import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { ownFile } from '../../../kernel/index.ts';
import { findingSchema, severities, type Severity } from '../finding.ts';
import { languages, type Language } from '../language.ts';

const confidences = ['high', 'medium', 'low'] as const;

/** What a rule is about. Its message and fix are constant text: they can never repeat the source. */
interface SecurityRule {
  /** Stable, `<language>/<name>`; Python keeps the numbers of bandit: B602 is `python/S602`. */
  readonly id: string;
  readonly severity: Severity;
  readonly cwe: string;
  readonly message: string;
  readonly fix: string;
  /** How often a match is a real weakness. */
  readonly confidence: (typeof confidences)[number];
}

export const securityFindingSchema = findingSchema.extend({
  cwe: z.string().optional().describe('The weakness class, e.g. CWE-78.'),
  confidence: z.enum(confidences),
  engine: z.enum(['ruff', 'tutti']).describe('The engine that found it.'),
});

export type SecurityFinding = z.infer<typeof securityFindingSchema>;

/** Where in a text something was found; lines and columns start at 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Where a text is said not to parse that could not be read at all. */
export const startOfText: TextPosition = { line: 1, column: 1 };

/** The finding of a rule at a position; `changes` for fields that the match decides. */
export function findingOf(
  rule: SecurityRule,
  position: TextPosition & { readonly file: string },
  changes: Partial<Pick<SecurityFinding, 'severity' | 'engine'>> = {},
): SecurityFinding {
  return {
    severity: rule.severity,
    rule: rule.id,
    message: rule.message,
    file: position.file,
    line: position.line,
    column: position.column,
    fix: rule.fix,
    cwe: rule.cwe,
    confidence: rule.confidence,
    engine: 'tutti',
    ...changes,
  };
}

/** Rules of the languages that have their own, and signs of malicious code in any language. */
export type RuleGroup = Exclude<Language, 'typescript'> | 'malicious';

export const ruleGroups: readonly RuleGroup[] = [
  ...languages.filter((language) => language !== 'typescript'),
  'malicious',
];

/** A regular expression that runs in linear time; flags stand in front, as in `(?i)`. */
const pattern = z
  .string()
  .min(1)
  .transform((text) => {
    const [prefix = '', flags = ''] = /^\(\?([ims]+)\)/.exec(text) ?? [];
    return new RegExp(text.slice(prefix.length), flags);
  });

const kinds = ['text', 'constant', 'dynamic', 'assembled', 'request', 'repeating'] as const;

/** What must be true of a node, a tag's attribute or a text. All given fields must hold. */
export interface NodeTest {
  /** Matches the source. */
  readonly source?: RegExp | undefined;
  /** Matches the contents of a text literal. */
  readonly text?: RegExp | undefined;
  /** Matches the type of the node. */
  readonly type?: RegExp | undefined;
  readonly is?: (typeof kinds)[number] | undefined;
  /** A number less than this. */
  readonly below?: number | undefined;
  /** An octal file mode with one of these bits. */
  readonly bits?: number | undefined;
  /** A text literal that looks like a secret, given to what this selector names. */
  readonly secretOf?: string | undefined;
  readonly missing?: true | undefined;
  readonly not?: NodeTest | undefined;
}

const nodeTest: z.ZodType<NodeTest> = z.lazy(() =>
  z.union([
    pattern.transform((source): NodeTest => ({ source })),
    z.strictObject({
      source: pattern.optional(),
      text: pattern.optional(),
      type: pattern.optional(),
      is: z.enum(kinds).optional(),
      below: z.number().optional(),
      bits: z.int().optional(),
      secretOf: z.string().optional(),
      missing: z.literal(true).optional(),
      not: nodeTest.optional(),
    }),
  ]),
);

const oneOrMore = <Item extends z.ZodType>(item: Item) =>
  z.union([z.array(item).min(1), item.transform((one) => [one])]);

/** Which matches of a shape, or which tags, a rule reports. */
const nodeMatch = z.strictObject({
  on: oneOrMore(z.string()).default([]),
  when: z.record(z.string(), nodeTest).default({}),
});

/** Which texts a rule reports, where `find` first matches. */
const textMatch = z.strictObject({
  find: pattern,
  /** Other patterns that must match somewhere, and one that must not. */
  with: z.array(pattern).default([]),
  without: pattern.optional(),
  /** SQL only: with the contents of literals, or without them. */
  in: z.enum(['code', 'text']).default('code'),
  languages: z.array(z.enum(languages)).optional(),
  /** Report every match, not only the first. */
  every: z.boolean().default(false),
});

const ruleSchema = z.strictObject({
  severity: z.enum(severities),
  cwe: z.int(),
  confidence: z.enum(confidences).default('medium'),
  message: z.string(),
  fix: z.string(),
  match: oneOrMore(nodeMatch).default([]),
  find: oneOrMore(textMatch).default([]),
});

/** What the kinds of `NodeTest` mean in one language. */
const kindsSchema = z.strictObject({
  text: pattern.describe('Types of text literals.'),
  constant: pattern.describe('Types that are constant unless something dynamic is inside.'),
  dynamic: z.array(z.string()).describe('Types of what is not known before the program runs.'),
  constantName: pattern.optional().describe('Names that are constants by their spelling.'),
  joined: pattern.describe('Types that join texts.'),
  built: pattern.optional().describe('Source of other expressions that join texts.'),
  request: pattern.optional().describe('Source of what a client sends.'),
  wrapped: pattern.describe('Types that stand for the expression inside.'),
});

const shapeSchema = z.union([
  z.string().transform((query) => ({ query, grammars: undefined })),
  z.strictObject({ query: z.string(), grammars: z.array(z.string()) }),
]);

const fileSchema = z.strictObject({
  kinds: kindsSchema.optional(),
  /** Tree-sitter queries by name. `@at` is what is reported; `@local`, `@module` and `@member` of `alias` are imports. */
  shapes: z.record(z.string(), shapeSchema).default({}),
  rules: z.record(z.string(), ruleSchema),
});

type Parsed = z.output<typeof fileSchema>;
export type Kinds = NonNullable<Parsed['kinds']>;
export type NodeMatch = z.output<typeof nodeMatch>;
export type TextMatch = z.output<typeof textMatch>;

export interface FileRule extends SecurityRule {
  readonly name: string;
  readonly match: readonly NodeMatch[];
  readonly find: readonly TextMatch[];
}

export interface RuleFile extends Pick<Parsed, 'kinds' | 'shapes'> {
  readonly rules: ReadonlyMap<string, FileRule>;
}

/** Each file is parsed once: rules do not change while the program runs. */
const loaded = new Map<RuleGroup, RuleFile>();

/** The rules of a group, from the language's `security.yaml` or from `malicious.yaml`. */
export function readRules(group: RuleGroup): RuleFile {
  const known = loaded.get(group);
  if (known) return known;
  const path = group === 'malicious' ? 'security/malicious' : `languages/${group}/security`;
  const text = readFileSync(ownFile(`toolbox/code/${path}.yaml`), 'utf8');
  const { rules, ...others } = fileSchema.parse(parse(text, { merge: true }));
  const entries = Object.entries(rules).map(([name, rule]): [string, FileRule] => [
    name,
    { ...rule, name, id: `${group}/${name}`, cwe: `CWE-${rule.cwe}` },
  ]);
  const file: RuleFile = { ...others, rules: new Map(entries) };
  loaded.set(group, file);
  return file;
}

/** How many rules look at a file of this language, those for malicious code included. */
export function countRules(language: Language): number {
  const own = readRules(language === 'typescript' ? 'javascript' : language).rules.size;
  const malicious = [...readRules('malicious').rules.values()].filter(({ find }) =>
    find.some(({ languages: ones = languages }) => ones.includes(language)),
  );
  return own + malicious.length;
}

const intro = `# Security rules

Generated from the rule files by \`npm run docs\`. \`scan_security\` runs these; keys and tokens have [their own page](scan-secrets.md).
A rule of Python carries bandit's number: \`python/S602\` is bandit's B602.`;

/** The page that lists every security rule with its severity. */
export function renderSecurityRules(): string {
  const sections = ruleGroups.map((group) => {
    const rows = [...readRules(group).rules.values()].map(
      ({ id, severity, cwe, message, fix }) =>
        `| \`${id}\` | ${severity} | ${cwe} | ${cell(message)} | ${cell(fix)} |`,
    );
    return `## ${group}\n\n| rule | severity | class | what it means | what to do |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${intro}\n\n${sections.join('\n')}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
