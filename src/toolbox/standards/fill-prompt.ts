import type { PromptMessage, PromptResult } from '../../contract/prompt/index.ts';
import { InvalidPromptArgumentsError, UnknownLanguageError } from './errors.ts';
import { languageOfFramework, languagesOf, resolveLanguage } from './languages.ts';
import { placeholderPattern, type Document } from './parse-document.ts';
import type { Snapshot } from './snapshot.ts';

const maxArgumentLength = 500_000;

/** Checks the arguments and fills them in; the standards a prompt asks for go along as resources. */
export function fillPrompt(
  snapshot: Snapshot,
  prompt: Document,
  given: Readonly<Record<string, string>>,
): PromptResult {
  const problems = problemsOf(prompt, given);
  if (problems.length > 0) throw new InvalidPromptArgumentsError(prompt.name, problems);
  const values = valuesOf(snapshot, prompt, given);
  const embedded = prompt.embeds.flatMap((embed) =>
    embeddedText(snapshot, substitute(embed, values)),
  );
  const text = substitute(prompt.body, values);
  return {
    ...(prompt.description === '' ? {} : { description: prompt.description }),
    messages: [...embedded, { role: 'user', content: { type: 'text', text } }],
  };
}

function problemsOf(prompt: Document, given: Readonly<Record<string, string>>): string[] {
  const known = prompt.parameters.map(({ name }) => name);
  const unknown = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => `it has no argument "${name}" (it has: ${known.join(', ')})`);
  const wrong = prompt.parameters.flatMap(({ name, required, values, strict, description }) => {
    const value = (Object.hasOwn(given, name) ? given[name] : undefined) ?? '';
    if (required && value.trim() === '') {
      return [`argument "${name}" is missing${description === '' ? '' : ` (${description})`}`];
    }
    if (value.length > maxArgumentLength) {
      return [`argument "${name}" has more than ${maxArgumentLength} characters`];
    }
    const isRefused = strict && value !== '' && !values.includes(value);
    return isRefused ? [`argument "${name}" must be one of ${values.join(', ')}`] : [];
  });
  return [...unknown, ...wrong];
}

/** Defaults, and the language: as people spell it, or as the test framework gives it away. */
function valuesOf(
  snapshot: Snapshot,
  prompt: Document,
  given: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const values = new Map(
    prompt.parameters.map(({ name, default: fallback }) => [
      name,
      Object.hasOwn(given, name) && given[name]?.trim() ? given[name] : fallback,
    ]),
  );
  if (!values.has('language')) return values;
  const asked = values.get('language') || languageOfFramework(values.get('framework') ?? '') || '';
  const language = asked === '' ? '' : resolveLanguage(snapshot, asked);
  if (language === undefined) throw new UnknownLanguageError(asked, languagesOf(snapshot));
  values.set('language', language);
  if (values.get('style') === '') {
    values.set('style', snapshot.codingStandards[language]?.style ?? 'the team’s');
  }
  return values;
}

/** One pass only: a placeholder inside a value stays as it is. */
function substitute(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(placeholderPattern, (_, name: string, fence?: string) => {
    const value = values.get(name) ?? '';
    return fence === undefined ? value : fenced(value, values.get('language') ?? '');
  });
}

/** A fence longer than any in the value, so that the value cannot end it. */
function fenced(value: string, language: string): string {
  const longest = Math.max(2, ...[...value.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${value.trimEnd()}\n${fence}`;
}

function embeddedText(snapshot: Snapshot, uri: string): PromptMessage[] {
  const document = snapshot.texts.get(uri);
  if (!document) return [];
  const resource = { uri, mimeType: 'text/markdown', text: document.body };
  return [{ role: 'user', content: { type: 'resource', resource } }];
}
