import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import {
  agentFrontMatterSchema,
  type AgentDefinition,
  type AgentProblem,
  type AgentSource,
} from '../../contract/agents/index.ts';
import { nearest } from '../../kernel/index.ts';

/** A file of an agent, before it is read. */
export interface AgentFile {
  readonly path: string;
  readonly text: string;
  readonly source: AgentSource;
}

/** An agent and where its fields stand, or what is wrong with the file: all of it, in order. */
export type ReadAgent =
  | {
      readonly kind: 'read';
      readonly agent: AgentDefinition;
      readonly lineOf: (path: readonly PropertyKey[]) => number;
    }
  | { readonly kind: 'malformed'; readonly problems: readonly AgentProblem[] };

const maxFileChars = 200_000;
const maxProblems = 20;
const maxAliases = 100;

/** Reads an agent file by itself: whether its tools exist and its plans fit is checked elsewhere. */
export function readAgentFile({ path, text, source }: AgentFile): ReadAgent {
  const malformed = (line: number, message: string): ReadAgent => ({
    kind: 'malformed',
    problems: [{ file: path, line, message }],
  });
  if (text.length > maxFileChars) {
    return malformed(1, `It has more than ${maxFileChars} characters: shorten the instructions`);
  }
  const parts = splitFrontMatter(text);
  if (parts === undefined) {
    return malformed(
      1,
      'It does not begin with front matter: a line "---", the fields, and a line "---"',
    );
  }
  const counter = new LineCounter();
  try {
    const document = parseDocument(parts.frontMatter, {
      lineCounter: counter,
      prettyErrors: false,
    });
    const lineOf = (at: readonly PropertyKey[]): number => lineIn(document, at, counter) + 1;
    const [error] = document.errors;
    if (error)
      return malformed(counter.linePos(error.pos[0]).line + 1, `No YAML: ${error.message}`);
    const parsed = agentFrontMatterSchema.safeParse(
      document.toJS({ maxAliasCount: maxAliases }) ?? {},
    );
    if (parsed.success) {
      const agent = { ...parsed.data, instructions: parts.body.trim(), source, file: path };
      const problems = contradictions(agent).map(({ at, message }) => ({
        file: path,
        line: lineOf(at),
        message,
      }));
      return problems.length > 0
        ? { kind: 'malformed', problems }
        : { kind: 'read', agent, lineOf };
    }
    const problems = parsed.error.issues.slice(0, maxProblems).map((issue) => {
      const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
      const at = [...issue.path, ...unknown];
      return { file: path, line: lineOf(at), message: sayIssue(at, issue) };
    });
    return { kind: 'malformed', problems };
  } catch (error) {
    // Deep nesting and abuse of aliases end here.
    return malformed(1, error instanceof Error ? error.message : 'It cannot be read');
  }
}

export function splitFrontMatter(text: string): { frontMatter: string; body: string } | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (lines[0]?.trimEnd() !== '---' || end < 0) return undefined;
  return { frontMatter: lines.slice(1, end).join('\n'), body: lines.slice(end + 1).join('\n') };
}

/** What the schema cannot say. */
function contradictions(
  agent: AgentDefinition,
): { readonly at: readonly PropertyKey[]; readonly message: string }[] {
  const found: { at: readonly PropertyKey[]; message: string }[] = [];
  for (const name of Object.keys(agent.procedures)) {
    if (agent.capabilities.includes(name)) continue;
    const message = `There is a procedure for "${name}", which is none of its capabilities: add it there, or remove the procedure`;
    found.push({ at: ['procedures', name], message });
  }
  const without = agent.capabilities.filter((name) => !Object.hasOwn(agent.procedures, name));
  if (agent.model === 'none' && without.length > 0) {
    const message = `"model: none", and there is no procedure for ${without.join(', ')}: add procedures, or let it use a model`;
    found.push({ at: ['model'], message });
  }
  return found;
}

const fields = Object.keys(agentFrontMatterSchema.shape);
const sharedFields = new Set(['name', 'description', 'tools', 'model']);
const ownFields = fields.filter((field) => !sharedFields.has(field));

/** Whether a file was meant for Tutti: it has a field that no other assistant knows, spelled rightly or not. */
export function hasOwnField(text: string): boolean {
  const lines = splitFrontMatter(text)?.frontMatter.split('\n') ?? [];
  const names = lines.flatMap((line) => /^([A-Za-z_]+):/.exec(line)?.[1] ?? []);
  return names.some((name) => !sharedFields.has(name) && nearest(name, ownFields) !== undefined);
}

function sayIssue(
  at: readonly PropertyKey[],
  issue: { readonly code: string; readonly message: string; readonly input?: unknown },
): string {
  const field = at.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const meant = nearest(String(at.at(-1)), fields);
    const hint =
      meant === undefined ? `the fields are ${fields.join(', ')}` : `did you mean "${meant}"?`;
    return `There is no field "${field}": ${hint}`;
  }
  return `"${field}" is wrong: ${issue.message}`;
}

/** The line of the innermost part of a path that stands in the text. */
function lineIn(document: Document, at: readonly PropertyKey[], counter: LineCounter): number {
  for (let length = at.length; length > 0; length -= 1) {
    const node = document.getIn(at.slice(0, length), true);
    if (isNode(node) && node.range) return counter.linePos(node.range[0]).line;
  }
  return 1;
}
