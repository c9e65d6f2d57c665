import { optionalEndTags, voidTags } from './html-elements.ts';

/** Text inside these is another language's, or shown as it is; its layout is not HTML's. */
const rawTags: readonly string[] = ['script', 'style', 'textarea', 'pre', 'title'];

const tokenPattern =
  /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<[!?][^>]*>|<\/?[a-zA-Z](?:[^>"']|"[^"]*"|'[^']*')*>|[^<]+|</g;

const attributePattern = /([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?/g;

/**
 * What an HTML text says: its tags with their attributes, its texts and comments. Forgiven are space,
 * letter case of tags, kind of quotes, end tags that may be omitted, `/` in void tags, and the layout
 * of scripts, styles and of `style` and event attributes.
 */
export function htmlMeaning(text: string): string {
  const said: string[] = [];
  let raw: string | undefined;
  for (const [token] of text.matchAll(tokenPattern)) {
    const name = /^<\/?([a-zA-Z][^\s/>]*)/.exec(token)?.[1]?.toLowerCase();
    if (raw !== undefined) {
      if (name !== raw || !token.startsWith('</')) continue;
      raw = undefined;
    }
    if (name === undefined) said.push(withoutSpace(token.toLowerCase()));
    else if (token.startsWith('</')) {
      if (!optionalEndTags.has(name) && !voidTags.has(name)) said.push(`</${name}>`);
    } else {
      said.push(`<${name} ${attributesOf(token, name)}>`);
      if (rawTags.includes(name) && !token.endsWith('/>')) raw = name;
      else if (token.endsWith('/>') && !voidTags.has(name)) said.push(`</${name}>`);
    }
  }
  return said.filter((piece) => piece !== '').join('');
}

function attributesOf(tag: string, name: string): string {
  const inside = tag.slice(1 + name.length, tag.endsWith('/>') ? -2 : -1);
  return [...inside.matchAll(attributePattern)]
    .map(([, key = '', value = '']) => `${key.toLowerCase()}=${valueOf(key, value)}`)
    .join(' ');
}

function valueOf(key: string, value: string): string {
  const bare = /^["']/.test(value) ? value.slice(1, -1) : value;
  const plain = withoutSpace(bare).replaceAll('&quot;', '"').replaceAll('&apos;', "'");
  return /^(?:style|on\w+|media|srcset|sizes|class)$/i.test(key)
    ? plain.toLowerCase().replace(/[;"'(),]/g, '')
    : plain;
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
