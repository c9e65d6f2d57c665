import { z } from 'zod';
import { readProgram } from '../language.ts';
import type { DissectedCode } from '../mutate/dissect-code.ts';
import { applyEdits, type TextEdit } from '../syntax-tree.ts';
import { goPackage, wholeMs } from './place-files.ts';
import { runSuite } from './tool-checks.ts';
import type { Trial, VariantOutcome, VariantRunner, VariantRuns } from './run-variants.ts';

const maxCompilations = 3;
const brokenMutant = -1;

export interface GoTrials {
  readonly runner: VariantRunner;
  readonly code: DissectedCode;
  readonly tests: string;
  /** Tests in other files. */
  readonly files: Readonly<Record<string, string>>;
  readonly canary: string;
  readonly sign: string;
}

const endSchema = z.object({
  Passed: z.array(z.string()),
  Failed: z.array(z.string()),
  Skipped: z.array(z.string()),
  Whole: z.boolean(),
});

/**
 * Runs trials of Go. Compiling takes most of the time, so all mutants are compiled into one program, each as another body of its
 * function, and a driver starts that program once for each trial. Mutants that do not compile are left out, and it is done again.
 */
export async function runGoTrials(go: GoTrials, trials: readonly Trial[]): Promise<VariantRuns> {
  const { runner, tests, canary, sign } = go;
  const driver = readProgram('go/run-variants.go');
  const unfit = new Set<number>();
  let why = 'it did not compile';
  for (let attempt = 0; attempt < maxCompilations; attempt += 1) {
    const { codeFile, testFile } = runner.placement;
    const code = withMutants(go.code, trials, unfit);
    const packageName = goPackage(code);
    const isInside = new RegExp(`^package[ \\t]{1,5}${packageName}\\b`, 'm').test(tests);
    const jobs = JSON.stringify(trials.map((trial, index) => jobFor(trial, index, sign)));
    const files = {
      ...go.files,
      [codeFile]: redirect(code),
      [testFile]: isInside ? redirect(tests) : tests,
      'canary_test.go': `package ${packageName}\n\nimport (\n\t"os"\n\t"testing"\n)\n${canary}`,
      'driver_test.go': `${driver
        .replace('PACKAGE', packageName)
        .replaceAll('SIGN', sign)
        .replace(
          'LIMIT_MS',
          `${Math.round(runner.wallMs)}`,
        )}\nconst jobs__ = ${JSON.stringify(jobs)}\n`,
    };
    const wallMs = wholeMs('go', runner.wallMs * trials.length);
    const { framework } = runner;
    const request = { files, framework, coverage: false, wallMs, separateMs: wallMs };
    const run = await runSuite(runner.tools, request, runner.context);
    if (run.kind === 'impossible') {
      why = run.why;
      break;
    }
    const said = `${run.report.stdout}\n${run.report.stderr}`;
    if (said.includes(`${sign}-job 0 `)) return readRuns(said, trials, { unfit, sign });
    const found = [...said.matchAll(/\bmutant(\d{1,5})\.go:\d/g)].map(([, number]) =>
      Number(number),
    );
    if (found.length === 0) break;
    for (const number of found) unfit.add(number);
  }
  return { outcomes: trials.map(() => ({ kind: 'unknown', why })), output: '' };
}

/** Time and host are asked for by way of functions that the surroundings can change. */
function redirect(text: string): string {
  return text
    .replaceAll(/(?<![\w.])time\.Now\b/g, 'now__(time.Now)')
    .replaceAll(/(?<![\w.])os\.Hostname\b/g, 'host__(os.Hostname)');
}

function jobFor(trial: Trial, index: number, sign: string): object {
  const job = { Mutant: 0, Run: '', Shuffle: '', Env: [], Dir: '', Shift: false };
  switch (trial.kind) {
    case 'control':
      return { ...job, Env: [`${sign}_CANARY=1`] };
    case 'surroundings': {
      const has = (what: string): boolean => trial.what.some((one) => one === what);
      return {
        ...job,
        Shuffle: trial.isReversed ? '918273645' : '',
        Shift: has('time') || has('host'),
        Env: [
          ...(has('zone') ? ['TZ=Asia/Kathmandu'] : []),
          ...(has('user') ? ['USER=mallory', 'LOGNAME=mallory', 'HOME=/tmp'] : []),
          ...(has('host') ? ['HOSTNAME=elsewhere'] : []),
          ...(has('environment') ? ['LANG=tr_TR.UTF-8', 'DEBUG=1', 'CI=1', 'PORT=1'] : []),
        ],
        Dir: has('folder') ? '/tmp' : '',
      };
    }
    case 'alone':
      return { ...job, Run: `^${trial.name}$` };
    case 'broken':
      return {
        ...job,
        Mutant: brokenMutant,
        ...(trial.test !== null && { Run: `^${trial.test}$` }),
      };
    case 'silent':
      return job;
    case 'mutant':
      return { ...job, Mutant: index };
  }
}

function withMutants(
  { text, functions, probeEdits }: DissectedCode,
  trials: readonly Trial[],
  unfit: ReadonlySet<number>,
): string {
  const mutants = trials.flatMap((trial, number) =>
    trial.kind === 'mutant' && !unfit.has(number) ? [{ number, mutant: trial.mutant }] : [],
  );
  const edits = functions.map(({ name, bodyStart, bodyEnd, returns }): TextEdit => {
    const inside = (all: readonly TextEdit[]): string => {
      const own = all.filter(({ start, end }) => start >= bodyStart && end <= bodyEnd);
      const body = text.slice(bodyStart, bodyEnd);
      const moved = own.map((one) => ({
        ...one,
        start: one.start - bodyStart,
        end: one.end - bodyStart,
      }));
      return applyEdits(body, moved).slice(1, -1);
    };
    const variants = mutants
      .filter(
        ({ mutant }) =>
          mutant.function === name &&
          (mutant.edits[0]?.start ?? 0) >= bodyStart &&
          (mutant.edits[0]?.end ?? 0) <= bodyEnd,
      )
      .map(
        ({ number, mutant }) =>
          `if mutant__ == ${number} {\n//line mutant${number}.go:1\n${asBody(inside(mutant.edits), returns)}\n}\n`,
      );
    const broken = `if mutant__ == ${brokenMutant} { panic("this function was broken on purpose") }\n`;
    return {
      start: bodyStart,
      end: bodyEnd,
      text: `{\n${broken}${variants.join('')}//line solution.go:1\n${inside(probeEdits)}}`,
    };
  });
  return applyEdits(text, edits);
}

/** As a function of its own where there is a result: a mutant that returns none must not go on into the original. */
function asBody(body: string, returns: string): string {
  return returns === '' ? `${body}\nreturn` : `return func() ${returns} {${body}\n}()`;
}

function readRuns(
  said: string,
  trials: readonly Trial[],
  { unfit, sign }: { readonly unfit: ReadonlySet<number>; readonly sign: string },
): VariantRuns {
  const ends = new Map<number, VariantOutcome>();
  for (const [, number, text] of said.matchAll(
    new RegExp(`^${sign}-job (\\d+) (\\{.*\\})$`, 'gm'),
  )) {
    const { Passed, Failed, Skipped, Whole } = endSchema.parse(JSON.parse(text ?? '{}'));
    ends.set(Number(number), {
      kind: 'ran',
      passed: Passed,
      failed: Failed,
      skipped: Skipped,
      isWhole: Whole,
    });
  }
  const outcomes = trials.map(
    (_trial, index): VariantOutcome =>
      (unfit.has(index) ? undefined : ends.get(index)) ?? {
        kind: 'unknown',
        why: 'it did not compile',
      },
  );
  return { outcomes, output: said.replaceAll(`${sign}-branches`, sign) };
}
