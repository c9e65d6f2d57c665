import { z } from 'zod';
import type { CallContext } from '../../contract/server/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { ecosystems, normalizeName, parseLibraryId, type Ecosystem } from './library.ts';
import type { Context7Library } from './context7.ts';
import { type DocsContext, findCandidates } from './search-installed.ts';
import type { DeepReadonly } from '../../kernel/index.ts';
import texts from './tools.json' with { type: 'json' };

const inputSchema = z.object({
  name: z
    .string()
    .min(1)
    .max(300)
    .describe('Name of a package, or a part of it: zod, requests, @modelcontextprotocol/client.'),
  ecosystem: z
    .enum(ecosystems)
    .optional()
    .describe('Only packages of npm, PyPI or Go; all when not given.'),
});

const candidateSchema = z.object({
  library: z.string().describe('What get_docs takes: npm:zod@4.6.7.'),
  name: z.string(),
  version: z.string().nullable().describe('null: Context7 does not say.'),
  ecosystem: z.enum([...ecosystems, 'context7']),
  source: z.string().describe('Where it is installed, or the service that offers it.'),
  summary: z.string(),
  score: z.number().describe('How well the name fits, from 0 to 1.'),
});

const outputSchema = z.object({
  candidates: z.array(candidateSchema).describe('Best first; empty when nothing is known.'),
  engine: z.enum(['context7', 'offline']),
  reason: z.string().describe('Why this engine answered.'),
  note: z.string().optional(),
  did_you_mean: z.array(z.string()).optional(),
});

type Output = DeepReadonly<z.input<typeof outputSchema>>;

const maxFromContext7 = 5;

/** The tool `resolve_library`: the library a name means, as `get_docs` takes it. */
export function resolveLibraryTool(context: DocsContext): DefinedTool {
  return defineTool({
    ...texts.resolve_library,
    input: inputSchema,
    output: outputSchema,
    run: (input, call) => resolveLibrary(context, input, call),
    summarize: summarizeCandidates,
  });
}

async function resolveLibrary(
  { installed, context7 }: DocsContext,
  input: z.output<typeof inputSchema>,
  call: CallContext,
): Promise<Output> {
  const given = parseLibraryId(input.name.trim());
  const ecosystem: Ecosystem | undefined = input.ecosystem ?? given.ecosystem;
  const answer = await context7.resolve(given.name, call);
  const { candidates, similar, refusals } = await findCandidates(installed, given.name, ecosystem);
  const local = candidates.map(({ library, score }) => ({
    library: library.id,
    name: library.name,
    version: library.version,
    ecosystem: library.ecosystem,
    source: library.source,
    summary: library.summary,
    score,
  }));
  const remote =
    answer.kind === 'found'
      ? answer.found.slice(0, maxFromContext7).map((one) => remoteCandidate(one, given.name))
      : [];
  const found = [...local, ...remote].sort((a, b) => b.score - a.score);
  const where = ecosystem === undefined ? '' : ` as a package of ${ecosystem}`;
  const nothing = `No library "${given.name}" is installed in the project${where}, and none is known otherwise.`;
  const notes = [...(found.length === 0 ? [nothing] : []), ...refusals];
  return {
    candidates: found,
    engine: answer.kind === 'found' ? 'context7' : 'offline',
    reason: answer.kind === 'found' ? 'Context7 answered' : answer.reason,
    ...(notes.length > 0 && { note: notes.join(' ') }),
    ...(similar.length > 0 && found.length === 0 && { did_you_mean: similar }),
  };
}

function remoteCandidate(one: Context7Library, name: string): Output['candidates'][number] {
  const names = [one.title, one.id.split('/').at(-1) ?? ''].map(normalizeName);
  return {
    library: one.id,
    name: one.title,
    version: null,
    ecosystem: 'context7',
    source: 'Context7',
    summary: one.description,
    score: names.includes(normalizeName(name)) ? 0.9 : 0.4,
  };
}

function summarizeCandidates({
  candidates,
  note,
  did_you_mean = [],
}: z.output<typeof outputSchema>): string {
  const lines = candidates.map(
    ({ library, summary, source }) => `${library} (${source}): ${summary}`,
  );
  if (note !== undefined) lines.push(note);
  if (did_you_mean.length > 0) lines.push(`Did you mean ${did_you_mean.join(' or ')}?`);
  return lines.join('\n');
}
