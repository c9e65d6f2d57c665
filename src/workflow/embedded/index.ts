export {
  defaultEngineLimits,
  type EmbeddedEngine,
  type EmbeddedEngineParts,
  type EngineLimits,
  type RunEnd,
} from './embedded-engine.ts';
export { openEmbeddedEngine } from './open-embedded-engine.ts';
