import type { ContentBlock } from '../contract/tool/index.ts';

/** Content as text for a terminal; what is no text is named. */
export function contentText(content: readonly ContentBlock[]): string {
  return content.map(blockText).join('\n');
}

function blockText(block: ContentBlock): string {
  const { type, text, mimeType, data, uri, resource } = block;
  if (type === 'text') return String(text);
  if (type === 'resource_link') return String(uri);
  if (type === 'resource') {
    const { text: inner, uri: address } = Object(resource);
    return String(inner ?? address);
  }
  const size = typeof data === 'string' ? `, ${data.length} base64 characters` : '';
  return `[${type}${typeof mimeType === 'string' ? ` ${mimeType}` : ''}${size}: use --json]`;
}
