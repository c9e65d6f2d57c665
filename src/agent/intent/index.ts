export { isOwn, ownWords, splitPastes, turnInOwnWords, withoutPastes } from './own-words.ts';
export { plainLanguage } from './plain-language.ts';
export { questionsAbout, readIntent, type ClarificationRules } from './read-intent.ts';
