import { stat } from 'node:fs/promises';
import type { Attachment } from '../../../../contract/agent/index.ts';
import { AttachmentError } from '../../../errors.ts';
import { findMentions, type Mention } from './find-mentions.ts';
import { findInside, maxAttachments, readAttachment, type Place } from './read-attachment.ts';

export interface MessageWithFiles {
  /** The message with plain paths in place of the mentions. */
  readonly message: string;
  readonly attachments: readonly Attachment[];
}

/**
 * Reads the files a message mentions as `@path`. A folder is named and not read. A lone `@word` that is
 * no file stays as it is; what can only be a path and is not there is an error.
 */
export async function attachMentions(text: string, place: Place): Promise<MessageWithFiles> {
  const attachments = new Map<string, Attachment>();
  let message = '';
  let at = 0;
  for (const mention of findMentions(text)) {
    const kind = await kindOf(mention, place);
    if (kind === 'none') continue;
    message += `${text.slice(at, mention.start)}${mention.path}`;
    at = mention.end;
    if (kind === 'folder' || attachments.has(mention.path)) continue;
    if (attachments.size === maxAttachments) {
      throw new AttachmentError(mention.path, `one message takes ${maxAttachments} files`);
    }
    attachments.set(mention.path, await readAttachment(mention.path, place));
  }
  message += text.slice(at);
  return { message: withoutEscapes(message), attachments: [...attachments.values()] };
}

async function kindOf(
  { path, isSure }: Mention,
  place: Place,
): Promise<'file' | 'folder' | 'none'> {
  try {
    return (await stat(await findInside(path, place))).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if (isSure) throw error;
    return 'none';
  }
}

/** `@@word` is how `@word` is written that is no file. */
function withoutEscapes(message: string): string {
  return message.replaceAll(/(?<![^\s([{])@@(?=\S)/g, '@');
}
