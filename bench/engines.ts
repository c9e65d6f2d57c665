import { measureComplexity } from '../src/toolbox/code/complexity/measure-complexity.ts';
import { Ruff } from '../src/toolbox/code/engines/ruff.ts';
import type { Language } from '../src/toolbox/code/language.ts';
import { lintFile } from '../src/toolbox/code/lint/lint-file.ts';
import { chooseStyleGuide } from '../src/toolbox/code/lint/style-guide.ts';
import { scanFileSecurity } from '../src/toolbox/code/security/scan-file-security.ts';
import { aCodeContext } from '../src/toolbox/testing/code-context.ts';
import { aCodeCatalogue } from '../test/support/code-catalogue.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import { compare, type Comparison, type Work } from './measure.ts';
import { goSample, pythonSample, typescriptSample } from './samples.ts';

const rounds = 25;
const catalogue = aCodeCatalogue([process.cwd()], 60_000);

/** `format_code` as a client sees it, worker thread and checks included, beside the engine alone. */
export async function measureFormatting(): Promise<Comparison[]> {
  const ruff = new Ruff();
  const prettier = await import('prettier');
  const gofmt = await import('@wasm-fmt/gofmt');
  const engines: readonly [string, string, Work][] = [
    [
      'python',
      pythonSample,
      async () => void (await ruff.format(pythonSample, { 'line-length': 100 })),
    ],
    [
      'typescript',
      typescriptSample,
      async () =>
        void (await prettier.format(typescriptSample, { parser: 'typescript', printWidth: 100 })),
    ],
    ['go', goSample, () => void gofmt.format(goSample)],
  ];
  const results: Comparison[] = [];
  for (const [language, code, engine] of engines) {
    const [ours, base] = await compare(
      () => call('format_code', { language, code }),
      engine,
      rounds,
    );
    const name = `format_code, 500 lines of ${language}`;
    results.push({ name, floor: 'engine alone', limit: 1.3, unit: 'ms', ours, base });
  }
  return results;
}

/** `review_code` as a client sees it, beside its engines one after the other in this thread. */
export async function measureReview(): Promise<Comparison[]> {
  const context = aCodeContext();
  const samples: readonly [Language, string][] = [
    ['python', pythonSample],
    ['typescript', typescriptSample],
    ['go', goSample],
  ];
  const results: Comparison[] = [];
  for (const [language, text] of samples) {
    const file = { path: '<code>', text, language };
    const setup = { context, guide: chooseStyleGuide(language, undefined), lineLength: 100 };
    const engines = async (): Promise<void> => {
      await lintFile(file, setup);
      await scanFileSecurity(file, context);
      await measureComplexity(file, context);
    };
    const review = () => call('review_code', { language, code: text });
    const [ours, base] = await compare(review, engines, rounds);
    const name = `review_code, 500 lines of ${language}`;
    results.push({ name, floor: 'sum of its engines', limit: 1.5, unit: 'ms', ours, base });
  }
  return results;
}

async function call(tool: string, args: object): Promise<void> {
  const context = {
    caller: localCaller,
    signal: new AbortController().signal,
    progress: () => {},
    meta: {},
  };
  const result = await catalogue.callTool(tool, args, context);
  if (result.isError) throw new Error(`${tool} failed: ${JSON.stringify(result.content)}`);
}
