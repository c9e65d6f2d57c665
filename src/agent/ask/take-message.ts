import { splitPastes } from '../intent/index.ts';
import { replyToTask } from '../loop/index.ts';
import { attachmentsOf } from './kept-texts.ts';
import { readReply, type ReplyKind } from './read-reply.ts';
import { respond } from './respond.ts';
import { settleReply } from './settle-reply.ts';
import { readShortReply } from '../../kernel/index.ts';
import { readOffer } from './read-offer.ts';
import { base, plainReply, tell, type Reply, type Turn } from './turn.ts';
import { findUnanswered, requestBehind } from './unanswered.ts';

/** Finds out what a message is about (an unfinished task, what was asked or shown last, something new) and responds. */
export async function takeMessage(turn: Turn): Promise<Reply> {
  const said = readShortReply(turn.words);
  const ofTask = await replyToTask(turn, said);
  if (ofTask) return ofTask;
  const offer = turn.attachments.length > 0 ? undefined : readOffer(turn.words, turn.before);
  if (offer?.kind === 'unclear') return askWhich(turn, offer.among);
  if (offer) return respond({ ...turn, words: offer.say }, { kind: 'new' });
  const open = said === 'continue' ? await reopen(turn) : turn;
  const model = await turn.parts.models.find('agent', turn.options.client);
  const read = readReply(open.words, open.before, model !== null);
  const reply = await settleReply(open, read, model !== null);
  return respond({ ...open, words: wordsBehind(open, reply) }, reply);
}

function askWhich(turn: Turn, among: readonly string[]): Reply {
  const answer = `Which one? Say ${among.map((say) => `"${say}"`).join(' or ')}.`;
  tell(turn, answer);
  return plainReply({ ...base(turn, { confidence: 1, model: null }), kind: 'answer', answer });
}

/** After a message that got no answer because the process died, "continue" is that message once more. */
async function reopen(turn: Turn): Promise<Turn> {
  const found = findUnanswered(turn.before);
  if (!found) return turn;
  const { before, turn: message } = found;
  if (!message) return { ...turn, before };
  const words = splitPastes(message.text).words;
  return { ...turn, before, words, attachments: await attachmentsOf(message, turn) };
}

/** What the user wants, where the message itself only answers what was asked about it. */
function wordsBehind({ words, before }: Turn, reply: ReplyKind): string {
  switch (reply.kind) {
    case 'answered':
      return `${splitPastes(reply.request).words}\n${words}`;
    case 'accepted':
    case 'supplied':
    case 'resumed':
      return splitPastes(requestBehind(before) ?? words).words;
    case 'new':
    case 'declined':
    case 'misfit':
      return words;
  }
}
