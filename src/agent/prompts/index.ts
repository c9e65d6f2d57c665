export { createDataBlocks, cutMiddle, cutWords, type DataBlocks } from './data-block.ts';
export { readPrompt } from './read-prompt.ts';
