import type { ToolFlag } from '../../contract/fleet/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import { onceFor } from '../../kernel/index.ts';
import { hasEscapes, hasHiddenCharacters, visibleText } from './hidden-characters.ts';
import { findInstruction } from './hidden-instructions.ts';

/** Texts and depth looked at in one schema. */
const maxTexts = 2_000;
const maxDepth = 64;
const maxFlags = 100;

interface InspectedListing {
  readonly flags: readonly ToolFlag[];
  /** As they are shown. */
  readonly tools: readonly Tool[];
}

/** Once per listing: names are resolved anew whenever any server changes. */
export const inspectListing = onceFor(
  ({ tools }: { readonly tools: readonly Tool[] }): InspectedListing => ({
    flags: tools.flatMap((tool) => inspectTool(tool)).slice(0, maxFlags),
    tools: tools.map((tool) => cleanTool(tool)),
  }),
);

/** What is suspicious about a tool by itself. Nothing is blocked because of it. */
export function inspectTool(tool: Tool): readonly ToolFlag[] {
  const texts = textsOf(tool);
  const flags: ToolFlag[] = [];
  const add = (kind: ToolFlag['kind'], message: string): void =>
    void flags.push({ tool: tool.name, kind, message });
  const hidden = texts.find(({ text }) => hasHiddenCharacters(text));
  if (hidden) add('hidden characters', `its ${hidden.field} has characters that are not shown`);
  const escaped = texts.find(({ text }) => hasEscapes(text));
  if (escaped) add('terminal escapes', `its ${escaped.field} has control sequences of terminals`);
  if (isLookAlike(tool.name)) add('look-alike name', 'its name mixes letters that look alike');
  for (const { field, text } of texts) {
    const found = findInstruction(visibleText(text));
    if (found === undefined) continue;
    add('hidden instructions', `its ${field} addresses the model: "${found}"`);
    break;
  }
  return flags;
}

/** The tool with every text that a model or person reads as it is seen; the same object where nothing is hidden. */
export function cleanTool(tool: Tool): Tool {
  const isClean = textsOf(tool).every(
    ({ field, text }) => field === 'name' || visibleText(text) === text,
  );
  if (isClean) return tool;
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    ...tool,
    ...(title !== undefined && { title: visibleText(title) }),
    ...(description !== undefined && { description: visibleText(description) }),
    inputSchema: Object(cleanWords(inputSchema)),
    ...(outputSchema !== undefined && { outputSchema: Object(cleanWords(outputSchema)) }),
    ...(annotations !== undefined && { annotations: Object(cleanWords(annotations)) }),
  };
}

interface FoundText {
  readonly field: string;
  readonly text: string;
}

function textsOf(tool: Tool): readonly FoundText[] {
  const texts: FoundText[] = [];
  const add = (field: string, text: unknown): void => {
    if (typeof text === 'string' && texts.length < maxTexts) texts.push({ field, text });
  };
  add('name', tool.name);
  add('title', tool.title);
  add('description', tool.description);
  add('title', tool.annotations?.title);
  for (const [field, schema] of Object.entries({
    'input schema': tool.inputSchema,
    'output schema': tool.outputSchema,
  })) {
    visitWords(schema, (text) => add(field, text));
  }
  return texts;
}

/** Descriptions and titles of a schema; other texts of it are values. */
function visitWords(value: unknown, visit: (text: string) => void, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return;
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && isWords(key)) visit(inner);
    else visitWords(inner, visit, depth + 1);
  }
}

function cleanWords(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item) => cleanWords(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === 'string' && isWords(key) ? visibleText(inner) : cleanWords(inner, depth + 1),
    ]),
  );
}

function isWords(key: string): boolean {
  return key === 'description' || key === 'title' || key === '$comment';
}

const latin = /\p{Script=Latin}/u;
const others = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
/** Letters of other scripts that look like Latin ones. */
const confusable = /^[асеорхуіѕјһԁԛԝαινορτυω]+$/iu;

/** Latin letters beside those of a script that has the same shapes, or shapes of other widths. */
function isLookAlike(name: string): boolean {
  if (name.normalize('NFKC') !== name.normalize('NFC')) return true;
  const letters = name.replaceAll(/[^\p{L}]/gu, '');
  if (!others.test(letters)) return false;
  return latin.test(letters) || confusable.test(letters);
}
