import {
  parseDocument,
  readYaml,
  type Document,
  type OverrideProblem,
  type StandardsFile,
} from './parse-document.ts';
import type { FolderContents } from './standards-library.ts';
import {
  codingStandardsOverrideSchema,
  codingStandardsSchema,
  mergeStandards,
  type CodingStandards,
} from './coding-standards.ts';

/** Everything the server serves at one moment. Plain data; a change makes a new one. */
export interface Snapshot {
  readonly codingStandards: CodingStandards;
  /** Languages whose rules the project changed or added. */
  readonly mergedLanguages: ReadonlySet<string>;
  /** By address: `standards://python`, `prompts://architect`, `templates://adr`. */
  readonly texts: ReadonlyMap<string, Document>;
  readonly prompts: ReadonlyMap<string, Document>;
  readonly problems: readonly OverrideProblem[];
}

/** Lays the project's files over those built in. What is malformed is left out and reported. */
export function makeSnapshot(builtIn: FolderContents, project: FolderContents): Snapshot {
  const texts = new Map<string, Document>();
  const prompts = new Map<string, Document>();
  const problems: OverrideProblem[] = [...project.problems];
  const layers = [
    { files: builtIn.files, isOverride: false },
    { files: project.files, isOverride: true },
  ];
  for (const { files, isOverride } of layers) {
    for (const file of files.filter(({ path }) => path.endsWith('.md'))) {
      const parsed = parseDocument(file, isOverride);
      if (parsed.kind === 'malformed') {
        problems.push(parsed.problem);
        continue;
      }
      const { document } = parsed;
      const isPromptFile = file.path.startsWith('prompts/');
      if (parsed.kind === 'prompt' && isPromptFile) prompts.set(document.name, document);
      else if (isPromptFile && prompts.has(document.name)) {
        const message = 'it replaces a prompt, but has no {{placeholder}} to fill in';
        problems.push({ file: file.path, line: 1, message });
      } else texts.set(addressOf(file.path, document.name), document);
    }
  }
  const merged = mergeProject(readStandards(builtIn.files), project.files);
  return { ...merged, texts, prompts, problems: [...problems, ...merged.problems] };
}

function addressOf(path: string, name: string): string {
  if (path.startsWith('prompts/')) return `prompts://${name}`;
  return path.startsWith('templates/') ? `templates://${name}` : `standards://${name}`;
}

const standardsNames = ['coding-standards.json', 'coding-standards.yaml', 'coding-standards.yml'];

function readStandards(files: readonly StandardsFile[]): CodingStandards {
  const file = files.find(({ path }) => standardsNames.includes(path));
  return codingStandardsSchema.parse(JSON.parse(file?.text ?? '{}'));
}

function mergeProject(
  base: CodingStandards,
  files: readonly StandardsFile[],
): Pick<Snapshot, 'codingStandards' | 'mergedLanguages' | 'problems'> {
  const problems: OverrideProblem[] = [];
  let codingStandards = base;
  const mergedLanguages = new Set<string>();
  for (const { path, text } of files) {
    if (path.endsWith('.md')) continue;
    if (!standardsNames.includes(path)) {
      const message = `only ${standardsNames.join(', ')} and Markdown files are read here`;
      problems.push({ file: path, line: 1, message });
      continue;
    }
    const read = readYaml(text, codingStandardsOverrideSchema);
    if (read.kind === 'malformed') {
      problems.push({ file: path, line: read.line, message: read.message });
      continue;
    }
    const merged = codingStandardsSchema.safeParse(mergeStandards(codingStandards, read.value));
    if (merged.success) {
      codingStandards = merged.data;
      for (const language of Object.keys(read.value)) mergedLanguages.add(language);
    } else {
      const [issue] = merged.error.issues;
      const message = `a new language must be complete: ${issue?.path.join('.')}: ${issue?.message}`;
      problems.push({ file: path, line: lineOfKey(text, String(issue?.path[0])), message });
    }
  }
  return { codingStandards, mergedLanguages, problems };
}

function lineOfKey(text: string, key: string): number {
  const at = text.split('\n').findIndex((line) => line.includes(key));
  return Math.max(at, 0) + 1;
}
