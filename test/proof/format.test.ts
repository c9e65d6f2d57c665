import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diffLines } from 'diff';
import * as prettier from 'prettier';
import { afterAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/kernel/index.ts';
import { dialectOf } from '../../src/toolbox/code/engines/javascript-tree.ts';
import { CodeSyntaxError } from '../../src/toolbox/code/errors.ts';
import { detectLanguage } from '../../src/toolbox/code/detect-language.ts';
import { languages, type Language } from '../../src/toolbox/code/language.ts';
import { SyntaxTrees } from '../../src/toolbox/code/syntax-tree.ts';
import { aCodeContext } from '../../testkit/toolbox/code-context.ts';
import { corpusFiles } from '../support/corpus.ts';
import { rustWords } from '../support/rust-words.ts';
import { isCi, isProof, sampleSeeded } from '../../testkit/sample.ts';
import { comparePythonTrees, javascriptMeaning } from '../support/syntax-meaning.ts';
import { formatterNames } from '../../src/toolbox/code/format/format-code-tool.ts';
import { Rustfmt } from '../../src/toolbox/code/format/format-rust.ts';
import { createFormatEngines, formatSource } from '../../src/toolbox/code/format/format-source.ts';

const filesPerLanguage = 300;
const sampledFiles = 8;
const lineLength = 100;

const context = aCodeContext(['/']);
const engines = createFormatEngines();
const signal = new AbortController().signal;

interface Outcome {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

interface Corpus {
  readonly formatted: readonly Outcome[];
  readonly invalid: readonly string[];
  readonly refused: readonly string[];
}

function formatText(path: string, text: string, language: Language): Promise<string> {
  const formatter = formatterNames[language][0] ?? '';
  const file = { path, text, language };
  return formatSource({ file, formatter, lineLength, signal }, engines, context).then(
    (result) => result.text,
  );
}

function texts(language: Language): { path: string; text: string }[] {
  const paths = sampleSeeded(corpusFiles(language, filesPerLanguage), sampledFiles);
  return paths.flatMap((path) => {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
      return text.includes('\0') ? [] : [{ path, text: text.replaceAll('\r\n', '\n') }];
    } catch {
      return [];
    }
  });
}

async function formatCorpus(language: Language): Promise<Corpus> {
  const corpus = { formatted: [] as Outcome[], invalid: [] as string[], refused: [] as string[] };
  for (const { path, text } of texts(language)) {
    try {
      corpus.formatted.push({ path, before: text, after: await formatText(path, text, language) });
    } catch (error) {
      const list = error instanceof CodeSyntaxError ? corpus.invalid : corpus.refused;
      list.push(String(error));
    }
  }
  return corpus;
}

/** Missing corpora fail in CI and are skipped elsewhere: see test/system-packages.txt. */
function isThere(language: Language): boolean {
  return isCi || corpusFiles(language, 100).length >= 100;
}

const corpora = new Map<Language, Promise<Corpus>>();

function corpusOf(language: Language): Promise<Corpus> {
  const corpus = corpora.get(language) ?? formatCorpus(language);
  corpora.set(language, corpus);
  return corpus;
}

const minutes = 60_000;

describe.each(languages)('%s', (language) => {
  // Needs real files of the language, which `make test` installs.
  it.skipIf(!isThere(language))(
    'real files are formatted; few are refused, each with a reason',
    async () => {
      const { formatted, invalid, refused } = await corpusOf(language);
      console.log(
        `${language}: ${formatted.length} formatted, ${invalid.length} invalid, ${refused.length} refused`,
        ...(isProof ? [invalid, refused] : []),
      );
      const count = formatted.length + refused.length;
      expect(formatted.length).toBeGreaterThanOrEqual(isProof ? 100 : sampledFiles / 2);
      expect(formatted.length / count).toBeGreaterThanOrEqual(isProof ? 0.95 : 0.7);
    },
    20 * minutes,
  );

  // Needs real files of the language, which `make test` installs.
  it.skipIf(!isThere(language))(
    'formatting what was formatted changes nothing',
    async () => {
      const unstable: string[] = [];
      for (const { path, after } of (await corpusOf(language)).formatted) {
        const again = await formatText(path, after, language);
        if (again !== after && !(await isUnstableInItself(language, after))) unstable.push(path);
      }
      expect(unstable).toEqual([]);
    },
    20 * minutes,
  );
});

const gofmt = globSync('/usr/lib/go-1.*/bin/gofmt')[0] ?? '/usr/bin/gofmt';

/**
 * gofmt and Prettier are what they are: where the original would change its own result again, so do we.
 * Prettier does with a chain of calls before a comment at the end of its line.
 */
async function isUnstableInItself(language: Language, after: string): Promise<boolean> {
  if (language === 'go') return runGofmt(after) !== after;
  if (language !== 'typescript') return false;
  const options = { parser: 'typescript', printWidth: lineLength } as const;
  return (await prettier.format(after, options)) !== after;
}

function runGofmt(text: string): string {
  return execFileSync(gofmt, [], { input: text, encoding: 'utf8', maxBuffer: 1e9 });
}

describe('the meaning of a program is kept', () => {
  // Needs real files, which `make test` installs.
  it.skipIf(!isThere('python'))('Python reads the same tree', async () => {
    const { formatted } = await corpusOf('python');
    const verdicts = comparePythonTrees(formatted.map(({ before, after }) => [before, after]));
    const different = formatted.filter((_, index) => verdicts[index] === 'different');
    expect(different.map(({ path }) => path)).toEqual([]);
    expect(verdicts.filter((verdict) => verdict === 'same').length).toBeGreaterThan(0);
  });

  it.each<'javascript' | 'typescript'>(['javascript', 'typescript'])(
    'oxc reads the same tree of %s',
    async (language) => {
      const different: string[] = [];
      for (const { path, before, after } of (await corpusOf(language)).formatted) {
        const dialect = dialectOf(path, language);
        const [a, b] = [
          await javascriptMeaning(before, dialect),
          await javascriptMeaning(after, dialect),
        ];
        if (a !== b) different.push(path);
      }
      expect(different).toEqual([]);
    },
    20 * minutes,
  );

  // Needs real files and gofmt itself, which `make test` installs.
  it.skipIf(!isThere('go') || (!isCi && !existsSync(gofmt)))(
    "Go is byte for byte what Debian's gofmt makes of it",
    async () => {
      const { formatted } = await corpusOf('go');
      const different = formatted.filter(({ before, after }) => runGofmt(before) !== after);
      expect(different.map(({ path }) => path)).toEqual([]);
    },
    20 * minutes,
  );

  // Needs real files, which `make test` installs.
  it.skipIf(!isThere('java'))('tree-sitter reads the same tree of Java', async () => {
    const trees = new SyntaxTrees();
    const different: string[] = [];
    for (const { path, before, after } of (await corpusOf('java')).formatted) {
      const [a, b] = [await javaShape(before, trees), await javaShape(after, trees)];
      if (a !== b) different.push(path);
    }
    expect(different).toEqual([]);
  });

  // Needs real files, which `make test` installs.
  it.skipIf(!isThere('rust'))('Rust holds the same words', async () => {
    const { formatted } = await corpusOf('rust');
    const different = formatted.filter(
      ({ before, after }) => rustWords(before) !== rustWords(after),
    );
    expect(different.map(({ path }) => path)).toEqual([]);
  });

  // Needs real files, which `make test` installs.
  it.skipIf(!isThere('sql'))('PostgreSQL reads the same statements', async () => {
    const { parse } = await import('libpg-query');
    const tree = async (text: string): Promise<string | undefined> =>
      parse(text.replace(psqlCommand, '')).then(
        (result) => JSON.stringify(result, (key, value: unknown) => withoutPlace(key, value)),
        () => undefined,
      );
    let compared = 0;
    for (const { path, before, after } of (await corpusOf('sql')).formatted) {
      const expected = await tree(before);
      if (expected === undefined) continue;
      compared += 1;
      expect({ path, tree: await tree(after) }).toEqual({ path, tree: expected });
    }
    console.log(`postgresql: ${compared} trees compared`);
    expect(compared).toBeGreaterThan(isProof ? 100 : 0);
  });
});

/** Without these lines PostgreSQL's parser reads most scripts for its client. */
const psqlCommand = /^\\.*$/gm;

function withoutPlace(key: string, value: unknown): unknown {
  return /location$|^stmt_len$|^rexpr_list_/.test(key) ? undefined : value;
}

/** Kinds of nodes that Prettier adds, drops or moves without changing the program. */
const javaLayout = new Set([
  'parenthesized_expression',
  'line_comment',
  'block_comment',
  'import_declaration',
  'modifiers',
  'dimensions',
  'array_type',
]);

/** The kinds of all named nodes, in order, with the text of leaves but for space and empty statements. */
async function javaShape(text: string, trees: SyntaxTrees): Promise<string> {
  const tree = await trees.parse('java', text);
  const shape: string[] = [];
  const cursor = tree.walk();
  for (let isDone = false; !isDone;) {
    const skip = javaLayout.has(cursor.nodeType);
    const isLeaf = cursor.currentNode.namedChildCount === 0;
    if (cursor.nodeIsNamed && !skip) {
      shape.push(cursor.nodeType + (isLeaf ? cursor.nodeText.replace(/[\s;]+/g, '') : ''));
    }
    const enter =
      !skip || cursor.nodeType === 'parenthesized_expression' || cursor.nodeType === 'array_type';
    if (enter && cursor.gotoFirstChild()) continue;
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) {
        isDone = true;
        break;
      }
    }
  }
  tree.delete();
  return shape.join('\n');
}

describe("Python compared with Debian's black", () => {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-black-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  // Needs real files and black itself, which `make test` installs.
  it.skipIf(!isThere('python') || (!isCi && !existsSync('/usr/bin/black')))(
    'differs on less than 1 % of lines',
    async () => {
      const { formatted } = await corpusOf('python');
      for (const [index, { before }] of formatted.entries()) {
        writeFileSync(join(folder, `f${index}.py`), before);
      }
      runBlack(folder);
      let lines = 0;
      let different = 0;
      for (const [index, { before, after }] of formatted.entries()) {
        const black = readFileSync(join(folder, `f${index}.py`), 'utf8');
        // What black leaves alone because it cannot parse it is no reference.
        if (black === before && before !== after) continue;
        lines += black.split('\n').length;
        for (const part of diffLines(black, after)) if (part.removed) different += part.count;
      }
      console.log(`black: ${different} of ${lines} lines differ`);
      expect(lines).toBeGreaterThan(0);
      expect(different / lines).toBeLessThan(0.01);
    },
    20 * minutes,
  );
});

function runBlack(folder: string): void {
  try {
    execFileSync('/usr/bin/black', ['-q', '--fast', '-l', String(lineLength), folder]);
  } catch {
    // It ends with an error when it could not parse one of the files; the others are done.
  }
}

it('a language is recognised by the text alone in at least 97 % of real files', async () => {
  let right = 0;
  let total = 0;
  for (const language of Object.keys(formatterNames) as Language[]) {
    for (const { path, text } of texts(language)) {
      // A text that is valid JavaScript says nothing about being TypeScript, nor does an empty one.
      if (path.endsWith('.d.ts') || text.trim().length < 80) continue;
      const detected = detectLanguage(text);
      const isEither = language === 'typescript' && detected === 'javascript';
      if (isEither && (await javascriptMeaning(text, 'jsx').catch(() => undefined)) !== undefined) {
        continue;
      }
      total += 1;
      if (detected === language) right += 1;
    }
  }
  console.log(`languages: ${right} of ${total} recognised`);
  expect(right / total).toBeGreaterThanOrEqual(isProof ? 0.97 : 0.9);
});

// Needs real files, which `make test` installs.
it.skipIf(!isThere('rust'))(
  'Rust without rustfmt is kept or honestly refused',
  async () => {
    const fallback = createFormatEngines(new Rustfmt('no-such-rustfmt'));
    let formatted = 0;
    const refused: string[] = [];
    const files = texts('rust');
    for (const { path, text } of files) {
      const file = { path, text, language: 'rust' } as const;
      const job = { file, formatter: 'rustfmt', lineLength, signal };
      const result = await formatSource(job, fallback, context).catch((error: unknown) => {
        expect(error).toBeInstanceOf(AppError);
        refused.push(String(error));
      });
      if (!result) continue;
      formatted += 1;
      expect({ path, words: rustWords(result.text) }).toEqual({ path, words: rustWords(text) });
      const again = { ...job, file: { ...file, text: result.text } };
      expect((await formatSource(again, fallback, context)).text).toBe(result.text);
    }
    console.log(
      `rust without rustfmt: ${formatted} of ${files.length} formatted, ${refused.length} refused`,
      ...(isProof ? [refused] : []),
    );
    expect(formatted + refused.length).toBe(files.length);
    expect(formatted / files.length).toBeGreaterThan(0.6);
  },
  20 * minutes,
);
