import type { CallContext } from '../../contract/server/index.ts';
import { withTimeLimit, type Clock } from '../../kernel/index.ts';
import { normalizeName, type LibraryId } from './library.ts';

/**
 * A server of the fleet that offers the tools of Context7. Both give what the tool answered; they
 * throw when the call itself failed.
 */
export interface Context7 {
  resolve(
    request: { readonly name: string; readonly query: string },
    context: CallContext,
  ): Promise<Context7Text>;
  query(
    request: { readonly library: string; readonly query: string },
    context: CallContext,
  ): Promise<Context7Text>;
}

/** The text of a tool's result. */
export interface Context7Text {
  readonly text: string;
  readonly isError: boolean;
}

/** Looks for such a server. Where there is none, those of which nothing is known yet may be one. */
export type FindContext7 = () => Promise<
  | { readonly kind: 'found'; readonly context7: Context7 }
  | { readonly kind: 'none'; readonly unlisted: readonly string[] }
>;

export interface Context7Library {
  /** `/facebook/react` */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly versions: readonly string[];
}

/** Longer answers are cut before they are looked at. */
const maxAnswerChars = 400_000;
const maxLibraries = 20;
const idLine = '- Context7-compatible library ID: ';

/** The libraries an answer of `resolve-library-id` lists; none when it is a failure told as text. */
export function readLibraries(answer: string): Context7Library[] {
  const found: Context7Library[] = [];
  for (const block of answer.slice(0, maxAnswerChars).split(/^-{5,}$/m)) {
    const lines = block.split('\n');
    const field = (start: string): string =>
      lines
        .find((line) => line.startsWith(start))
        ?.slice(start.length)
        .trim() ?? '';
    const id = field(idLine);
    if (!/^\/[\w.@-]+(?:\/[\w.@-]+)+$/.test(id)) continue;
    const versions = field('- Versions: ').split(', ').filter(Boolean);
    found.push({ id, title: field('- Title: '), description: field('- Description: '), versions });
    if (found.length >= maxLibraries) break;
  }
  return found;
}

interface Context7Snippet {
  readonly heading: string;
  readonly text: string;
  /** The address it was taken from. */
  readonly source: string;
}

/**
 * The snippets of an answer of `query-docs`. Context7 tells failures (`fetch failed`, a used-up quota,
 * an unknown library) as plain text: what has neither a heading nor code is one, and gives none.
 */
export function readSnippets(answer: string): Context7Snippet[] {
  const found: Context7Snippet[] = [];
  for (const block of answer.slice(0, maxAnswerChars).split(/^[-=]{10,}$/m)) {
    const text = block.trim();
    const heading = /^#{1,6} (.{1,300})$/m.exec(text)?.[1];
    if (heading === undefined && !text.includes('```')) continue;
    const source = /^Source: (\S{1,1000})/m.exec(text)?.[1] ?? '';
    found.push({ heading: heading ?? '', text, source });
  }
  return found;
}

/** What Context7 knows, or in a sentence why it was not it that answered. */
type Context7Answer<Found> =
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'none'; readonly reason: string };

export interface Context7Docs {
  readonly library: string;
  readonly version: string | null;
  readonly snippets: readonly Context7Snippet[];
}

interface Context7EngineOptions {
  readonly find: FindContext7;
  readonly clock: Clock;
  /** How long one question to Context7 may take before the installed packages are asked instead. */
  readonly limitMs?: number;
}

const defaultLimitMs = 8_000;
/** After a failure it is left alone for this long, so that not every call waits for it in vain. */
const restMs = 60_000;
const maxReasonChars = 200;

/** Asks the Context7 server of the fleet. Its failures are answers, never exceptions. */
export class Context7Engine {
  readonly #options: Context7EngineOptions;
  #failure: { readonly at: number; readonly reason: string } | undefined;

  constructor(options: Context7EngineOptions) {
    this.#options = options;
  }

  /** The libraries Context7 finds for a name. */
  resolve(name: string, context: CallContext): Promise<Context7Answer<readonly Context7Library[]>> {
    return this.#ask<readonly Context7Library[]>(context, async (server, inner) => {
      const answer = await server.resolve({ name, query: name }, inner);
      const libraries = readLibraries(answer.text);
      if (libraries.length > 0) return { kind: 'found', found: libraries };
      return this.#nothing(answer, `Context7 knows no library "${name}"`);
    });
  }

  /** What Context7 has about a topic of a library, named by its own id or by that of a package. */
  docs(
    wanted: LibraryId,
    topic: string,
    context: CallContext,
  ): Promise<Context7Answer<Context7Docs>> {
    return this.#ask<Context7Docs>(context, async (server, inner) => {
      const { name, version } = wanted;
      if (isContext7Id(name))
        return this.#query(server, { library: name, version: null, topic }, inner);
      const answer = await server.resolve({ name, query: topic }, inner);
      const libraries = readLibraries(answer.text);
      const same = libraries.find((library) => isSameLibrary(library, name));
      if (!same) {
        const what = `Context7 has no library that is surely "${name}"`;
        return libraries.length > 0 ? { kind: 'none', reason: what } : this.#nothing(answer, what);
      }
      const exact = same.versions.find((one) => version !== undefined && isVersion(one, version));
      const library = exact === undefined ? same.id : `${same.id}/${exact}`;
      return this.#query(server, { library, version: exact ?? null, topic }, inner);
    });
  }

  async #query(
    server: Context7,
    wanted: { readonly library: string; readonly version: string | null; readonly topic: string },
    context: CallContext,
  ): Promise<Context7Answer<Context7Docs>> {
    const { library, version, topic } = wanted;
    const answer = await server.query({ library, query: topic }, context);
    const snippets = readSnippets(answer.text);
    if (snippets.length > 0) return { kind: 'found', found: { library, version, snippets } };
    return this.#nothing(answer, `Context7 has nothing about it in ${library}`);
  }

  /** Handles a text without a result: nothing found, or a failure reported as plain text. */
  #nothing(answer: Context7Text, otherwise: string): Context7Answer<never> {
    const text = answer.text.trim().slice(0, maxReasonChars);
    const isEmptyResult = /^No documentation|^Documentation not found|does not exist/.test(text);
    if (!answer.isError && (text === '' || isEmptyResult))
      return { kind: 'none', reason: otherwise };
    return this.#failed(`Context7 answered "${text}"`);
  }

  #failed(reason: string): Context7Answer<never> {
    this.#failure = { at: this.#options.clock.now(), reason };
    return { kind: 'none', reason };
  }

  async #ask<Found>(
    context: CallContext,
    question: (server: Context7, inner: CallContext) => Promise<Context7Answer<Found>>,
  ): Promise<Context7Answer<Found>> {
    const { find, clock, limitMs = defaultLimitMs } = this.#options;
    const failure = this.#failure;
    const restLeftMs = failure ? failure.at + restMs - clock.now() : 0;
    if (failure && restLeftMs > 0) {
      const seconds = Math.ceil(restLeftMs / 1_000);
      return { kind: 'none', reason: `${failure.reason}; it is asked again in ${seconds} s` };
    }
    const limit = { what: 'Context7', limitMs, signal: context.signal };
    try {
      return await withTimeLimit(limit, async (signal) => {
        const found = await find();
        if (found.kind === 'none')
          return { kind: 'none', reason: reasonForNoServer(found.unlisted) };
        return question(found.context7, { ...context, signal, progress: () => {} });
      });
    } catch (error) {
      context.signal.throwIfAborted();
      const text = error instanceof Error ? error.message : String(error);
      return this.#failed(`Context7 could not be asked: ${text.slice(0, maxReasonChars)}`);
    }
  }
}

function reasonForNoServer(unlisted: readonly string[]): string {
  const reason = 'no server of the fleet offers Context7';
  if (unlisted.length === 0) return reason;
  const names = unlisted.map((name) => `"${name}"`).join(', ');
  return `${reason}; not listed so far: ${names}`.slice(0, maxReasonChars);
}

/** `/org/project`, which no package of an ecosystem is called. */
export function isContext7Id(name: string): boolean {
  return /^\/[\w.@-]+\/[\w.@/-]+$/.test(name);
}

/** Its title, or the last part of its id, is the package's name: `/colinhacks/zod` for `zod`. */
function isSameLibrary({ id, title }: Context7Library, name: string): boolean {
  const wanted = plainName(name);
  return [title, id.split('/').at(-1) ?? '', id.split('/').slice(-2).join('/')].some(
    (one) => plainName(one) === wanted,
  );
}

function plainName(name: string): string {
  return normalizeName(name.replace(/^@/, '').replace(/\.js$/i, ''));
}

function isVersion(offered: string, wanted: string): boolean {
  return offered.replace(/^v/, '') === wanted.replace(/^v/, '');
}
