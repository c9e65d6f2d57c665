/** A rough measure for any model: English and code have about four characters per token. */
const charsPerToken = 4;
const maxPassages = 20;

/**
 * The first passages that fit into so many tokens, each as a whole; shorter ones may fit where a longer one
 * does not. Only the first is shortened rather than left out.
 */
export function fitPassages<Piece extends { readonly text: string }>(
  passages: readonly Piece[],
  tokens: number,
): Piece[] {
  const fitting: Piece[] = [];
  let left = tokens * charsPerToken;
  for (const passage of passages.slice(0, maxPassages)) {
    if (passage.text.length <= left) {
      fitting.push(passage);
      left -= passage.text.length;
    } else if (fitting.length === 0) {
      fitting.push({ ...passage, text: `${cutAtLine(passage.text, left)}\n…` });
      break;
    }
  }
  return fitting;
}

function cutAtLine(text: string, maxChars: number): string {
  const cut = text.slice(0, maxChars);
  const end = cut.lastIndexOf('\n');
  return end > maxChars / 2 ? cut.slice(0, end) : cut;
}
