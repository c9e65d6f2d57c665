export {
  createEmbeddedEngine,
  createGgufEngine,
  createPythonEngine,
  systemPython,
} from './engines/index.ts';
export { usableEnvironments } from './environment/usable-environments.ts';
export type { MlParts } from './ml-ports.ts';
export { createMlServer } from './ml-server.ts';
