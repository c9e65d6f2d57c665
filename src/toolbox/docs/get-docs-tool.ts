import { z } from 'zod';
import type { CallContext } from '../../contract/server/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { parseLibraryId, passageKinds } from './library.ts';
import { isContext7Id, type Context7Docs } from './context7.ts';
import { searchInstalled, type DocsContext } from './search-installed.ts';
import type { DeepReadonly } from '../../kernel/index.ts';
import texts from './tools.json' with { type: 'json' };

const defaultTokens = 2_000;
const minTokens = 50;
const maxTokens = 20_000;

const inputSchema = z.object({
  library: z
    .string()
    .min(1)
    .max(300)
    .describe('As resolve_library gives it (npm:zod@4.6.7), or the name of an installed package.'),
  topic: z
    .string()
    .min(1)
    .max(500)
    .describe('A question or the name of what it is about: "how do I parse optional values".'),
  max_tokens: z
    .int()
    .min(minTokens)
    .max(maxTokens)
    .default(defaultTokens)
    .describe('About how long the passages may be in all; a token is counted as four characters.'),
});

const passageSchema = z.object({
  text: z.string(),
  heading: z.string().describe('The headings that lead to it, or the declaration it is.'),
  file: z.string().describe('Relative to the package; an address for what Context7 gave.'),
  line: z.int().nullable().describe('Its first line in the file, from 1.'),
  kind: z.enum(passageKinds),
  library: z.string(),
  version: z.string().nullable().describe('null: Context7 does not say which.'),
  source: z.string().describe('Where to read on: node_modules/zod/README.md:48.'),
});

const outputSchema = z.object({
  library: z.string().describe('The library the passages are of, or the one that was asked for.'),
  passages: z.array(passageSchema).describe('Best first; empty when nothing is known.'),
  engine: z.enum(['context7', 'offline']),
  reason: z.string().describe('Why this engine answered.'),
  note: z.string().optional().describe('What is missing, and why.'),
  did_you_mean: z.array(z.string()).optional(),
});

type DocsAnswer = DeepReadonly<z.input<typeof outputSchema>>;

/** The tool `get_docs`: the passages of a library's own documentation that answer a question. */
export function getDocsTool(context: DocsContext): DefinedTool {
  return defineTool({
    ...texts.get_docs,
    input: inputSchema,
    output: outputSchema,
    run: (input, call) => getDocs(context, input, call),
    summarize: summarizeDocs,
  });
}

async function getDocs(
  context: DocsContext,
  input: z.output<typeof inputSchema>,
  call: CallContext,
): Promise<DocsAnswer> {
  const { topic, max_tokens } = input;
  const given = input.library.trim().replace(/^context7:/, '');
  const wanted = parseLibraryId(given);
  const answer = await context.context7.docs(wanted, topic, call);
  if (answer.kind === 'found') return answerOfContext7(answer.found, max_tokens);
  // The project of Context7's id is mostly called like the package: that one may be installed.
  const local = isContext7Id(given) ? { ...wanted, name: given.split('/')[2] ?? given } : wanted;
  const found = await searchInstalled(context, local, topic);
  return {
    library: found.library,
    passages: fitPassages(found.passages, max_tokens),
    engine: 'offline',
    reason: answer.reason,
    ...(found.notes.length > 0 && { note: found.notes.join(' ') }),
    ...(found.similar.length > 0 && { did_you_mean: found.similar }),
  };
}

function answerOfContext7(docs: Context7Docs, tokens: number): DocsAnswer {
  const { library, version, snippets } = docs;
  const passages = snippets.map(({ heading, text, source }) => ({
    text,
    heading,
    file: source,
    line: null,
    kind: 'doc' as const,
    library,
    version,
    source: source === '' ? 'Context7' : source,
  }));
  return {
    library,
    passages: fitPassages(passages, tokens),
    engine: 'context7',
    reason: 'Context7 answered',
  };
}

function summarizeDocs(answer: z.output<typeof outputSchema>): string {
  const { passages, note, did_you_mean = [] } = answer;
  const parts = passages.map(
    ({ heading, source, version, text }) =>
      `${heading}\n(${source}, version ${version ?? 'unknown'})\n\n${text}`,
  );
  if (note !== undefined) parts.push(note);
  if (did_you_mean.length > 0) parts.push(`Did you mean ${did_you_mean.join(' or ')}?`);
  return parts.join('\n\n---\n\n');
}

/** A rough measure for any model: English and code have about four characters per token. */
const charsPerToken = 4;
const maxPassages = 20;

/**
 * The first passages that fit into so many tokens, each as a whole; shorter ones may fit where a longer one
 * does not. Only the first is shortened rather than left out.
 */
function fitPassages<Piece extends { readonly text: string }>(
  passages: readonly Piece[],
  tokens: number,
): Piece[] {
  const fitting: Piece[] = [];
  let left = tokens * charsPerToken;
  for (const passage of passages.slice(0, maxPassages)) {
    if (passage.text.length <= left) {
      fitting.push(passage);
      left -= passage.text.length;
    } else if (fitting.length === 0) {
      fitting.push({ ...passage, text: `${cutAtLine(passage.text, left)}\n…` });
      break;
    }
  }
  return fitting;
}

function cutAtLine(text: string, maxChars: number): string {
  const cut = text.slice(0, maxChars);
  const end = cut.lastIndexOf('\n');
  return end > maxChars / 2 ? cut.slice(0, end) : cut;
}
