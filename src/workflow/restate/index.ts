export { createRestateEngine } from './create-restate-engine.ts';
export { examineRestate } from './restate-client.ts';
export {
  defaultRestateLimits,
  restateMaxParallel,
  type RestateEngine,
  type RestateLimits,
  type RestateWorker,
} from './restate-engine.ts';
