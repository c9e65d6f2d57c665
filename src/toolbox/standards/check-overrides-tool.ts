import { counted } from '../../kernel/index.ts';
import { z } from 'zod';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { codingStandardsUri, type StandardsLibrary } from './standards-library.ts';

const outputSchema = z.object({
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
    name: 'check_standards_overrides',
    title: 'Check the project’s own standards',
    description:
      'Lists the files in .tutti/standards/ that change or add to the built-in standards, and those that cannot ' +
      'be used, with the line and the reason.',
    input: z.object({}),
    output: outputSchema,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    examples: ['are our own standards in force?', 'why is my standards override not used?'],
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
        problems: snapshot.problems.map((problem) => ({ ...problem })),
      };
    },
    summarize: ({ directory: folder, used, problems }) =>
      [
        `${counted(used.length, 'override')} in force from ${folder || 'no folder'}`,
        ...used.map(({ file, serves }) => `${file} → ${serves}`),
        ...problems.map(({ file, line, message }) => `${file}:${line}: not used: ${message}`),
      ].join('\n'),
  });
}
