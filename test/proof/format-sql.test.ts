import { expect, it } from 'vitest';
import { AppError } from '../../src/kernel/index.ts';
import { aCodeContext } from '../../testkit/toolbox/code-context.ts';
import { randomSql, sqlStatements } from '../support/random-sql.ts';
import { isProof, seededRandom } from '../../testkit/sample.ts';
import { createFormatEngines, formatSource } from '../../src/toolbox/code/format/format-source.ts';

const scripts = isProof ? 10_000 : 300;
const lineLengths = [40, 80, 100];
const minutes = 60_000;

const context = aCodeContext(['/']);
const engines = createFormatEngines();
const signal = new AbortController().signal;

async function format(text: string, lineLength: number): Promise<string> {
  const file = { path: 'script.sql', text, language: 'sql' } as const;
  const job = { file, formatter: 'sql-formatter', lineLength, signal };
  return (await formatSource(job, engines, context)).text;
}

it(
  'a random script that is formatted stays as it is when it is formatted again',
  async () => {
    const random = seededRandom(1);
    const statements = sqlStatements();
    const unstable: { text: string; once: string; again: string }[] = [];
    let formatted = 0;
    for (let index = 0; index < scripts; index += 1) {
      const text = randomSql(statements, random);
      const lineLength = lineLengths[index % lineLengths.length] ?? 100;
      const once = await format(text, lineLength).catch((error: unknown) => {
        expect(error).toBeInstanceOf(AppError);
      });
      if (once === undefined) continue;
      formatted += 1;
      const again = await format(once, lineLength).catch(String);
      if (again !== once) unstable.push({ text, once, again });
    }
    console.log(`random SQL: ${formatted} of ${scripts} formatted`);
    expect(unstable).toEqual([]);
    expect(formatted / scripts).toBeGreaterThan(0.3);
  },
  10 * minutes,
);
