import type { ModelRole } from '../../contract/model/index.ts';

/** Names of models that do not write text. */
const otherPurpose = /embed|rerank|whisper|tts|clip|minilm|bge-|guard|vision-only/iu;
const forCode = /code|coder|starcoder|codestral|deepseek|devstral/iu;
const forTalk = /instruct|chat|-it\b|mistral|qwen|llama|gemma|phi|gpt/iu;

/** The model of an endpoint that suits a role best; among equals the first the endpoint names. */
export function chooseModel(models: readonly string[], role: ModelRole): string | null {
  const writers = models.filter(writesText);
  const [best] = writers
    .map((name, index) => ({ name, index, score: scoreOf(name, role) }))
    .toSorted((a, b) => b.score - a.score || a.index - b.index);
  return best?.name ?? null;
}

/** Whether a model answers in text, going by its name. */
export function writesText(name: string): boolean {
  return !otherPurpose.test(name);
}

function scoreOf(name: string, role: ModelRole): number {
  const codes = forCode.test(name) ? 1 : 0;
  const talks = forTalk.test(name) ? 1 : 0;
  return role === 'code' ? 2 * codes + talks : 2 * talks - codes;
}
