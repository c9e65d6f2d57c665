export { createEmbeddedEngine } from './embedded/embedded-engine.ts';
export type { EngineContext } from './run-trainer.ts';
export {
  createPythonEngine,
  systemPython,
  type PythonEnvironment,
} from './python/python-engine.ts';
export { createGgufEngine } from './gguf/gguf-engine.ts';
