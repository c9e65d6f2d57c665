import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CodeSyntaxError } from '../../src/toolbox/code/errors.ts';
import { focusAreas } from '../../src/toolbox/code/finding.ts';
import { languages, type Language } from '../../src/toolbox/code/language.ts';
import { chooseStyleGuide } from '../../src/toolbox/code/language.ts';
import { refactorFile } from '../../src/toolbox/code/refactor/refactor-file.ts';
import { defaultCodeStandards } from '../../src/toolbox/code/review/code-standard.ts';
import { reviewFile, type ReviewSetup } from '../../src/toolbox/code/review/review-file.ts';
import { scoreOf } from '../../src/toolbox/code/review/score.ts';
import type { SourceFile } from '../../src/toolbox/code/source-files.ts';
import { aCodeContext } from '../../testkit/toolbox/code-context.ts';
import { corpusFiles } from '../support/corpus.ts';
import { isCi, isProof, sampleSeeded } from '../../testkit/sample.ts';

const fullCount = 150;
const sampledCount = 8;
/** Stylesheets of several hundred kilobytes take seconds each and prove nothing more. */
const maxCharacters = isProof ? 200_000 : 40_000;
/** Dialects and client commands that no SQL parser here knows make up most of the rest. */
const leastParsed: Readonly<Partial<Record<Language, number>>> = { sql: 0.5 };

const context = aCodeContext();

function setupFor(language: Language): ReviewSetup {
  return {
    context,
    guide: chooseStyleGuide(language, undefined),
    standard: defaultCodeStandards[language],
    lineLength: context.settings.lineLength,
    areas: new Set(focusAreas),
  };
}

function readSamples(language: Language): SourceFile[] {
  const files = corpusFiles(language, fullCount).flatMap((path): SourceFile[] => {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
      return text.length <= maxCharacters ? [{ path, text, language }] : [];
    } catch {
      return [];
    }
  });
  return sampleSeeded(files, sampledCount);
}

/** The score of a file, or nothing when it does not parse. */
async function scoreOfFile(file: SourceFile): Promise<number | undefined> {
  try {
    return scoreOf((await reviewFile(file, setupFor(file.language))).findings);
  } catch (error) {
    if (error instanceof CodeSyntaxError) return undefined;
    throw error;
  }
}

describe('review and refactor on real files', () => {
  for (const language of languages) {
    it(`keeps ${language} parsing, settles, and never lowers the score`, async (test) => {
      if (corpusFiles(language, sampledCount).length < sampledCount) {
        if (isCi) throw new Error(`No corpus of ${language}: see test/system-packages.txt`);
        test.skip(`the Debian packages with ${language} sources are not installed`);
      }
      const files = readSamples(language);
      let parsed = 0;
      for (const file of files) {
        const before = await scoreOfFile(file);
        if (before === undefined) continue;
        parsed += 1;
        const refactored = await refactorFile(file, setupFor(language), () => true);
        expect(before, file.path).toBeGreaterThanOrEqual(0);
        expect(before, file.path).toBeLessThanOrEqual(100);
        if (refactored.text === file.text) continue;
        const again = { ...file, text: refactored.text };
        expect(await scoreOfFile(again), file.path).toBeGreaterThanOrEqual(before);
        const settled = await refactorFile(again, setupFor(language), () => true);
        expect(settled.text, file.path).toBe(refactored.text);
      }
      expect(parsed / files.length).toBeGreaterThanOrEqual(leastParsed[language] ?? 0.9);
    }, 1_200_000);
  }
});
