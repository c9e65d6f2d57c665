export { answerDirectly, answerRun, summarizeTurns } from './answer-with-model.ts';
export {
  describeFailure,
  describeWaits,
  describeBadResults,
  describeResults,
  resultText,
  nextSteps,
  offeredSteps,
  sameVerbs,
} from './describe-results.ts';
export { type ReadFile, showCode, showWholeCode } from './show-code.ts';
export {
  createHiddenTexts,
  hideInResults,
  hideInValue,
  rememberResults,
  resultsOfRun,
  type StepResult,
} from './results-of-run.ts';
export { labelCode } from './label-code.ts';
export { findList, itemLine, placeOf, type ResultItem, type ResultList } from './result-items.ts';
