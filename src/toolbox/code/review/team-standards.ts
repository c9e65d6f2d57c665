import { silentLog } from '../../../kernel/index.ts';
import { languages, type Language } from '../language.ts';
import { defaultCodeStandards, type CodeStandard, type CodeStandards } from './code-standard.ts';

/**
 * The limits of the team's standards as they are now, the project's overrides in `directory` included.
 * Faulty overrides are reported by the standards server, so this says nothing about them.
 */
export function teamStandards(directory: string | undefined): () => Promise<CodeStandards> {
  let reader: Promise<LimitsReader> | undefined;
  return async () => {
    reader ??= openReader(directory);
    const read = await reader;
    const entries = await Promise.all(
      languages.map(async (language) => [language, await readStandard(language, read)] as const),
    );
    // One entry for each language there is.
    return Object.fromEntries(entries) as Record<Language, CodeStandard>;
  };
}

type LimitsReader = Awaited<ReturnType<typeof openReader>>;

async function openReader(directory: string | undefined) {
  const { createStandardLimitsReader } = await import('../../standards/index.ts');
  return createStandardLimitsReader({ project: directory, log: silentLog });
}

async function readStandard(language: Language, read: LimitsReader): Promise<CodeStandard> {
  const usual = defaultCodeStandards[language];
  const limits = await read(language);
  if (!limits) return usual;
  return {
    ...usual,
    cyclomaticLimit: limits.complexity_limit,
    nestingLimit: limits.max_nesting ?? usual.nestingLimit,
    parameterLimit: limits.max_parameters,
    functionLines: limits.max_function_lines,
    fileLines: limits.max_file_lines ?? usual.fileLines,
  };
}
