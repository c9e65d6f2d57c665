import type { AskRequest, Attachment } from '../../contract/agent/index.ts';
import type { Artifacts } from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Remembered, Turn } from '../../contract/session/index.ts';
import { AppError } from '../../kernel/index.ts';
import type { AgentParts } from './agent-parts.ts';

/** Longer texts are kept as artifacts, so that sessions stay small. */
const maxInlineChars = 16_000;

export interface KeptFor {
  readonly parts: Pick<AgentParts, 'artifacts'>;
  readonly caller: Caller;
  /** The run a text came from, or the session it was given in. */
  readonly origin: string;
}

/** What is remembered of a turn, each text in it or in an artifact. */
export async function keepTexts(
  items: readonly (Remembered & { readonly content: string })[],
  kept: KeptFor,
): Promise<Remembered[]> {
  const result: Remembered[] = [];
  let artifacts: Pick<Artifacts, 'put'> | undefined;
  for (const item of items) {
    if (item.content.length <= maxInlineChars) result.push(item);
    else {
      artifacts ??= await kept.parts.artifacts();
      const { content, ...rest } = item;
      const { id } = await artifacts.put(kept.caller, {
        content,
        mediaType: 'text/plain',
        lineage: {
          runId: item.runId ?? kept.origin,
          step: item.step ?? 'attachment',
          tool: null,
          argumentsDigest: null,
          inputs: [],
        },
      });
      result.push({ ...rest, artifact: id });
    }
  }
  return result;
}

/** The whole text; undefined where its artifact is gone. */
export async function loadText(
  { content, artifact }: Remembered,
  { parts, caller }: Omit<KeptFor, 'origin'>,
): Promise<string | undefined> {
  if (artifact === undefined) return content;
  try {
    return Buffer.from(await (await parts.artifacts()).get(caller, artifact)).toString('utf8');
  } catch (error) {
    if (error instanceof AppError) return content;
    throw error;
  }
}

export function rememberAttachment({
  name,
  content,
  language,
}: Attachment): Remembered & { readonly content: string } {
  return { kind: 'file', title: name, content, ...(language !== undefined && { language }) };
}

/** Files and pasted code that came with an earlier message. */
export async function attachmentsOf(
  { remembered }: Pick<Turn, 'remembered'>,
  {
    parts,
    request,
  }: { readonly parts: KeptFor['parts']; readonly request: Pick<AskRequest, 'caller'> },
): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  for (const item of remembered) {
    if (item.kind !== 'file') continue;
    const content = await loadText(item, { parts, caller: request.caller });
    if (content === undefined) continue;
    const language = item.language === undefined ? {} : { language: item.language };
    attachments.push({ name: item.title, content, ...language });
  }
  return attachments;
}
