import { evidenceKinds, type ChoiceRequest, type Outcome } from '../../contract/agents/index.ts';
import { agentsLimits } from '../agents-limits.ts';
import { InvalidChoiceError, NoCandidatesError } from '../errors.ts';

export function checkRequest({ task, candidates }: ChoiceRequest): void {
  if (candidates.length === 0) throw new NoCandidatesError(task.capability);
  const { maxCandidates, maxNameLength } = agentsLimits;
  if (candidates.length > maxCandidates) {
    throw new InvalidChoiceError(
      `there are ${candidates.length} candidates, and there may be ${maxCandidates}`,
    );
  }
  const names = candidates.map(({ agent, version }) => `${agent}@${version}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new InvalidChoiceError(`"${twice}" is a candidate twice`);
  const texts = [...names, ...Object.values(task).filter((value) => typeof value === 'string')];
  const long = texts.find((text) => text.length > 2 * maxNameLength);
  if (long !== undefined) {
    throw new InvalidChoiceError(`"${long.slice(0, maxNameLength)}…" is too long`);
  }
  for (const [index, { health, load, costUsd = 0, latencyMs = 0 }] of candidates.entries()) {
    const name = names[index] ?? '';
    checkPart(health, `health of "${name}"`);
    checkPart(load, `load of "${name}"`);
    checkAmount(costUsd, `cost of "${name}"`);
    checkAmount(latencyMs, `latency of "${name}"`);
  }
}

export function checkOutcome({ success, evidence, costUsd = 0, durationMs = 0 }: Outcome): void {
  checkPart(success, 'success');
  checkAmount(costUsd, 'cost');
  checkAmount(durationMs, 'duration');
  if (!evidenceKinds.includes(evidence)) {
    throw new InvalidChoiceError(`the evidence must be one of ${evidenceKinds.join(', ')}`);
  }
}

function checkPart(value: number, what: string): void {
  if (!(value >= 0 && value <= 1)) {
    throw new InvalidChoiceError(`the ${what} is ${value}, and must be from 0 to 1`);
  }
}

function checkAmount(value: number, what: string): void {
  if (!(value >= 0 && value < Infinity)) {
    throw new InvalidChoiceError(`the ${what} is ${value}, and must not be below 0`);
  }
}
