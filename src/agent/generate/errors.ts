import { AppError } from '../../kernel/index.ts';

/** There is no model to write code with, and no scaffold either. */
export class NoModelError extends AppError {
  readonly code = 'generation.no_model';

  constructor(what: string) {
    super(`${what} needs a language model, and none is connected. ${howToConnect}`);
  }
}

export const howToConnect =
  'To connect a model, start Ollama or llama-server on this machine, set OPENAI_API_KEY or ANTHROPIC_API_KEY, ' +
  'or set STARCODER_ENDPOINT to the address of your own; `tutti models` shows what was found.';

/** A tool that verification depends on failed; `toolCode` is its own code. */
export class ToolFailedError extends AppError {
  readonly code = 'generation.check_failed';
  readonly tool: string;
  readonly toolCode: string;
  /** The tool's own message. */
  readonly said: string;

  constructor(tool: string, failure: { readonly code: string; readonly message: string }) {
    super(`A check of generated code could not be made: ${tool} failed: ${failure.message}`);
    this.tool = tool;
    this.toolCode = failure.code;
    this.said = failure.message;
  }
}

/** The framework that was asked for is of another language, or of none. */
export class UnfitFrameworkError extends AppError {
  readonly code = 'generation.unfit_framework';

  constructor(framework: string, language: string, fit: readonly string[]) {
    super(
      `Tests for ${language} cannot be written with "${framework}": ${
        fit.length > 0 ? `take ${fit.join(', ')}` : 'there is no test framework for it'
      }`,
    );
  }
}

/** No language was given, and it could not be detected. */
export class UnknownLanguageError extends AppError {
  readonly code = 'generation.unknown_language';

  constructor() {
    super('The language of the code could not be detected. Give "language"');
  }
}
