import { z } from 'zod';
import type { CodeWithContext } from '../../contract/generation/index.ts';
import type { Language } from '../../contract/language/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { ToolFailedError } from './errors.ts';
import { callForValue, type ToolCaller } from './tool-caller.ts';

type SourceUsed = CodeWithContext['standards'][number];

export interface GatheredContext {
  readonly standards: SourceUsed[];
  readonly libraryDocs: SourceUsed[];
  /** What could not be had. */
  readonly notes: string[];
}

const standardSchema = z.object({ language: z.string(), source: z.string(), text: z.string() });
const docsSchema = z.object({
  library: z.string(),
  passages: z.array(z.object({ text: z.string(), heading: z.string(), source: z.string() })),
  note: z.string().optional(),
});

const maxStandard = 6_000;
const maxExcerpt = 2_000;
const maxPassages = 4;
const docsTokens = 1_500;

/** The team's standard of the language and what the libraries' own documentation says about the request. */
export async function gatherContext(
  tools: ToolCaller,
  wanted: {
    readonly request: string;
    readonly language: Language;
    readonly libraries: readonly string[];
  },
  context: CallContext,
): Promise<GatheredContext> {
  const notes: string[] = [];
  const standards: SourceUsed[] = [];
  const libraryDocs: SourceUsed[] = [];
  const standard = await orNote(notes, context, () =>
    callForValue(
      tools,
      {
        name: 'standards.get_standard',
        args: { language: wanted.language },
        schema: standardSchema,
      },
      context,
    ),
  );
  if (standard) {
    const source = `standards://${standard.language}`;
    standards.push({ kind: 'standard', source, excerpt: standard.text.slice(0, maxStandard) });
  }
  for (const library of wanted.libraries) {
    const docs = await orNote(notes, context, () =>
      askDocs(tools, { library, topic: wanted.request }, context),
    );
    if (!docs) continue;
    if (docs.passages.length === 0) notes.push(docs.note ?? `Nothing is known about ${library}.`);
    const passages = docs.passages.slice(0, maxPassages).map(({ text, source }) => ({
      kind: 'documentation' as const,
      source: `${docs.library} ${source}`,
      excerpt: text.slice(0, maxExcerpt),
    }));
    libraryDocs.push(...passages);
  }
  return { standards, libraryDocs, notes };
}

function askDocs(
  tools: ToolCaller,
  { library, topic }: { readonly library: string; readonly topic: string },
  context: CallContext,
): Promise<z.output<typeof docsSchema>> {
  const args = { library, topic: topic.slice(0, 500), max_tokens: docsTokens };
  return callForValue(tools, { name: 'docs.get_docs', args, schema: docsSchema }, context);
}

/** What is missing is told; the code is written all the same. */
async function orNote<Value>(
  notes: string[],
  { signal }: CallContext,
  ask: () => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await ask();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ToolFailedError)) throw error;
    notes.push(error.message);
    return undefined;
  }
}
