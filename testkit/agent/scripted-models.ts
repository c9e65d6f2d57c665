import type {
  ModelCall,
  ModelDescription,
  ModelRequest,
  Models,
  ModelText,
  ModelUsage,
  ModelValue,
  StructuredRequest,
} from '../../src/contract/model/index.ts';
import { AppError } from '../../src/kernel/index.ts';

export class ScriptedModelError extends AppError {
  override readonly code: string;

  constructor(code: string, message = `scripted: ${code}`) {
    super(message);
    this.code = code;
  }
}

export interface Asked {
  /** `intent`, `plan`, `arguments`, `text`. */
  readonly name: string;
  readonly prompt: string;
  readonly call: ModelCall;
}

/** What a model answers, at once or later: JSON for structured requests, else text; an error is thrown. */
export type Script = (asked: Asked, count: number) => unknown;

const usage: ModelUsage = { inputTokens: 1, outputTokens: 1, isEstimated: true, costUsd: null };

/** A model that says what the test tells it to. */
export class ScriptedModels implements Pick<
  Models,
  'find' | 'text' | 'structured' | 'linkBudgets'
> {
  readonly asked: Asked[] = [];
  readonly links: string[] = [];
  readonly #script: Script | null;

  constructor(script: Script | null) {
    this.#script = script;
  }

  async find(): Promise<ModelDescription | null> {
    if (!this.#script) return null;
    return {
      name: 'test/scripted',
      provider: 'openai',
      model: 'scripted',
      url: null,
      source: 'configured',
      roles: { agent: 1 },
      contextTokens: null,
      isReachable: true,
    };
  }

  async text(_role: string, request: ModelRequest, call: ModelCall): Promise<ModelText> {
    const text = String(await this.#answer('text', request, call));
    for (const piece of text.match(/.{1,20}/gs) ?? []) call.onText?.(piece);
    return { text, finish: 'stop', model: 'test/scripted', usage };
  }

  async structured<Value>(
    _role: string,
    request: StructuredRequest<Value>,
    call: ModelCall,
  ): Promise<ModelValue<Value>> {
    const parsed = request.schema.safeParse(await this.#answer(request.name, request, call));
    if (!parsed.success) throw new ScriptedModelError('models.unusable_answer');
    return { value: parsed.data, model: 'test/scripted', usage, attempts: 1 };
  }

  async linkBudgets(_caller: unknown, child: string, parent: string): Promise<void> {
    this.links.push(`${child} → ${parent}`);
  }

  promptsOf(name: string): string[] {
    return this.asked.filter((one) => one.name === name).map(({ prompt }) => prompt);
  }

  async #answer(name: string, { messages }: ModelRequest, call: ModelCall): Promise<unknown> {
    call.signal.throwIfAborted();
    const prompt = messages.map(({ content }) => content).join('\n\n');
    const asked = { name, prompt, call };
    const count = this.asked.filter((one) => one.name === name).length;
    this.asked.push(asked);
    const answer = await this.#script?.(asked, count);
    if (answer instanceof Error) throw answer;
    return answer;
  }
}
