import { z } from 'zod';
import type { CallContext } from '../../contract/server/index.ts';
import type { EffectPreview } from '../../contract/tool/index.ts';
import { counted } from '../../kernel/index.ts';
import { defineTool } from '../define-tool.ts';
import {
  callKey,
  type AppliedChange,
  type ChangeJournal,
  type PreparedChange,
} from './change/change-journal.ts';
import { actions, actionOf, stateHash, type FileChange } from './change/file-change.ts';
import { changesInput, prepareChanges } from './change/prepare-changes.ts';
import { showWhole, type ShownChange } from './change/show-change.ts';
import {
  assertApprovedBasis,
  effectTool,
  idempotencyKey,
  type Basis,
  type EffectTool,
} from './effect-tool.ts';
import type { ProjectFiles } from './project-files.ts';
import { effectAnnotations } from './tool-annotations.ts';

export const changeOutput = z.object({
  change_id: z
    .string()
    .nullable()
    .describe('Give it to undo_changes. Null when every file already was as wanted.'),
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

/** The tool `apply_changes`. */
export function applyChangesTool(files: ProjectFiles, journal: ChangeJournal): EffectTool {
  const tool = defineTool({
    name: 'apply_changes',
    title: 'Change files of the project',
    description:
      'Writes files of the project: creates, replaces, patches or deletes one file or many, all or none of them. Takes whole contents or ' +
      'unified diffs. Keeps permissions, encoding and line endings, refuses files that changed since they were read, and can be undone ' +
      'with undo_changes.',
    input: changesInput,
    output: changeOutput,
    annotations: effectAnnotations,
    examples: [
      'apply it',
      'save this as src/cart.ts',
      'write the tests to tests/test_cart.py',
      'create a file README.md with this text',
      'apply this patch',
      'delete the file old.txt',
      'replace the content of config.json',
    ],
    run: (request, context) => applyChanges({ files, journal }, request, context),
    summarize: summarizeChange,
  });
  return effectTool(tool, changesInput, async (request, signal) => {
    await journal.recover(signal);
    return previewChange(await prepareChanges(files, request));
  });
}

async function applyChanges(
  { files, journal }: { readonly files: ProjectFiles; readonly journal: ChangeJournal },
  request: z.output<typeof changesInput>,
  context: CallContext,
): Promise<z.input<typeof changeOutput>> {
  const prepare = async (): Promise<PreparedChange> => {
    const changes = await prepareChanges(files, request);
    assertApprovedBasis(basisOf(changes), context);
    return { changes };
  };
  const key = callKey(context.caller.id, idempotencyKey(context), request);
  return changeResult(await journal.apply({ prepare, key, signal: context.signal }));
}

export function changeResult({ id, files, diff }: AppliedChange): z.input<typeof changeOutput> {
  return { change_id: id, files: files.map((file) => ({ ...file })), diff };
}

/** The files a change is about, as they are. */
export function basisOf(changes: readonly FileChange[]): Basis {
  return Object.fromEntries(changes.map(({ path, before }) => [path.shown, stateHash(before)]));
}

export function previewChange(changes: readonly FileChange[], title?: string): EffectPreview {
  const shown = showWhole(changes);
  const isNothing = changes.every((change) => actionOf(change) === 'unchanged');
  const head = title ?? (isNothing ? 'Nothing would change' : headline(shown));
  const text = [head, ...noteLines(shown), ...(shown.diff === '' ? [] : [shown.diff])];
  return { text: text.join('\n'), basis: basisOf(changes) };
}

function headline({ files }: Pick<ShownChange, 'files'>): string {
  const changed = files.filter(({ action }) => action !== 'unchanged');
  const added = changed.reduce((sum, file) => sum + file.added, 0);
  const removed = changed.reduce((sum, file) => sum + file.removed, 0);
  return `${counted(changed.length, 'file')} changed, ${counted(added, 'line')} added, ${counted(removed, 'line')} removed`;
}

function noteLines({ files }: Pick<ShownChange, 'files'>): string[] {
  return files.flatMap(({ path, note }) => (note === undefined ? [] : [`Note: ${path}: ${note}`]));
}

export function summarizeChange({
  change_id: id,
  files,
  diff,
}: z.output<typeof changeOutput>): string {
  if (id === null) return 'Nothing changed: every file already was as wanted.';
  const lines = files.map(
    ({ path, action, added, removed }) => `  ${action} ${path} +${added} -${removed}`,
  );
  const undo = `Say "undo that" to take it back (change ${id}).`;
  return [
    headline({ files }),
    ...lines,
    ...noteLines({ files }),
    '',
    diff.trimEnd(),
    '',
    undo,
  ].join('\n');
}
