/** The exact texts of the elements of a JSON array. `text` must be one: it was parsed before. */
export function splitArray(text: string): string[] {
  const elements: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
    } else if (character === '[' || character === '{') {
      depth += 1;
      if (depth === 1) start = at + 1;
    } else if (character === ']' || character === '}') {
      depth -= 1;
      if (depth === 0) elements.push(text.slice(start, at).trim());
    } else if (character === ',' && depth === 1) {
      elements.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return elements;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
