export interface Line {
  readonly kind: 'command' | 'output';
  readonly text: string;
}

const columns = 116;
const characterWidth = 7.8;
const lineHeight = 18;
const padding = 18;
const titleBar = 34;

/** An SVG of a terminal window; long lines are cut. Colours follow the meaning of a line, not escape sequences. */
export function renderTerminal(lines: readonly Line[]): string {
  const width = Math.round(columns * characterWidth + 2 * padding);
  const height = titleBar + lines.length * lineHeight + padding;
  const rows = lines.map(({ kind, text }, index) => {
    const y = titleBar + (index + 1) * lineHeight;
    const cut = text.length > columns ? `${text.slice(0, columns - 1)}…` : text;
    return `  <text x="${padding}" y="${y}" fill="${colourOf(kind, cut)}"${kind === 'command' ? ' font-weight="bold"' : ''} xml:space="preserve">${escapeXml(cut)}</text>`;
  });
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, index) => `  <circle cx="${20 + index * 18}" cy="17" r="5.5" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal session with Tutti" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">`,
    `  <rect width="${width}" height="${height}" rx="8" fill="#14181f"/>`,
    ...dots,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

function colourOf(kind: Line['kind'], text: string): string {
  if (kind === 'command') return '#f2f4f8';
  if (/\bsucceeded\b|^passed\b|^Done\b/.test(text)) return '#7ee2a8';
  if (/^\s*(?:critical|error)\b/.test(text)) return '#ff8f8f';
  if (/^\s*major\b/.test(text)) return '#f7c873';
  return '#b9c2cf';
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
