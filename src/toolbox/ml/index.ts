export {
  createEmbeddedEngine,
  createGgufEngine,
  createPythonEngine,
  systemPython,
  type PythonEnvironment,
} from './engines/index.ts';
export type { MlParts } from './ml-ports.ts';
export { createMlServer } from './ml-server.ts';
