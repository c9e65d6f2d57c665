export type { ArtifactIndex, ArtifactMaker } from './open-artifacts.ts';
export { openArtifacts } from './open-artifacts.ts';
export { createModelStore } from './models/create-model-store.ts';
export type { ModelIndex } from './models/create-model-store.ts';
