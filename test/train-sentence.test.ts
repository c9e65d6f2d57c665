import { existsSync, readdirSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aFolder, runTutti } from './support/run-tutti.ts';

const weights = 6.738e9;
/** A training of more days is refused. */
const mostDays = 7;
const refusedExitCode = 3;

/** `4 × 6.7e9 weights × 17.5e6 tokens × 1 = 4.7e+17`: both sides as numbers. */
function sidesOf(text: string, end: RegExp): readonly [number, number] {
  const [, product = '', result = ''] = new RegExp(
    String.raw`(\d[\d.e+]*(?: [a-z]+)?(?: × [\d.e+]+(?: [a-z]+)?)+) = ([\d.e+]+) ${end.source}`,
  ).exec(text) ?? ['', '', ''];
  const factors = product.split(' × ').map((one) => Number.parseFloat(one));
  return [factors.reduce((all, one) => all * one, 1), Number(result)];
}

it('the seed’s sentence gets its plan, arithmetic that is right, and a refusal on a machine that cannot', async () => {
  const cwd = aFolder();
  const asked = await runTutti(['ask', 'Finetune Llama-2-7b on SQuAD dataset'], { cwd });
  const said = `${asked.stdout}${asked.stderr}`;
  const [operations, shownOperations] = sidesOf(said, /operations/);
  const [bytes, shownBytes] = sidesOf(said, /GB/);
  // Factors are shown with two digits.
  expect(shownOperations / operations).toBeCloseTo(1, 1);
  expect((shownBytes * 1e9) / bytes).toBeCloseTo(1, 1);
  expect(shownBytes * 1e9).toBeGreaterThan(weights * 4);
  const [, speed, cores, days] =
    /at ([\d.]+)e9 a second \((\d+) cores?\) ([\d.]+) days/.exec(said)?.map(Number) ?? [];
  expect(cores).toBe(cpus().length);
  expect(shownOperations / ((speed ?? 0) * 1e9) / 86_400 / (days ?? 0)).toBeCloseTo(1, 1);
  if (shownBytes * 1e9 > totalmem() || (days ?? 0) > mostDays) {
    expect(said).toMatch(
      /ml\.load_dataset → ml\.estimate → ml\.create_env → ml\.finetune → ml\.evaluate → ml\.compare_models, and it is not possible on this machine/,
    );
    expect(asked.exitCode).toBe(refusedExitCode);
  } else expect(said).toContain('"Llama-2-7b" is not on this machine');
  // Nothing was begun: no dataset, no job, no environment.
  const kept = join(cwd, 'data', 'ml');
  expect(existsSync(kept) ? readdirSync(kept) : []).toEqual([]);
});
