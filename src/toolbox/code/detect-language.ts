import { z } from 'zod';
import { languages, profileOf, readLanguageData, type Language } from './language.ts';

/** More of a text would only repeat what its beginning said. */
const maxSampleLength = 32 * 1024;
/** One habit of the author must not outweigh everything else. */
const maxMatchesPerMarker = 6;
/** Below this nothing has been said: a word of prose, a bare number. */
const minScore = 2;

/** Much JavaScript with a word or two that looks like a type is still JavaScript. */
const minTypeShare = 12;

/** The language a text is most likely written in; `undefined` when nothing speaks for any. */
export function detectLanguage(text: string): Language | undefined {
  return likelyLanguages(text)[0];
}

/**
 * The languages a text may be written in, likeliest first. Takes time in proportion to the sample,
 * whatever the text is.
 */
export function likelyLanguages(text: string): readonly Language[] {
  const sample = text.slice(0, maxSampleLength).replaceAll('\r\n', '\n');
  const first = byFirstLine(sample);
  if (first === 'none') return [];
  const ranked = byMarkers(sample);
  return first ? [first, ...ranked.filter((language) => language !== first)] : ranked;
}

/** A shebang or the start of a document says it outright. */
function byFirstLine(sample: string): Language | 'none' | undefined {
  const start = sample.replace(/^\uFEFF/, '').trimStart();
  if (start.startsWith('#!')) {
    const [line = ''] = start.split('\n', 1);
    // TypeScript first: `npx tsx` and `ts-node` also name Node.
    const known = languages.toReversed().find((language) => {
      const { interpreter } = profileOf(language);
      return interpreter !== undefined && new RegExp(interpreter).test(line);
    });
    return known ?? 'none';
  }
  if (/^<(?:!doctype\s+html|html|head|body)\b/i.test(start)) return 'html';
  if (/^(?:<\?xml\b|<!--|<!doctype\b|<[a-z][a-z0-9-]*(?:\s[^<>]{0,2000})?\/?>)/i.test(start)) {
    return /^<(?:\?xml|!doctype)/i.test(start) && !/<html\b/i.test(sample) ? 'none' : 'html';
  }
  return undefined;
}

function byMarkers(sample: string): readonly Language[] {
  const code = withoutComments(sample);
  const scores = new Map(languages.map((language) => [language, scoreOf(code, language)]));
  // TypeScript is JavaScript with types: its own markers add to JavaScript's.
  const types = scores.get('typescript') ?? 0;
  scores.delete('typescript');
  const script = scores.get('javascript') ?? 0;
  if (types >= minScore && types * minTypeShare >= script) scores.set('typescript', types + script);
  // A type that no marker knows may be all that tells them apart; JavaScript stays before it.
  else if (script >= minScore) scores.set('typescript', script);
  return [...scores]
    .filter(([, score]) => score >= minScore)
    .sort(([, a], [, b]) => b - a)
    .map(([language]) => language);
}

/** Prose in comments speaks every language. `#` and `--` stay: they are markers themselves. */
function withoutComments(sample: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const start = sample.indexOf('/*', from);
    const end = start < 0 ? -1 : sample.indexOf('*/', start + 2);
    if (end < 0) break;
    kept.push(sample.slice(from, start));
    from = end + 2;
  }
  kept.push(sample.slice(from));
  return kept
    .join('')
    .replace(/(^|[^:'"`\w])\/\/(?![/!])[^\n]*/gm, '$1')
    .replace(/[ \t]+/g, ' ');
}

/**
 * Patterns that speak for a language, by weight; `(?i)` in front ignores case. Every pattern is linear: it is anchored, or
 * what it repeats is bounded, and nothing is repeated inside a repetition.
 */
const markersSchema = z.record(z.string(), z.array(z.string())).transform((groups) =>
  Object.entries(groups).flatMap(([weight, patterns]) =>
    patterns.map((pattern) => ({
      pattern: new RegExp(pattern.replace('(?i)', ''), pattern.startsWith('(?i)') ? 'gim' : 'gm'),
      weight: Number(weight),
    })),
  ),
);

function scoreOf(sample: string, language: Language): number {
  let score = 0;
  for (const { pattern, weight } of readLanguageData(language, 'markers.yaml', markersSchema)) {
    score += [...sample.matchAll(pattern).take(maxMatchesPerMarker)].length * weight;
  }
  return score;
}
