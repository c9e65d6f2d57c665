import { z } from 'zod';
import { AppError, pluralize } from '../../kernel/index.ts';
import { type DefinedTool, defineTool } from '../define-tool.ts';
import { languageRulesSchema, languagesOf, resolveLanguage } from './coding-standards.ts';
import { codingStandardsUri, type StandardsLibrary } from './standards-library.ts';
import texts from './tools.json' with { type: 'json' };

const standardSchema = z.looseObject({
  language: z.string(),
  title: z.string(),
  source: z
    .enum(['built-in', 'project'])
    .describe('project: a file in .tutti/standards/ replaces or changes it.'),
  ...languageRulesSchema.partial().shape,
  topics: z.array(z.string()).describe('Sections that can be asked for by `topic`.'),
  text: z.string().describe('The standard in Markdown, or the one section that was asked for.'),
});

/** The tool `get_standard`: a language's rules as data and as text. */
export function getStandardTool(library: StandardsLibrary): DefinedTool {
  return defineTool({
    ...texts.get_standard,
    input: z.object({
      language: z
        .string()
        .min(1)
        .max(64)
        .describe(
          'python, javascript, typescript, java, go, rust, sql, html, css, or one the project added.',
        ),
      topic: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('A section such as naming, errors or tests.'),
    }),
    output: standardSchema,
    run: async ({ language: given, topic }) => {
      const snapshot = await library.current();
      const language = resolveLanguage(snapshot, given);
      const document = snapshot.texts.get(`standards://${language}`);
      if (language === undefined || !document) {
        throw new UnknownLanguageError(given, languagesOf(snapshot));
      }
      const sections = sectionsOf(document.body);
      const topics = sections.map((section) => section.topic);
      const section = topic === undefined ? undefined : findSection(sections, topic);
      if (topic !== undefined && !section) throw new UnknownTopicError(topic, topics);
      const isChanged = document.isOverride || snapshot.mergedLanguages.has(language);
      const source: 'project' | 'built-in' = isChanged ? 'project' : 'built-in';
      return {
        ...snapshot.codingStandards[language],
        language,
        title: document.title,
        source,
        topics,
        text: section?.text ?? document.body,
      };
    },
    summarize: ({ text }) => text,
  });
}

/** A `## Section` of a standard. */
interface Section {
  readonly topic: string;
  readonly text: string;
}

/** The second-level sections of a Markdown text; headings inside code fences are no headings. */
function sectionsOf(markdown: string): Section[] {
  const sections: { topic: string; lines: string[] }[] = [];
  let isFenced = false;
  for (const line of markdown.split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) isFenced = !isFenced;
    const heading = isFenced ? undefined : /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ topic: heading.trim(), lines: [line] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ topic, lines }) => ({ topic, text: `${lines.join('\n').trim()}\n` }));
}

/** The section whose heading says the topic, in whatever case, or begins with or contains it. */
function findSection(sections: readonly Section[], topic: string): Section | undefined {
  const wanted = topic.trim().toLowerCase();
  const tests = [
    (heading: string) => heading === wanted,
    (heading: string) => heading.startsWith(wanted),
    (heading: string) => heading.includes(wanted),
  ];
  for (const test of tests) {
    const found = sections.find((section) => test(section.topic.toLowerCase()));
    if (found) return found;
  }
  return undefined;
}

const overridesSchema = z.object({
  directory: z.string().describe('Where overrides are looked for.'),
  used: z.array(z.object({ file: z.string(), serves: z.string() })),
  problems: z.array(z.object({ file: z.string(), line: z.int(), message: z.string() })),
});

/** The tool `check_standards_overrides`: what of the project's own standards is in force, and what is not. */
export function checkOverridesTool(
  library: StandardsLibrary,
  directory: string | undefined,
): DefinedTool {
  return defineTool({
    ...texts.check_standards_overrides,
    input: z.object({}),
    output: overridesSchema,
    run: async () => {
      const snapshot = await library.current();
      const texts = [...snapshot.texts].map(([serves, document]) => ({ serves, document }));
      const prompts = [...snapshot.prompts].map(([name, document]) => ({
        serves: `prompt ${name}`,
        document,
      }));
      const used = [...texts, ...prompts]
        .filter(({ document }) => document.isOverride)
        .map(({ serves, document }) => ({ file: document.file, serves }));
      const merged = { file: 'coding-standards', serves: codingStandardsUri };
      return {
        directory: directory ?? '',
        used: snapshot.mergedLanguages.size > 0 ? [...used, merged] : used,
        problems: snapshot.problems,
      };
    },
    summarize: ({ directory: folder, used, problems }) =>
      [
        `${pluralize(used.length, 'override')} in force from ${folder || 'no folder'}`,
        ...used.map(({ file, serves }) => `${file} → ${serves}`),
        ...problems.map(({ file, line, message }) => `${file}:${line}: not used: ${message}`),
      ].join('\n'),
  });
}

/** No standard is kept for that language. */
export class UnknownLanguageError extends AppError {
  readonly code = 'standards.unknown_language';

  constructor(language: string, known: readonly string[]) {
    super(
      `There is no standard for "${language}". Known: ${known.join(', ')}. ` +
        'Add one as a Markdown file in .tutti/standards/',
      { details: { language, known } },
    );
  }
}

/** A standard has no section of that name. */
class UnknownTopicError extends AppError {
  readonly code = 'standards.unknown_topic';

  constructor(topic: string, topics: readonly string[]) {
    super(`The standard has no section about "${topic}". It has: ${topics.join(', ')}`, {
      details: { topic, topics },
    });
  }
}

/** A prompt was asked for with arguments it does not take, or without one it needs. */
export class InvalidPromptArgumentsError extends AppError {
  readonly code = 'standards.invalid_prompt_arguments';

  constructor(prompt: string, problems: readonly string[]) {
    super(`Prompt "${prompt}" was not filled in: ${problems.join('; ')}`, {
      details: { prompt, problems },
    });
  }
}
