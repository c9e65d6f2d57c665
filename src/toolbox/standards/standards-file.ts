/** A file of the standards, built in or of the project, before it is understood. */
export interface StandardsFile {
  /** Path inside its folder with forward slashes: `python.md`, `prompts/architect.md`. */
  readonly path: string;
  readonly text: string;
}

/** Something in the project's folder that cannot be used; what is built in is served meanwhile. */
export interface OverrideProblem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** What a Markdown file is for: a text to read, or a prompt to fill in. */
export interface Document {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly body: string;
  readonly file: string;
  readonly isOverride: boolean;
}

export interface PromptParameter {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly default: string;
  /** Offered by completion; the only ones allowed when `strict`. */
  readonly values: readonly string[];
  readonly strict: boolean;
}

/** A prompt with `{{placeholders}}` in its body. */
export interface PromptDocument extends Document {
  readonly parameters: readonly PromptParameter[];
  /** Resources that go along with the prompt; may contain placeholders. */
  readonly embeds: readonly string[];
}
