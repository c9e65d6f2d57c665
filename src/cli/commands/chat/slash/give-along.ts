import { UsageError } from '../../../errors.ts';
import { placeOf } from '../attach/place-of.ts';
import { maxAttachments, readAttachment } from '../attach/read-attachment.ts';
import type { Chat } from '../chat.ts';
import type { RunSlash } from './slash-commands.ts';

export const attach: RunSlash = async (chat, { words }) => {
  const { invocation, system, state } = chat;
  if (words.length === 0) throw new UsageError('"/attach" wants the path of a file');
  for (const word of words) {
    checkRoom(chat);
    const path = word.replace(/^@/, '');
    state.attachments.push(await readAttachment(path, placeOf(system, invocation.io)));
  }
  tellAttached(chat);
  return 0;
};

export const paste: RunSlash = async (chat, { text }) => {
  checkRoom(chat);
  const [first = '', ...lines] = text.split('\n');
  const content = lines.join('\n');
  if (content === '') throw new UsageError('Nothing came between /paste and /end');
  const language = first.trim();
  chat.state.attachments.push({
    name: `pasted ${chat.state.attachments.length + 1}`,
    content: `${content}\n`,
    ...(language !== '' && { language }),
  });
  tellAttached(chat);
  return 0;
};

function checkRoom({ state }: Chat): void {
  if (state.attachments.length < maxAttachments) return;
  throw new UsageError(`One message takes ${maxAttachments} attachments`);
}

function tellAttached({ invocation, state }: Chat): void {
  const names = state.attachments.map(({ name }) => name).join(', ');
  invocation.output.note(`Goes along with the next message: ${names}`);
}
