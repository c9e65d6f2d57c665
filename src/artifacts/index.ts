export type { ArtifactIndex, ArtifactMaker } from './artifact-index.ts';
export { openArtifacts } from './open-artifacts.ts';
