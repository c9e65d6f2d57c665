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
import { assertApprovedBasis, effectTool, idempotencyKey, type EffectTool } from './effect-tool.ts';
import { effectAnnotations } from './tool-annotations.ts';

const input = z.strictObject({
  change_id: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'The `change_id` of the change to undo; the last change in this project when not given.',
    ),
});

/** In the basis of a preview, which else names files. */
const changeKey = 'the change to undo';

/** The tool `undo_changes`. */
export function undoChangesTool(journal: ChangeJournal): EffectTool {
  const tool = defineTool({
    name: 'undo_changes',
    title: 'Undo a change of files',
    description:
      'Takes back a change that apply_changes made, as a whole: contents, permissions, deleted and created files. Refuses when one of ' +
      'the files changed since. An undo can be undone by its own change_id.',
    input,
    output: changeOutput,
    annotations: effectAnnotations,
    examples: [
      'undo that',
      'undo the last change',
      'take it back',
      'revert what you just did',
      'restore the files as they were',
    ],
    run: (request, context) => undoChanges(journal, request, context),
    summarize: summarizeChange,
  });
  return effectTool(tool, input, async ({ change_id: id }, signal) => {
    await journal.recover(signal);
    const record = await journal.findUndoable(id);
    const changes = await journal.prepareUndo(record);
    const { text, basis } = previewChange(changes, `Undo change ${record.id}:`);
    return { text, basis: { ...basis, [changeKey]: record.id } };
  });
}

async function undoChanges(
  journal: ChangeJournal,
  request: z.output<typeof input>,
  context: CallContext,
): Promise<z.input<typeof changeOutput>> {
  const prepare = async (): Promise<PreparedChange> => {
    const undoes = await journal.findUndoable(request.change_id);
    const changes = await journal.prepareUndo(undoes);
    assertApprovedBasis({ ...basisOf(changes), [changeKey]: undoes.id }, context, {
      [changeKey]: 'Another change has been made',
    });
    return { changes, undoes };
  };
  const key = callKey(context.caller.id, idempotencyKey(context), request);
  return changeResult(await journal.apply({ prepare, key, signal: context.signal }));
}
