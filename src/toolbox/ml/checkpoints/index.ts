export {
  checkFolder,
  FolderWriter,
  hashFile,
  isPlainName,
  keepNewest,
  listSteps,
  removePartial,
  stepFolderName,
  type FileWriter,
  type StoredFolder,
} from './checkpoint-folder.ts';
export { FrameReader, type FrameListener } from './read-frames.ts';
