import { measureComplexity } from '../src/toolbox/code/complexity/measure-complexity.ts';
import type { Language } from '../src/toolbox/code/language.ts';
import { lintFile } from '../src/toolbox/code/lint/lint-file.ts';
import { chooseStyleGuide } from '../src/toolbox/code/language.ts';
import { scanFileSecurity } from '../src/toolbox/code/security/scan-file-security.ts';
import { aCodeContext } from '../testkit/toolbox/code-context.ts';
import { aCodeCatalogue } from '../test/support/code-catalogue.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import { compare, type Comparison, type Work } from './measure.ts';
import { goSample, javaSample, pythonSample, typescriptSample } from './samples.ts';

const rounds = 25;
/** A round is several calls: single ones of two milliseconds measure how fast a core wakes up. */
const minRoundMs = 25;
const maxCallsPerRound = 10;
/** WASM is compiled again for speed while it runs, and that takes some hundred calls of a few milliseconds. */
const warmUpMs = 1_500;
const catalogue = aCodeCatalogue([process.cwd()], 60_000);

/** `format_code` as a client sees it, worker thread and checks included, beside the engine alone. */
export async function measureFormatting(): Promise<Comparison[]> {
  const ruff = await import('@astral-sh/ruff-wasm-nodejs');
  const workspace = new ruff.Workspace({ 'line-length': 100 }, ruff.PositionEncoding.Utf16);
  const prettier = await import('prettier');
  const { default: java } = await import('prettier-plugin-java');
  const gofmt = await import('@wasm-fmt/gofmt');
  const engines: readonly [string, string, Work][] = [
    ['python', pythonSample, () => void workspace.format(pythonSample)],
    [
      'typescript',
      typescriptSample,
      async () =>
        void (await prettier.format(typescriptSample, { parser: 'typescript', printWidth: 100 })),
    ],
    ['go', goSample, () => void gofmt.format(goSample)],
    [
      'java',
      javaSample,
      async () =>
        void (await prettier.format(javaSample, {
          parser: 'java',
          plugins: [java],
          printWidth: 100,
        })),
    ],
  ];
  const results: Comparison[] = [];
  for (const [language, code, engine] of engines) {
    const tool = (): Promise<void> => call('format_code', { language, code });
    const [ours, base] = await comparePerCall(tool, engine);
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
    const [ours, base] = await comparePerCall(review, engines);
    const name = `review_code, 500 lines of ${language}`;
    results.push({ name, floor: 'sum of its engines', limit: 1.5, unit: 'ms', ours, base });
  }
  return results;
}

async function comparePerCall(ours: Work, base: Work): Promise<[number, number]> {
  const callMs = await warmUp(ours, base);
  const callsPerRound = Math.min(maxCallsPerRound, Math.ceil(minRoundMs / callMs));
  const many = (work: Work) => async (): Promise<void> => {
    for (let i = 0; i < callsPerRound; i += 1) await work();
  };
  const [a, b] = await compare(many(ours), many(base), rounds);
  return [a / callsPerRound, b / callsPerRound];
}

/** How long the last call took, in milliseconds. */
async function warmUp(ours: Work, base: Work): Promise<number> {
  const endsAt = performance.now() + warmUpMs;
  let callMs = 0;
  while (performance.now() < endsAt) {
    await base();
    const startedAt = performance.now();
    await ours();
    callMs = performance.now() - startedAt;
  }
  return callMs;
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
