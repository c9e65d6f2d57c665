import { z } from 'zod';
import { about } from './traits.ts';

export const conversationSettings = z
  .strictObject({
    memory_size: z
      .int()
      .min(0)
      .max(1_000)
      .default(10)
      .meta(about('Number of conversation turns sent to the model verbatim, as far as they fit.')),
    context_window: z
      .int()
      .min(256)
      .max(10_000_000)
      .default(4_000)
      .meta(about('Maximum number of conversation tokens sent to the model with a message.')),
    save_sessions: z
      .boolean()
      .default(true)
      .meta(
        about(
          'Also write every session to a JSON file. Sessions are always stored in the database.',
        ),
      ),
    session_dir: z
      .string()
      .min(1)
      .meta(about('Folder for these files.', { isPath: true, defaultText: '`<home>/sessions`' })),
  })
  .meta(about('Conversations with the agent.', { isUserOnly: true }));
