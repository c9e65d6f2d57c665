export type { ArtifactIndex, ArtifactMaker } from './artifact-index.ts';
export { openArtifacts } from './open-artifacts.ts';
export { createModelStore } from './models/create-model-store.ts';
export type { ModelIndex } from './models/model-index.ts';
