/** The name of our entry in every client. */
export const entryName = 'tutti';

/** Edits one entry of a settings file and keeps all other text as it is. */
export interface EntryFormat {
  /** The settings as data. Throws `SettingsTextError` when the text is not valid. */
  parse(text: string): Readonly<Record<string, unknown>>;
  /** Adds the entry to the section, which is made where it is missing. There must be none of that name. */
  add(text: string, section: string, entry: Readonly<Record<string, unknown>>): string;
  /** Takes the entry out, and the section with it when `dropSection` is set and nothing else is in it. */
  remove(text: string, section: string, options: { readonly dropSection: boolean }): string;
}

/** A settings file that cannot be edited; the message is the reason, as half a sentence. */
export class SettingsTextError extends Error {}

/** The line ending of a text; that of its first line. */
export function lineEnding(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}
