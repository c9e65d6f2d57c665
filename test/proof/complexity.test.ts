import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileComplexity } from '../../src/toolbox/code/complexity/complexity-schema.ts';
import { measureComplexity } from '../../src/toolbox/code/complexity/measure-complexity.ts';
import type { Language } from '../../src/toolbox/code/language.ts';
import { SyntaxTrees } from '../../src/toolbox/code/syntax-tree.ts';
import { isCi, sampleSeeded } from '../../testkit/sample.ts';

/** `scripts/make-complexity-references.ts` writes these; see there for the versions used. */
interface Reference {
  readonly files: Readonly<Record<string, FileReference>>;
}

interface FileReference {
  readonly sha256: string;
  /** [name, line, cyclomatic, cognitive] in source order. */
  readonly functions: readonly [string, number, number, number | null][];
  readonly maintainabilityIndex?: number;
}

type ReferenceLanguage = 'javascript' | 'typescript' | 'python';

/** How many functions were compared, and what differs. */
interface Comparison {
  functions: number;
  readonly cyclomatic: string[];
  readonly cognitive: string[];
  readonly index: string[];
}

const root = join(import.meta.dirname, '../..');
const trees = new SyntaxTrees();
const leastFunctions = 500;
const maxSampledFiles = 150;
const timeoutMs = 300_000;

describe('complexity against the reference tools', () => {
  it.for([
    ['ESLint and SonarJS for JavaScript', 'javascript', 'the packages measured are not installed'],
    ['ESLint and SonarJS for TypeScript', 'typescript', 'the packages measured are not installed'],
    ['radon for Python', 'python', 'libpython3.11-stdlib is not installed'],
  ] as const)('is that of %s', { timeout: timeoutMs }, async ([, language, whyNot], { skip }) => {
    const found = await compare(language);
    if (found.functions === 0 && !isCi) skip(whyNot);
    expect(found.functions).toBeGreaterThanOrEqual(leastFunctions);
    expect(found.cyclomatic).toEqual([]);
    expect(found.cognitive.length).toBeLessThanOrEqual(found.functions * 0.01);
    expect(found.index).toEqual([]);
  });
});

describe('complexity against hand-counted cases', () => {
  it.each(['python', 'java', 'go', 'rust'] as const)('is as counted for %s', async (language) => {
    const cases = readCases(language);
    expect(cases.length).toBeGreaterThan(language === 'python' ? 40 : 60);
    const measured = await Promise.all(
      cases.map(async ({ title, text }) => {
        const [first] = (await measure(language, text)).functions;
        return `${title}: cyclomatic ${first?.cyclomatic}, cognitive ${first?.cognitive}`;
      }),
    );
    expect(measured).toEqual(
      cases.map(
        ({ title, cyclomatic, cognitive }) =>
          `${title}: cyclomatic ${cyclomatic}, cognitive ${cognitive}`,
      ),
    );
  });
});

function measure(language: Language, text: string, path = 'case'): Promise<FileComplexity> {
  return measureComplexity({ path, text, language }, { trees });
}

/** `zod@4.1.0/src/a.ts` is `node_modules/zod/src/a.ts`. */
function placeOf(language: ReferenceLanguage, path: string): string {
  if (language === 'python') return join('/usr/lib/python3.11', path);
  return join(root, 'node_modules', path.replace(/(?<=.)@[^/]+/, ''));
}

async function compare(language: ReferenceLanguage): Promise<Comparison> {
  const data = readFileSync(join(root, `test/data/complexity/${language}.json`), 'utf8');
  const { files } = JSON.parse(data) as Reference;
  const comparison: Comparison = { functions: 0, cyclomatic: [], cognitive: [], index: [] };
  for (const [path, reference] of sampleSeeded(Object.entries(files), maxSampledFiles)) {
    const bytes = readUnchanged(placeOf(language, path), reference.sha256);
    if (!bytes) continue;
    const measured = await measure(language, bytes.toString('utf8'), path);
    compareFile(comparison, reference, measured);
  }
  return comparison;
}

/** Nothing when the file is gone or another version of it is installed. */
function readUnchanged(place: string, sha256: string): Buffer | undefined {
  try {
    const bytes = readFileSync(place);
    return createHash('sha256').update(bytes).digest('hex') === sha256 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function compareFile(
  comparison: Comparison,
  reference: FileReference,
  measured: FileComplexity,
): void {
  const index = measured.maintainability_index ?? Number.NaN;
  const expected = reference.maintainabilityIndex ?? index;
  if (Math.abs(index - expected) > 1e-6) {
    comparison.index.push(`${measured.path}: ${expected}, not ${index}`);
  }
  const byLine = Map.groupBy(measured.functions, (one) => one.start_line);
  for (const [name, line, cyclomatic, cognitive] of reference.functions) {
    // Both lists are in source order, so functions on one line come in the same order.
    const ours = byLine.get(line)?.shift();
    const place = `${measured.path}:${line} ${name}`;
    comparison.functions += 1;
    if (ours?.cyclomatic !== cyclomatic) {
      comparison.cyclomatic.push(`${place}: ${cyclomatic}, not ${ours?.cyclomatic}`);
    }
    if (cognitive !== null && ours?.cognitive !== cognitive) {
      comparison.cognitive.push(`${place}: ${cognitive}, not ${ours?.cognitive}`);
    }
  }
}

interface Case {
  readonly title: string;
  readonly cyclomatic: number;
  readonly cognitive: number;
  readonly text: string;
}

function readCases(language: 'python' | 'java' | 'go' | 'rust'): Case[] {
  const file = readFileSync(join(root, `test/data/complexity/${language}-cases.txt`), 'utf8');
  const surround = {
    python: (text: string) => text,
    rust: (text: string) => text,
    go: (text: string) => `package p\n${text}`,
    java: (text: string) => `class A {\n${text}}`,
  }[language];
  const [, ...parts] = file.split(/^(?:\/\/|#)! /m);
  return parts.map((part) => {
    const [, cyclomatic, cognitive, title = ''] = /^(\d+) (\d+) (.*)/.exec(part) ?? [];
    const text = surround(part.slice(part.indexOf('\n') + 1));
    return { title, cyclomatic: Number(cyclomatic), cognitive: Number(cognitive), text };
  });
}
