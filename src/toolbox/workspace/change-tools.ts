import { z } from 'zod';
import type { CallContext } from '../../contract/server/index.ts';
import type { EffectPreview } from '../../contract/tool/index.ts';
import { type DeepReadonly, pluralize } from '../../kernel/index.ts';
import { defineTool } from '../define-tool.ts';
import {
  callKey,
  describeChange,
  type AppliedChange,
  type ChangeJournal,
  type PreparedChange,
} from './change/change-journal.ts';
import { assign, findAssignments, type Assignment } from './change/assigned-value.ts';
import { changesInput, maxChanges, prepareChanges } from './change/prepare-changes.ts';
import {
  actionOf,
  actions,
  type FileChange,
  type ShownChange,
  showWhole,
  stateHash,
} from './change/file-change.ts';
import {
  assertApprovedBasis,
  type Basis,
  effectAnnotations,
  effectTool,
  type EffectTool,
  idempotencyKey,
} from '../effect-tool.ts';
import { InvalidChangeError, TextNotFoundError } from './errors.ts';
import { pathField, type ProjectFiles } from './project-files.ts';
import { excludeField } from '../files/exclude.ts';
import { readTexts } from './search-text-tool.ts';
import texts from './tools.json' with { type: 'json' };

/** The tool `apply_changes`. */
export function applyChangesTool(files: ProjectFiles, journal: ChangeJournal): EffectTool {
  return changeTool(journal, {
    ...texts.apply_changes,
    input: changesInput,
    prepare: async (request) => {
      const { append, path } = request;
      const isAppend = append !== undefined && path !== undefined;
      const changes = await prepareChanges(files, request);
      return { changes, ...(isAppend && { what: `append to ${path}` }) };
    },
  });
}

const replaceInput = z.strictObject({
  find: z
    .string()
    .min(1)
    .max(10_000)
    .describe('The text to replace, upper and lower case as written.'),
  replace_with: z.string().max(100_000).describe('The text to put in its place; may be empty.'),
  path: pathField
    .optional()
    .describe(
      'The file or folder to change, relative to the project root; everything when not given.',
    ),
  exclude: excludeField,
  whole_words: z
    .boolean()
    .default(true)
    .describe(
      'Whether to leave longer words and numbers alone that contain the text, true when not given.',
    ),
  replaces: z
    .enum(['text', 'value'])
    .default('text')
    .describe(
      '`text`: every occurrence of `find`. `value`: the value that the setting, constant or key named `find` is given, in the one line that does so.',
    ),
});

/** The tool `replace_text`. */
export function replaceTextTool(files: ProjectFiles, journal: ChangeJournal): EffectTool {
  return changeTool(journal, {
    ...texts.replace_text,
    input: replaceInput,
    prepare: async (request, signal) => {
      const prepare = request.replaces === 'value' ? prepareAssignment : prepareReplacement;
      return { changes: await prepare(files, request, signal), what: replacementText(request) };
    },
  });
}

const maxShownChars = 60;

function replacementText({
  find,
  replace_with: text,
  replaces,
}: z.output<typeof replaceInput>): string {
  const [from, to] = [find, text].map((one) => JSON.stringify(one.slice(0, maxShownChars)));
  return replaces === 'value' ? `set ${from} to ${to}` : `replace ${from} with ${to}`;
}

const undoInput = z.strictObject({
  change_id: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'The `change_id` of the change to undo; the last change in this project when not given.',
    ),
});

/** The tool `undo_changes`. */
export function undoChangesTool(journal: ChangeJournal): EffectTool {
  return changeTool(journal, {
    ...texts.undo_changes,
    input: undoInput,
    prepare: async ({ change_id: id }) => {
      const undoes = await journal.findUndoable(id);
      return { changes: await journal.prepareUndo(undoes), undoes };
    },
  });
}

const changeOutput = z.object({
  change_id: z
    .string()
    .nullable()
    .describe('Give it to undo_changes. Null when every file already was as wanted.'),
  undoes: z.string().exactOptional().describe('The change that this one took back.'),
  files: z.array(
    z.object({
      path: z.string(),
      action: z.enum(actions),
      added: z.int().describe('Lines added.'),
      removed: z.int().describe('Lines removed.'),
      note: z.string().optional(),
    }),
  ),
  diff: z.string().describe('What changed, as a unified diff.'),
});

interface ChangeToolSpec<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly examples: readonly string[];
  /** Works out the change from the files as they are. Throws the reason against it. */
  readonly prepare: (request: z.output<Input>, signal: AbortSignal) => Promise<PreparedChange>;
}

/** A tool that changes files through the journal: previewed, approved, applied as a whole, undoable. */
function changeTool<Input extends z.ZodObject>(
  journal: ChangeJournal,
  { prepare, ...spec }: ChangeToolSpec<Input>,
): EffectTool {
  const tool = defineTool({
    ...spec,
    output: changeOutput,
    annotations: effectAnnotations,
    run: async (request: z.output<Input>, context: CallContext) => {
      const { signal, caller } = context;
      const key = callKey(caller.id, idempotencyKey(context), request);
      const prepareApproved = async (): Promise<PreparedChange> => {
        const prepared = await prepare(request, signal);
        assertApprovedBasis(basisOf(prepared), context, {
          [undoneKey]: 'Another change has been made',
        });
        return prepared;
      };
      return changeResult(await journal.apply({ prepare: prepareApproved, key, signal }));
    },
    summarize: summarizeChange,
  });
  return effectTool(tool, spec.input, async (request, signal) => {
    await journal.recover(signal);
    return previewChange(await prepare(request, signal));
  });
}

/** In the basis of a preview, which else names files. */
const undoneKey = 'the change to undo';

/** The files a change is about, as they are, and the change that it takes back. */
function basisOf({ changes, undoes }: PreparedChange): Basis {
  const files = changes.map(({ path, before }) => [path.shown, stateHash(before)] as const);
  return { ...Object.fromEntries(files), ...(undoes && { [undoneKey]: undoes.id }) };
}

function previewChange(prepared: PreparedChange): EffectPreview {
  const { changes, undoes } = prepared;
  const shown = showWhole(changes);
  const isNothing = changes.every((change) => actionOf(change) === 'unchanged');
  const title =
    undoes &&
    `Undo change ${undoes.id} of ${new Date(undoes.atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC: ${describeChange(undoes)} (${pathsText(undoes)})`;
  const head = title ?? (isNothing ? 'Nothing would change' : headline(shown));
  const text = [head, ...noteLines(shown), ...(shown.diff === '' ? [] : [shown.diff])];
  return {
    text: text.join('\n'),
    ...(!shown.isWhole && { isCut: true }),
    basis: basisOf(prepared),
  };
}

const maxPathsShown = 10;

function pathsText({ files }: Pick<ShownChange, 'files'>): string {
  const more = files.length > maxPathsShown ? `, … ${files.length - maxPathsShown} more` : '';
  const shown = files.slice(0, maxPathsShown).map(({ path }) => path);
  return `${shown.join(', ')}${more}`;
}

function changeResult({
  id,
  undoes,
  files,
  diff,
}: AppliedChange): DeepReadonly<z.input<typeof changeOutput>> {
  return { change_id: id, ...(undoes !== null && { undoes }), files, diff };
}

function summarizeChange({ change_id: id, files, diff }: z.output<typeof changeOutput>): string {
  if (id === null) return 'Nothing changed: every file already was as wanted.';
  const lines = files.map(
    ({ path, action, added, removed }) => `  ${action} ${path} +${added} -${removed}`,
  );
  const undo = `Undo it with "undo that" in a conversation, or: tutti call workspace.undo_changes change_id=${id}`;
  const head = [headline({ files }), ...lines, ...noteLines({ files })];
  return [...head, '', diff.trimEnd(), '', undo].join('\n');
}

function headline({ files }: Pick<ShownChange, 'files'>): string {
  const changed = files.filter(({ action }) => action !== 'unchanged');
  const added = changed.reduce((sum, file) => sum + file.added, 0);
  const removed = changed.reduce((sum, file) => sum + file.removed, 0);
  return `${pluralize(changed.length, 'file')} changed, ${pluralize(added, 'line')} added, ${pluralize(removed, 'line')} removed`;
}

function noteLines({ files }: Pick<ShownChange, 'files'>): string[] {
  return files.flatMap(({ path, note }) => (note === undefined ? [] : [`Note: ${path}: ${note}`]));
}

/** Places of a name that are listed where it has more than one. */
const maxPlaces = 5;

/** The one file that gives the name a value, with the new one. */
async function prepareAssignment(
  files: ProjectFiles,
  { find: name, replace_with: value, ...where }: z.output<typeof replaceInput>,
  signal: AbortSignal,
): Promise<FileChange[]> {
  const found: { readonly shown: string; readonly text: string; readonly at: Assignment }[] = [];
  for await (const { shown, text } of readTexts(files, where, signal)) {
    if (text !== undefined)
      found.push(...findAssignments(shown, text, name).map((at) => ({ shown, text, at })));
  }
  const [first, ...others] = found;
  if (!first) throw new TextNotFoundError(`${name} = …`, where.path);
  const places = found.slice(0, maxPlaces).map(({ shown, at }) => `${shown}:${at.line}`);
  if (others.length > 0)
    throw new InvalidChangeError(
      `"${name}" is given a value in ${pluralize(found.length, 'line')}: ${places.join(', ')}; name the file, or the old text and the new one`,
    );
  const line = assign(first.shown, first.at, value);
  if (line === undefined)
    throw new InvalidChangeError(
      `The value of "${name}" (${places.join()}) is more than a plain value; say which text to replace by which`,
    );
  // The parts of line breaks are kept between the lines.
  const lines = first.text.split(/(\r\n|\n|\r)/u);
  const content = lines.with(2 * (first.at.line - 1), line).join('');
  return prepareChanges(files, { changes: [{ path: first.shown, content }] });
}

/** The files that contain the text, each with what it would become. */
async function prepareReplacement(
  files: ProjectFiles,
  {
    find,
    replace_with: replacement,
    whole_words: isWhole,
    ...where
  }: z.output<typeof replaceInput>,
  signal: AbortSignal,
): Promise<FileChange[]> {
  const pattern = textPattern(find, isWhole);
  const changes: { readonly path: string; readonly content: string }[] = [];
  for await (const { shown, text } of readTexts(files, where, signal)) {
    const content = text?.replaceAll(pattern, () => replacement);
    if (content === undefined || content === text) continue;
    changes.push({ path: shown, content });
    if (changes.length > maxChanges)
      throw new InvalidChangeError(
        `More than ${maxChanges} files contain "${find}"; name a folder`,
      );
  }
  if (changes.length === 0) throw new TextNotFoundError(find, where.path);
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
