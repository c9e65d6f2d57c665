import { basename } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { recordOf } from '../../kernel/index.ts';
import { splitFrontMatter } from './read-agent-file.ts';
import foreignTools from './foreign-tools.json' with { type: 'json' };

/** An agent file of another assistant as one of ours. */
export interface ImportedAgent {
  readonly name: string;
  readonly text: string;
  /** Tools it names that have no counterpart here. */
  readonly unknownTools: readonly string[];
}

const maxAliases = 100;
const maxNameChars = 64;
const known: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(foreignTools));
/** What an agent without a list of tools may do here: look. */
const usualTools = [
  'workspace.read_file',
  'workspace.list_files',
  'workspace.search_text',
  'code.review_code',
];

/** Undefined where it has no front matter that can be read. What it may do is what its tools are here, and no more. */
export function importAgent(text: string, path: string): ImportedAgent | undefined {
  const parts = splitFrontMatter(text);
  if (!parts) return undefined;
  const document = parseDocument(parts.frontMatter, { prettyErrors: false });
  const fields =
    document.errors.length > 0
      ? readLines(parts.frontMatter)
      : recordOf(document.toJS({ maxAliasCount: maxAliases }));
  const { name: given, description, tools, model: _model, ...others } = fields;
  // A list that does not end: nothing may be guessed about what it may do.
  if (document.errors.length > 0 && /^[[{]/.test(typeof tools === 'string' ? tools : ''))
    return undefined;
  const [, fileName] = /^(.+)\.(?:agent|chatmode)\.md$/i.exec(basename(path)) ?? [];
  const named = typeof given === 'string' ? given : fileName;
  if (named === undefined) return undefined;
  const name = named
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, maxNameChars);
  if (!/^[a-z]/.test(name)) return undefined;
  const foreign = listOf(tools);
  const mapped = foreign.flatMap(
    (tool) => known.get(baseName(tool)) ?? (isOurs(tool) ? [tool] : []),
  );
  const unknownTools = foreign.filter((tool) => !known.has(baseName(tool)) && !isOurs(tool));
  const front = {
    name,
    version:
      typeof others['version'] === 'string' && /^\d+\.\d+\.\d+$/.test(others['version'])
        ? others['version']
        : '1.0.0',
    description:
      typeof description === 'string' && description !== ''
        ? description.slice(0, maxDescriptionChars)
        : `Imported agent ${name}`,
    capabilities: [`${name}.do`],
    tools: [...new Set(mapped.length > 0 ? mapped : usualTools)],
    criteria: ['ran'],
  };
  return { name, text: `---\n${stringify(front)}---\n\n${parts.body.trim()}\n`, unknownTools };
}

const maxDescriptionChars = 1_000;

/** Front matter that is no YAML, as with a colon in a description: a field a line. */
function readLines(text: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name, value] = /^([A-Za-z_]+):\s*(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value ?? '']];
    }),
  );
}

function listOf(tools: unknown): readonly string[] {
  const words = Array.isArray(tools)
    ? tools.map(String)
    : typeof tools === 'string'
      ? tools.split(',')
      : [];
  return words.map((word) => word.trim()).filter((word) => word !== '');
}

/** `Bash(git:*)` is Bash. */
function baseName(tool: string): string {
  return tool.replace(/\(.*$/s, '').toLowerCase();
}

function isOurs(tool: string): boolean {
  return /^[a-z][\w-]*\.[\w*-]+$/.test(tool);
}
