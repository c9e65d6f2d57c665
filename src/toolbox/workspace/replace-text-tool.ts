import { z } from 'zod';
import type { CallContext } from '../../contract/server/index.ts';
import { defineTool } from '../define-tool.ts';
import {
  basisOf,
  changeOutput,
  changeResult,
  previewChange,
  summarizeChange,
} from './apply-changes-tool.ts';
import { callKey, type ChangeJournal, type PreparedChange } from './change/change-journal.ts';
import type { FileChange } from './change/file-change.ts';
import { maxChanges, prepareChanges } from './change/prepare-changes.ts';
import { assertApprovedBasis, effectTool, idempotencyKey, type EffectTool } from './effect-tool.ts';
import { InvalidChangeError, TextNotFoundError } from './errors.ts';
import type { ProjectFiles } from './project-files.ts';
import { readTexts } from './read-texts.ts';
import { effectAnnotations } from './tool-annotations.ts';

const input = z.strictObject({
  find: z
    .string()
    .min(1)
    .max(10_000)
    .describe('The text to replace, upper and lower case as written.'),
  replace_with: z.string().max(100_000).describe('The text to put in its place; may be empty.'),
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      'The file or folder to change, relative to the project root; everything when not given.',
    ),
  whole_words: z
    .boolean()
    .default(true)
    .describe(
      'Whether to leave longer words and numbers alone that contain the text, true when not given.',
    ),
});
type Request = z.output<typeof input>;

/** The tool `replace_text`. */
export function replaceTextTool(files: ProjectFiles, journal: ChangeJournal): EffectTool {
  const tool = defineTool({
    name: 'replace_text',
    title: 'Replace text in the project',
    description:
      'Replaces a text by another in one file, a folder or the whole project, for example to rename a function everywhere. Goes by the text ' +
      'alone and does not tell a name in a comment from one in code. Leaves out what .gitignore excludes; can be undone with undo_changes.',
    input,
    output: changeOutput,
    annotations: effectAnnotations,
    examples: [
      'replace 8080 with 9090 in config.py',
      'rename getUser to fetchUser everywhere',
      'change "Sign in" to "Log in" in src',
      'replace all occurrences of colour by color',
      'rename the variable tmp to total in cart.py',
      'find foo and replace it with bar',
    ],
    run: async (request, context: CallContext) => {
      const prepare = async (): Promise<PreparedChange> => {
        const changes = await prepareReplacement(files, request, context.signal);
        assertApprovedBasis(basisOf(changes), context);
        return { changes };
      };
      const key = callKey(context.caller.id, idempotencyKey(context), request);
      return changeResult(await journal.apply({ prepare, key, signal: context.signal }));
    },
    summarize: summarizeChange,
  });
  return effectTool(tool, input, async (request, signal) => {
    await journal.recover(signal);
    return previewChange(await prepareReplacement(files, request, signal));
  });
}

/** The files that contain the text, each with what it would become. */
async function prepareReplacement(
  files: ProjectFiles,
  { find, replace_with: replacement, path, whole_words: isWhole }: Request,
  signal: AbortSignal,
): Promise<FileChange[]> {
  const pattern = textPattern(find, isWhole);
  const changes: { readonly path: string; readonly content: string }[] = [];
  for await (const { shown, text } of readTexts(files, path, signal)) {
    const content = text?.replaceAll(pattern, () => replacement);
    if (content === undefined || content === text) continue;
    changes.push({ path: shown, content });
    if (changes.length > maxChanges)
      throw new InvalidChangeError(
        `More than ${maxChanges} files contain "${find}"; name a folder`,
      );
  }
  if (changes.length === 0) throw new TextNotFoundError(find, path);
  return prepareChanges(files, { changes });
}

/** The text itself; where it begins or ends like a word, not as a part of a longer one. */
function textPattern(find: string, isWhole: boolean): RegExp {
  const inWord = String.raw`[\p{L}\p{N}_$]`;
  const isEdge = (character: string | undefined): boolean =>
    isWhole && new RegExp(inWord, 'u').test(character ?? '');
  const before = isEdge(find[0]) ? `(?<!${inWord})` : '';
  const after = isEdge(find.at(-1)) ? `(?!${inWord})` : '';
  return new RegExp(`${before}${RegExp.escape(find)}${after}`, 'gu');
}
