import { z } from 'zod';
import { languages, type Language } from '../../contract/language/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { ToolFailedError, UnfitFrameworkError, UnknownLanguageError } from './errors.ts';
import { languageProfiles } from './language-profile.ts';
import { isParsedLanguage, parsedLanguages, type ParsedLanguage } from './syntax-parser.ts';
import { callForValue, type ToolCaller } from './tool-caller.ts';

export interface ChosenFramework {
  readonly language: ParsedLanguage;
  readonly framework: string;
}

/** `pytest` is what callers give who do not think of another language. */
const fallback = 'pytest';

/**
 * The language of code and the framework of its tests. A framework that was named decides the language, or has to fit
 * it; only `pytest`, the default of the tool, gives way to the framework of another language.
 */
export async function chooseTestFramework(
  wanted: {
    readonly code: string;
    readonly language?: Language | undefined;
    readonly framework?: string | undefined;
  },
  by: { readonly tools: ToolCaller; readonly context: CallContext },
): Promise<ChosenFramework> {
  const framework = wanted.framework?.trim().toLowerCase();
  const named = languagesOf(framework);
  const language =
    wanted.language ??
    (named.length === 1 && framework !== fallback ? named[0] : await detect(wanted.code, by));
  if (language === undefined) throw new UnknownLanguageError();
  if (!isParsedLanguage(language))
    throw new UnfitFrameworkError(framework ?? fallback, language, []);
  const { frameworks, defaultFramework } = languageProfiles[language];
  const isFit = framework !== undefined && Object.hasOwn(frameworks, framework);
  if (isFit) return { language, framework };
  if (framework === undefined || framework === fallback) {
    return { language, framework: defaultFramework };
  }
  throw new UnfitFrameworkError(framework, language, Object.keys(frameworks));
}

function languagesOf(framework: string | undefined): readonly ParsedLanguage[] {
  if (framework === undefined) return [];
  return parsedLanguages.filter((name) =>
    Object.hasOwn(languageProfiles[name].frameworks, framework),
  );
}

const detectedSchema = z.object({ language: z.enum(languages) });

/** The formatter tries the likely languages and says which one the text is of. */
async function detect(
  code: string,
  { tools, context }: { readonly tools: ToolCaller; readonly context: CallContext },
): Promise<Language | undefined> {
  try {
    const request = { name: 'code.format_code', args: { code }, schema: detectedSchema };
    return (await callForValue(tools, request, context)).language;
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof ToolFailedError) return undefined;
    throw error;
  }
}
