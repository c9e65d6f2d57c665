import { createHash } from 'node:crypto';
import { relative, sep } from 'node:path';
import { z } from 'zod';
import { NoFilesError } from '../errors.ts';
import type { Finding } from '../finding.ts';
import type { SourceFile, SourceFiles } from '../source-files.ts';

/** Findings that a team has accepted: by file, each as its rule and a digest of the line it is on. */
const baselineSchema = z.strictObject({
  version: z.literal(1),
  findings: z.record(z.string(), z.array(z.string())),
});

type BaselineContent = z.infer<typeof baselineSchema>;

export { baselineSchema };

/** Where a project keeps it, relative to a root. */
const baselinePath = '.tutti/baseline.json';

export const baselineField = z
  .enum(['use', 'ignore', 'create'])
  .default('use')
  .describe(
    `use: leave out what ${baselinePath} of the project knows, so only what is new is listed; ignore: list everything; create: also return such a file's content.`,
  );

interface Reported extends Pick<Finding, 'rule' | 'file' | 'line'> {}

interface Baseline {
  /** Splits findings into new and known ones. A known finding accounts for one finding only. */
  split<Found extends Reported>(
    findings: readonly Found[],
    files: readonly SourceFile[],
  ): { readonly fresh: readonly Found[]; readonly known: readonly Found[] };
}

/** The baseline of the project, or undefined where it has none. Throws when the file is damaged. */
export async function readBaseline(sources: SourceFiles): Promise<Baseline | undefined> {
  const text = await readFirst(sources);
  if (text === undefined) return undefined;
  const { findings } = baselineSchema.parse(JSON.parse(text));
  return {
    split: (reported, files) => {
      const left = new Map<string, number>();
      for (const [file, keys] of Object.entries(findings)) {
        for (const key of keys) left.set(`${file}\0${key}`, (left.get(`${file}\0${key}`) ?? 0) + 1);
      }
      const keyOf = keysFor(sources, files);
      const isKnown = (finding: Reported): boolean => {
        const { file, key } = keyOf(finding);
        const count = left.get(`${file}\0${key}`) ?? 0;
        left.set(`${file}\0${key}`, count - 1);
        return count > 0;
      };
      const known = new Set(reported.filter(isKnown));
      return { fresh: reported.filter((finding) => !known.has(finding)), known: [...known] };
    },
  };
}

/** The content of a baseline that knows exactly these findings. */
export function createBaseline(
  findings: readonly Reported[],
  files: readonly SourceFile[],
  sources: SourceFiles,
): BaselineContent {
  const keyOf = keysFor(sources, files);
  const byFile = Map.groupBy(findings.map(keyOf), ({ file }) => file);
  const entries = [...byFile]
    .map(([file, keys]) => [file, keys.map(({ key }) => key).sort()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return { version: 1, findings: Object.fromEntries(entries) };
}

async function readFirst(sources: SourceFiles): Promise<string | undefined> {
  try {
    const [found] = await sources.findPaths(baselinePath, []);
    return found && (await sources.readText(found.absolutePath, baselinePath));
  } catch (error) {
    if (error instanceof NoFilesError) return undefined;
    throw error;
  }
}

/** Robust to moved lines: the text of the line counts, not its number. */
function keysFor(
  sources: SourceFiles,
  files: readonly SourceFile[],
): (finding: Reported) => { readonly file: string; readonly key: string } {
  const byPath = new Map(
    files.map((file) => [file.path, { file, lines: file.text.split('\n') }] as const),
  );
  return ({ rule, file, line }) => {
    const source = byPath.get(file);
    const text = (source?.lines[line - 1] ?? '').replaceAll(/\s+/g, ' ').trim();
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
    return { file: placeOf(source?.file, sources) ?? file, key: `${rule} ${digest}` };
  };
}

function placeOf(file: SourceFile | undefined, sources: SourceFiles): string | undefined {
  if (file?.absolutePath === undefined) return undefined;
  const root = sources.rootOf(file.absolutePath);
  return root === undefined ? undefined : relative(root, file.absolutePath).replaceAll(sep, '/');
}
