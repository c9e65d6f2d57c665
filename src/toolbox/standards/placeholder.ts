/** `{{name}}` and `{{name|fence}}`; the latter puts the value into a code fence. */
export const placeholderPattern = /\{\{\s{0,9}([A-Za-z][A-Za-z0-9_-]{0,63})(\|fence)?\s{0,9}\}\}/g;
