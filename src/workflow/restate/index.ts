export { createRestateEngine } from './create-restate-engine.ts';
export { examineRestate } from './examine-restate.ts';
export {
  defaultRestateLimits,
  restateMaxParallel,
  type RestateEngine,
  type RestateLimits,
  type RestateWorker,
} from './restate-engine.ts';
