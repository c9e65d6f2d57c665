export {
  isOwn,
  ownWords,
  splitPastes,
  turnInOwnWords,
  withoutPastes,
  plainLanguage,
} from './own-words.ts';
export { questionsAbout, readIntent, type ClarificationRules } from './read-intent.ts';
export { readSchedule } from './read-schedule.ts';
export { readExclusions, type Exclusions } from './read-exclusions.ts';
export { splitCode } from './split-code.ts';
