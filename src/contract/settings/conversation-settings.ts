import { z } from 'zod';
import { about } from './traits.ts';

export const conversationSettings = z
  .strictObject({
    memory_size: z
      .int()
      .min(0)
      .max(1_000)
      .default(10)
      .meta(
        about('Turns of a conversation that go to the model word for word, as far as they fit.'),
      ),
    context_window: z
      .int()
      .min(256)
      .max(10_000_000)
      .default(4_000)
      .meta(about('Tokens of a conversation that go to the model with a message, at most.')),
    save_sessions: z
      .boolean()
      .default(true)
      .meta(
        about('Write every session as a JSON file, too. They are in the database in any case.'),
      ),
    session_dir: z
      .string()
      .min(1)
      .meta(about('Folder for these files.', { isPath: true, defaultText: '`<home>/sessions`' })),
  })
  .meta(about('Conversations with the agent.', { isUserOnly: true }));
