import type { Prompt, PromptMessage, PromptResult } from '../../contract/prompt/index.ts';
import type { Resource, ResourceContents } from '../../contract/resource/index.ts';
import type {
  Completion,
  CompletionRequest,
  McpServer,
  ServerChange,
} from '../../contract/server/index.ts';
import type { Log } from '../../kernel/index.ts';
import { NotFoundError } from '../errors.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import type { Snapshot } from './snapshot.ts';
import {
  checkOverridesTool,
  getStandardTool,
  InvalidPromptArgumentsError,
  UnknownLanguageError,
} from './standards-tools.ts';
import { placeholderPattern, type Document } from './parse-document.ts';
import { codingStandardsUri, StandardsLibrary } from './standards-library.ts';
import {
  knownFrameworks,
  knownStyles,
  languagesOf,
  languageOfFramework,
  resolveLanguage,
} from './coding-standards.ts';

interface StandardsServerOptions {
  readonly version: string;
  /** `project`: the folder of overrides, usually `<project>/.tutti/standards`; need not exist. */
  readonly directories: { readonly project?: string | undefined };
  readonly log: Log;
  /** Notice and announce changes of the overrides while there are listeners. */
  readonly watch: boolean;
  readonly pollMs?: number;
}

/** The server `standards`: coding standards, role prompts and templates of a team. */
export function createStandardsServer(options: StandardsServerOptions): McpServer {
  const { project } = options.directories;
  const library = new StandardsLibrary({ project, log: options.log });
  const changes = announceChanges(library, options);
  return createToolboxServer({
    name: 'standards',
    title: 'Team standards',
    version: options.version,
    instructions:
      'Coding standards for nine languages, role prompts and templates, as resources and prompts. Files in ' +
      '.tutti/standards/ of the project replace or add to them.',
    tools: [getStandardTool(library), checkOverridesTool(library, project)],
    resources: {
      listResources: async () => listResources(await library.current()),
      listResourceTemplates: async () => [
        {
          uriTemplate: 'standards://{language}',
          name: 'coding-standard',
          title: 'Coding standard of a language',
          description: 'Rules with examples for one language.',
          mimeType: 'text/markdown',
        },
      ],
      readResource: async (uri) => [readResource(await library.current(), uri)],
    },
    prompts: {
      listPrompts: async () => listPrompts(await library.current()),
      getPrompt: async (name, args) => {
        const snapshot = await library.current();
        const prompt = snapshot.prompts.get(name);
        if (!prompt) throw new NotFoundError('prompt', name, [...snapshot.prompts.keys()].sort());
        return fillPrompt(snapshot, prompt, args);
      },
    },
    complete: async (request) => complete(await library.current(), request),
    onChange: changes.onChange,
    close: changes.close,
  });
}

function listResources(snapshot: Snapshot): Resource[] {
  const texts = [...snapshot.texts].map(([uri, { name, title, description, body }]) => ({
    uri,
    name,
    title,
    ...(description === '' ? {} : { description }),
    mimeType: 'text/markdown',
    size: Buffer.byteLength(body),
  }));
  const standards = {
    uri: codingStandardsUri,
    name: 'coding-standards',
    title: 'Coding standards as data',
    description: 'Limits and conventions of every language, for tools.',
    mimeType: 'application/json',
  };
  return [standards, ...texts].sort((a, b) => (a.uri < b.uri ? -1 : 1));
}

function readResource(snapshot: Snapshot, uri: string): ResourceContents {
  if (uri === codingStandardsUri) {
    const text = `${JSON.stringify(snapshot.codingStandards, undefined, 2)}\n`;
    return { uri, mimeType: 'application/json', text };
  }
  const document = snapshot.texts.get(uri);
  if (!document) {
    throw new NotFoundError('resource', uri, [codingStandardsUri, ...snapshot.texts.keys()].sort());
  }
  return { uri, mimeType: 'text/markdown', text: document.body };
}

function listPrompts(snapshot: Snapshot): Prompt[] {
  return [...snapshot.prompts.values()]
    .map(({ name, title, description, parameters }) => ({
      name,
      title,
      ...(description === '' ? {} : { description }),
      arguments: parameters.map((parameter) => ({
        name: parameter.name,
        ...(parameter.description === '' ? {} : { description: parameter.description }),
        required: parameter.required,
      })),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const maxCompletions = 100;

function complete(snapshot: Snapshot, { reference, argument }: CompletionRequest): Completion {
  const declared =
    reference.type === 'ref/prompt'
      ? snapshot.prompts.get(reference.name)?.parameters.find(({ name }) => name === argument.name)
      : undefined;
  if (reference.type === 'ref/prompt' && !declared) return { values: [], total: 0, hasMore: false };
  const offered =
    declared && declared.values.length > 0 ? declared.values : offersFor(snapshot, argument.name);
  const typed = argument.value.toLowerCase();
  const values = offered.filter((value) => value.toLowerCase().startsWith(typed));
  return {
    values: values.slice(0, maxCompletions),
    total: values.length,
    hasMore: values.length > maxCompletions,
  };
}

function offersFor(snapshot: Snapshot, argument: string): readonly string[] {
  if (argument === 'language') return languagesOf(snapshot);
  if (argument === 'framework') return knownFrameworks;
  if (argument !== 'style') return [];
  const own = Object.values(snapshot.codingStandards).map(({ style }) => style);
  return [...new Set([...own, ...knownStyles])].sort();
}

const defaultPollMs = 2_000;
const firstLookMs = 250;

/**
 * Looks for changes from the first listener on: a server without listeners costs nothing. Polling works on
 * every file system and for folders that appear later, and keeps no process alive.
 */
function announceChanges(
  library: StandardsLibrary,
  { directories, watch, pollMs = defaultPollMs, log }: StandardsServerOptions,
): { onChange: McpServer['onChange']; close: () => Promise<void> } {
  const timers: NodeJS.Timeout[] = [];
  const look = (): void => {
    library.current().catch((error: unknown) => {
      log.error('failed to read standards', { error: String(error) });
    });
  };
  const onChange = (listener: (change: ServerChange) => void): (() => void) => {
    if (watch && directories.project !== undefined && timers.length === 0) {
      // Later changes are compared with the first look. Clients listen before they ask for anything,
      // and reading the standards must not delay their first answers.
      timers.push(setTimeout(look, firstLookMs).unref(), setInterval(look, pollMs).unref());
    }
    return library.onChange(listener);
  };
  return { onChange, close: async () => timers.forEach((timer) => clearTimeout(timer)) };
}

const maxArgumentLength = 500_000;

/** Checks the arguments and fills them in; the standards a prompt asks for go along as resources. */
function fillPrompt(
  snapshot: Snapshot,
  prompt: Document,
  given: Readonly<Record<string, string>>,
): PromptResult {
  const problems = problemsOf(prompt, given);
  if (problems.length > 0) throw new InvalidPromptArgumentsError(prompt.name, problems);
  const values = valuesOf(snapshot, prompt, given);
  const embedded = prompt.embeds.flatMap((embed) =>
    embeddedText(snapshot, substitute(embed, values)),
  );
  const text = substitute(prompt.body, values);
  return {
    ...(prompt.description === '' ? {} : { description: prompt.description }),
    messages: [...embedded, { role: 'user', content: { type: 'text', text } }],
  };
}

function problemsOf(prompt: Document, given: Readonly<Record<string, string>>): string[] {
  const known = prompt.parameters.map(({ name }) => name);
  const unknown = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => `it has no argument "${name}" (it has: ${known.join(', ')})`);
  const wrong = prompt.parameters.flatMap(({ name, required, values, strict, description }) => {
    const value = (Object.hasOwn(given, name) ? given[name] : undefined) ?? '';
    if (required && value.trim() === '') {
      return [`argument "${name}" is missing${description === '' ? '' : ` (${description})`}`];
    }
    if (value.length > maxArgumentLength) {
      return [`argument "${name}" has more than ${maxArgumentLength} characters`];
    }
    const isRefused = strict && value !== '' && !values.includes(value);
    return isRefused ? [`argument "${name}" must be one of ${values.join(', ')}`] : [];
  });
  return [...unknown, ...wrong];
}

/** Defaults, and the language: as people spell it, or as the test framework gives it away. */
function valuesOf(
  snapshot: Snapshot,
  prompt: Document,
  given: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const values = new Map(
    prompt.parameters.map(({ name, default: fallback }) => [
      name,
      Object.hasOwn(given, name) && given[name]?.trim() ? given[name] : fallback,
    ]),
  );
  if (!values.has('language')) return values;
  const asked = values.get('language') || languageOfFramework(values.get('framework') ?? '') || '';
  const language = asked === '' ? '' : resolveLanguage(snapshot, asked);
  if (language === undefined) throw new UnknownLanguageError(asked, languagesOf(snapshot));
  values.set('language', language);
  if (values.get('style') === '') {
    values.set('style', snapshot.codingStandards[language]?.style ?? 'the team’s');
  }
  return values;
}

/** One pass only: a placeholder inside a value stays as it is. */
function substitute(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(placeholderPattern, (_, name: string, fence?: string) => {
    const value = values.get(name) ?? '';
    return fence === undefined ? value : fenced(value, values.get('language') ?? '');
  });
}

/** A fence longer than any in the value, so that the value cannot end it. */
function fenced(value: string, language: string): string {
  const longest = Math.max(2, ...[...value.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${value.trimEnd()}\n${fence}`;
}

function embeddedText(snapshot: Snapshot, uri: string): PromptMessage[] {
  const document = snapshot.texts.get(uri);
  if (!document) return [];
  const resource = { uri, mimeType: 'text/markdown', text: document.body };
  return [{ role: 'user', content: { type: 'resource', resource } }];
}
