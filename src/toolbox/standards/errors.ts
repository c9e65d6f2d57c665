import { AppError } from '../../kernel/index.ts';

/** No standard is kept for that language. */
export class UnknownLanguageError extends AppError {
  readonly code = 'standards.unknown_language';

  constructor(language: string, known: readonly string[]) {
    super(
      `There is no standard for "${language}". Known: ${known.join(', ')}. ` +
        'Add one as a Markdown file in .tutti/standards/',
      { details: { language, known } },
    );
  }
}

/** A standard has no section of that name. */
export class UnknownTopicError extends AppError {
  readonly code = 'standards.unknown_topic';

  constructor(topic: string, topics: readonly string[]) {
    super(`The standard has no section about "${topic}". It has: ${topics.join(', ')}`, {
      details: { topic, topics },
    });
  }
}

/** A prompt was asked for with arguments it does not take, or without one it needs. */
export class InvalidPromptArgumentsError extends AppError {
  readonly code = 'standards.invalid_prompt_arguments';

  constructor(prompt: string, problems: readonly string[]) {
    super(`Prompt "${prompt}" was not filled in: ${problems.join('; ')}`, {
      details: { prompt, problems },
    });
  }
}
