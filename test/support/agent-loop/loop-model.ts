import { LLMock } from '@copilotkit/aimock';

/** What a model says in one conversation: an intent, and what it makes of the results after each round. */
export interface LoopScript {
  readonly intent: object;
  /** By the number of rounds it is shown; the last one stands for all that follow. A text is sent as it is. */
  readonly looks: readonly (object | string | ((prompt: string) => object | string))[];
}

/**
 * A model on a socket. What it answers depends on the request alone, so that a process that was killed and another that
 * goes on for it hear the same.
 */
export class LoopModel {
  readonly requests: { readonly kind: string; readonly prompt: string }[] = [];
  readonly #mock = new LLMock({ port: 0 });
  #script: (prompt: string) => LoopScript | undefined = () => undefined;
  /** What it answers when it is asked for code. */
  code: object | undefined;
  /** Called before a request is answered. */
  onRequest: (kind: string, count: number) => void = () => {};

  async start(): Promise<void> {
    this.#mock.on({ predicate: () => true }, ({ messages }) => this.#answer(messages));
    await this.#mock.start();
  }

  get url(): string {
    return `${this.#mock.url}/v1`;
  }

  /** The same for every conversation, or what the words of the conversation ask for. */
  play(script: LoopScript | ((prompt: string) => LoopScript | undefined)): void {
    this.#script = typeof script === 'function' ? script : () => script;
    this.requests.length = 0;
    this.onRequest = () => {};
  }

  count(kind: string): number {
    return this.requests.filter((request) => request.kind === kind).length;
  }

  stop(): Promise<void> {
    return this.#mock.stop();
  }

  #answer(messages: readonly { readonly content: unknown }[]): { content: string } {
    const texts = messages.map(({ content }) =>
      typeof content === 'string' ? content : JSON.stringify(content),
    );
    const [instructions = ''] = texts;
    const prompt = texts.join('\n');
    const kind = kindOf(instructions);
    this.requests.push({ kind, prompt });
    this.onRequest(kind, this.count(kind));
    const script = this.#script(prompt);
    if (kind === 'intent') return { content: JSON.stringify(script?.intent) };
    if (kind === 'code') return { content: JSON.stringify(this.code) };
    if (kind === 'text') return { content: 'I did what you asked for.' };
    const looks = script?.looks ?? [];
    const rounds = prompt.match(/^Round \d+: /gm)?.length ?? 0;
    const look = looks[Math.min(rounds, looks.length) - 1] ?? '';
    const said = typeof look === 'function' ? look(prompt) : look;
    return { content: typeof said === 'string' ? said : JSON.stringify(said) };
  }
}

function kindOf(instructions: string): string {
  if (instructions.startsWith('You read a message')) return 'intent';
  if (instructions.startsWith('You work on a request')) return 'look';
  if (/^You (write|repair)/.test(instructions)) return 'code';
  return instructions.startsWith('You turn a goal') ? 'plan' : 'text';
}

/** The intent of an open-ended request that begins with these steps. */
export function openEnded(goal: string, steps: readonly object[], more: object = {}): object {
  const tools = steps.map((step) => Object(step).tool);
  const said = { primary_goal: goal, tools_needed: tools, confidence: 0.95, steps };
  return { ...said, open_ended: true, changes_files: true, ...more };
}

export function nextRound(...steps: readonly object[]): object {
  return { done: false, answer: '', not_solved: [], steps };
}

export function finish(answer: string, ...notSolved: readonly string[]): object {
  return { done: true, answer, not_solved: notSolved, steps: [] };
}
