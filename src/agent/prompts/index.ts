export {
  createDataBlocks,
  cutMiddle,
  cutWords,
  type DataBlocks,
  readPrompt,
} from './read-prompt.ts';
