import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';

type PostgresParser = typeof import('libpg-query');

/**
 * Runs `work` with PostgreSQL's own parser, compiled to WASM. A parser that ran out of stack is
 * forgotten, because it breaks after some of that: `require` can load it anew, `import` cannot.
 */
export async function withPostgresParser<Result>(
  work: (parser: PostgresParser) => Promise<Result>,
): Promise<Result> {
  const load = createRequire(import.meta.url);
  try {
    // What `require` returns is the module of that name.
    return await work(load('libpg-query') as PostgresParser);
  } catch (error) {
    if (!(error instanceof Error && 'sqlDetails' in error)) forget(load);
    throw error;
  }
}

function forget(load: NodeJS.Require): void {
  const folder = dirname(load.resolve('libpg-query')) + sep;
  for (const path of Object.keys(load.cache)) {
    if (path.startsWith(folder)) delete load.cache[path];
  }
}
