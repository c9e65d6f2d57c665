export { createMemory, type MemoryOptions, type RedactableMemory } from './create-memory.ts';
export { createMemoryItems } from './items/create-memory-items.ts';
export type { CopyStore, ForgottenWords, WordsOfItems } from './items/copy-store.ts';
export { createExperience, type ExperienceParts } from './experience/create-experience.ts';
export type {
  ExperienceStore,
  FixRecord,
  FixUse,
  LearnedFix,
  StoredFailure,
} from './experience/experience-store.ts';
export type { Embed } from './converse/recall.ts';
export type { PreferenceChange, PreferenceStore, StoredPreference } from './preference-store.ts';
export type {
  Acquired,
  SessionChange,
  SessionHolder,
  SessionLease,
  SessionOwner,
  SessionStore,
} from './session-store.ts';
export type {
  MemoryItemChange,
  MemoryItemCounts,
  MemoryItemStore,
  MemoryPage,
  MemorySearch,
  NeighbourItem,
  NewMemoryItem,
  PendingVector,
  ScoredItem,
} from './items/memory-item-store.ts';
export { createContexts } from './contexts/create-contexts.ts';
export type {
  AddedContext,
  AddResult,
  ContextLimits,
  ContextReference,
  ContextShare,
  ContextStore,
} from './contexts/context-store.ts';
export { createFeedback } from './feedback/create-feedback.ts';
export type { FeedbackStore } from './feedback/create-feedback.ts';
export { createMemorySearch, type RankingParts } from './search/create-memory-search.ts';
