import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import { ToolFailedError } from '../errors.ts';
import type { ParsedLanguage } from '../syntax-parser.ts';
import { callForValue, type ToolCaller } from '../tool-caller.ts';

const schema = z.object({
  status: z.string(),
  exitCode: z.number().nullable(),
  reason: z.string().nullable(),
  stdout: z.string(),
  stderr: z.string(),
});

export type Loaded =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'failed'; readonly why: string }
  /** Languages that are compiled with their tests. */
  | { readonly kind: 'later' };

const maxOutput = 800;
const loadWallMs = 10_000;

/** Whether the code, imported alone, gives control back to who imported it. */
export async function loadCode(
  tools: ToolCaller,
  source: { readonly language: ParsedLanguage; readonly file: string; readonly text: string },
  context: CallContext,
): Promise<Loaded> {
  const sign = randomBytes(12).toString('hex');
  const main = importer(source, sign);
  if (main === undefined) return { kind: 'later' };
  const args = {
    language: source.language,
    files: { [source.file]: source.text, [main.file]: main.text },
    entry: main.file,
    limits: { wallMs: loadWallMs },
  };
  try {
    const run = await callForValue(tools, { name: 'exec.run_code', args, schema }, context);
    if (run.stdout.includes(sign)) return { kind: 'loaded' };
    return { kind: 'failed', why: describe(run) };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof ToolFailedError)) throw error;
    return { kind: 'failed', why: error.said };
  }
}

function importer(
  { language, file }: { readonly language: ParsedLanguage; readonly file: string },
  sign: string,
): { readonly file: string; readonly text: string } | undefined {
  if (language === 'python') {
    const module = file.replace(/\.py$/, '');
    return { file: 'import_it.py', text: `import ${module}\n\nprint("${sign}")\n` };
  }
  if (language !== 'javascript' && language !== 'typescript') return undefined;
  const ending = language === 'typescript' ? 'ts' : 'mjs';
  return {
    file: `import-it.${ending}`,
    text: `await import('./${file}');\nconsole.log('${sign}');\n`,
  };
}

function describe({ status, exitCode, reason, stderr }: z.output<typeof schema>): string {
  const said = stderr.trim().slice(-maxOutput);
  if (reason !== null) return `importing it was stopped: ${reason}`;
  if (status === 'exited' && exitCode === 0) return 'importing it ends the program';
  return said === '' ? `importing it ended with ${exitCode ?? status}` : said;
}
