export { answerDirectly, answerRun } from './answer-with-model.ts';
export { describeFailure, describeWaits } from './describe-failure.ts';
export { describeResults, showCode } from './describe-results.ts';
export { rememberResults } from './remember-results.ts';
export { resultsOfRun, type StepResult } from './results-of-run.ts';
export { summarizeTurns } from './summarize-turns.ts';
