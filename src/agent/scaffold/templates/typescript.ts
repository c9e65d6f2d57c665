import { camelOf } from '../scaffold-names.ts';
import { restResource, testSkeleton } from './javascript.ts';
import type { TemplateSet } from './template-set.ts';

export const typescriptTemplates: TemplateSet = {
  code: {
    function: ({ title, camel, parameters }) => `/** ${title} */
export function ${camel}(${parameters.map((name) => `${camelOf(name)}: unknown`).join(', ')}): unknown {
  throw new Error('${camel} is not written yet');
}
`,
    class: ({ title, pascal }) => `/** ${title} */
export class ${pascal}<Item> {
  readonly #items: Item[] = [];

  /** Adds an item. */
  add(item: Item): void {
    this.#items.push(item);
  }

  get size(): number {
    return this.#items.length;
  }

  /** The work this class is for. */
  process(): unknown {
    throw new Error('${pascal}.process is not written yet');
  }
}
`,
    cli: ({ title, kebab, camel }) => `#!/usr/bin/env node
/** ${title} */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** Does the work for one input, given as text. */
export function ${camel}(source: string): string {
  throw new Error('${camel} is not written yet');
}

export function main(argv: string[]): void {
  const { positionals, values } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log('${kebab} [FILE]  (standard input without a file)');
    return;
  }
  console.log(${camel}(readFileSync(positionals[0] ?? 0, 'utf8')));
}
`,
    rest: (names) => restResource(names, { types: true }),
  },
  testFramework: 'node:test',
  tests: (functions) => testSkeleton(functions, './solution.ts'),
};
