import type { CatalogueEntry } from '../../../contract/catalogue/index.ts';
import { fieldOf, profileOf, type ToolProfile } from './tool-profile.ts';
import { capabilities, type Capability } from '../reading/wish.ts';

/** How tools are called that do a thing: `verbs` and `nouns` that their name or first sentence holds, plural or not. */
interface Naming {
  readonly verbs: string;
  readonly nouns: string;
  /** Names that are known to be it. */
  readonly names?: string;
  readonly not?: string;
}

const namings: Readonly<Record<Capability, Naming>> = {
  spec: {
    verbs: 'formalize formalise specify write create draft',
    nouns: 'task spec specification requirements',
    names: 'formalize_task',
  },
  code: {
    verbs: 'generate write create implement',
    nouns: 'code',
    names: 'generate_code generate_code_with_context',
    not: 'context test tests',
  },
  tests: { verbs: 'generate write create', nouns: 'tests', names: 'generate_tests' },
  review: { verbs: 'review critique', nouns: 'code', names: 'review_code' },
  read: {
    verbs: 'read load get open',
    nouns: 'file',
    names: 'read_file read_text_file',
    not: 'media multiple artifact info status',
  },
  write: { verbs: 'write save store', nouns: 'file', names: 'write_file' },
  runTests: { verbs: 'run execute', nouns: 'tests', names: 'run_tests' },
  createIssue: {
    verbs: 'create open file',
    nouns: 'issue ticket',
    names: 'create_issue',
    not: 'comment',
  },
  listIssues: { verbs: 'list search get', nouns: 'issues tickets', names: 'list_issues' },
  pullRequest: {
    verbs: 'create open',
    nouns: 'pull_request merge_request pr',
    names: 'create_pull_request',
    not: 'review comment',
  },
  message: {
    verbs: 'post send',
    nouns: 'slack message channel',
    names: 'post_slack_message slack_post_message post_message send_message',
    not: 'email mail',
  },
  email: { verbs: 'send', nouns: 'email mail e-mail', names: 'send_email send_mail' },
  search: {
    verbs: 'search',
    nouns: 'web internet',
    names: 'web_search search_web brave_web_search',
  },
  summary: {
    verbs: 'summarize summarise',
    nouns: 'text document content',
    names: 'summarize_text summarize',
  },
  format: { verbs: 'format', nouns: 'code', names: 'format_code' },
  complexity: { verbs: 'analyze measure', nouns: 'complexity', names: 'analyze_complexity' },
  imports: { verbs: 'analyze draw', nouns: 'dependencies imports', names: 'analyze_dependencies' },
  secrets: { verbs: 'scan find', nouns: 'secrets', names: 'scan_secrets' },
  securityScan: { verbs: 'scan', nouns: 'security', names: 'scan_security' },
  vulnerabilities: {
    verbs: 'scan',
    nouns: 'dependencies vulnerabilities',
    names: 'scan_dependencies',
  },
  runCode: { verbs: 'run execute', nouns: 'code program', names: 'run_code' },
  docs: { verbs: 'get search', nouns: 'docs documentation', names: 'get_docs' },
  standard: { verbs: 'get', nouns: 'standard standards', names: 'get_standard' },
  fixes: { verbs: 'refactor fix', nouns: 'code', names: 'refactor_code' },
  status: { verbs: 'get', nouns: 'server_status', names: 'get_server_status' },
};

/** Which tools of a catalogue do what, best first. */
export type ToolChoice = ReadonlyMap<Capability, readonly ToolProfile[]>;

export function chooseTools(entries: readonly CatalogueEntry[]): ToolChoice {
  const choice = new Map<Capability, ToolProfile[]>();
  for (const capability of capabilities) {
    const ranked = entries
      .map((entry) => ({ entry, score: fit(entry, capability) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score || (a.entry.name < b.entry.name ? -1 : 1));
    if (ranked.length > 0)
      choice.set(
        capability,
        ranked.map(({ entry }) => profileOf(entry)),
      );
  }
  return choice;
}

/** They run whatever they are given, so what they say about themselves fits every request. */
const callsOthers = new Set(['agent.ask', 'admin.call_tool', 'workflow.run_plan']);

/** Tools with a capability nobody else's words lead to. */
export function otherTools(
  entries: readonly CatalogueEntry[],
  choice: ToolChoice,
): readonly CatalogueEntry[] {
  const taken = new Set(
    [...choice.values()].flatMap((profiles) => profiles.slice(0, 1).map(({ entry }) => entry.name)),
  );
  return entries.filter(({ name }) => !taken.has(name) && !callsOthers.has(name));
}

function fit(entry: CatalogueEntry, capability: Capability): number {
  const naming = namings[capability];
  const name = entry.tool.name
    .replaceAll(/([a-z])([A-Z])/gu, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_');
  if (naming.names?.split(' ').includes(name)) return 3 + fieldBonus(entry, capability);
  const words = new Set(name.split('_'));
  if (naming.not?.split(' ').some((word) => words.has(word))) return 0;
  const has = (list: string, text: ReadonlySet<string>): boolean =>
    list
      .split(' ')
      .some((word) => text.has(word) || word.split('_').every((part) => text.has(part)));
  if (has(naming.verbs, words) && has(naming.nouns, words)) return 2 - (words.size - 2) * 0.1;
  return 0;
}

/** Of two that do the same, the one that takes what the other steps give. */
function fieldBonus(entry: CatalogueEntry, capability: Capability): number {
  return capability === 'runTests' && fieldOf(profileOf(entry), 'tests') ? 0.5 : 0;
}
