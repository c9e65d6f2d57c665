import type { Doubt } from './deciding/doubts.ts';
import type { Missing } from './deciding/drafting.ts';
import type { Capability } from './reading/wish.ts';

const maxQuestions = 3;

/** What each capability does, as part of a sentence: "There is no tool here that can …". */
export const deeds: Readonly<Record<Capability, string>> = {
  spec: 'write a specification',
  code: 'write code',
  tests: 'write tests',
  review: 'review code',
  read: 'read a file',
  write: 'write a file',
  runTests: 'run tests',
  createIssue: 'create an issue',
  listIssues: 'list issues',
  pullRequest: 'open a pull request',
  message: 'post a message',
  email: 'send an e-mail',
  search: 'search the web',
  summary: 'summarize a text',
  format: 'format code',
  complexity: 'measure complexity',
  imports: 'draw the import graph',
  secrets: 'look for secrets',
  securityScan: 'scan for security weaknesses',
  vulnerabilities: 'look for vulnerable packages',
  runCode: 'run a program',
  docs: 'look into the documentation of a library',
  standard: 'tell the coding standard',
  fixes: 'apply safe fixes',
  status: 'tell how the servers are doing',
};

/** One to three questions that, answered, make a plan possible. */
export function questionsFor(missing: readonly Missing[]): readonly string[] {
  const questions = missing.map((one) => questionFor(one));
  return [...new Set(questions)].slice(0, maxQuestions);
}

function questionFor(missing: Missing): string {
  switch (missing.what) {
    case 'code':
      return missing.capability === 'code'
        ? 'Which code is to be changed? Attach the file, paste the code or name its path.'
        : `Which code is it about? To ${deeds[missing.capability]} I need it: attach the file, paste the code or name its path.`;
    case 'which code':
      return 'The conversation holds several pieces of code. Which one do you mean, or all of them?';
    case 'purpose':
      return missing.capability === 'spec'
        ? 'What is to be specified? Describe in a sentence or two what it should do.'
        : 'What should the program do? Describe in a sentence or two what goes in and what comes out.';
    case 'path':
      return 'Which file is to be read? Name its path.';
    case 'reader':
      return 'No tool here reads files. Can you attach the file, or paste what is in it?';
    case 'subject':
      return `What do you want me to work on? Nothing in this conversation tells what to ${deeds[missing.capability]} from.`;
    case 'tool':
      return `There is no tool here that can ${deeds[missing.capability]}. Shall I plan the rest without it?`;
  }
}

export function questionOfLanguages(languages: readonly string[]): string {
  return `In which language: ${languages.join(' or ')}?`;
}

/** Whether the plan is what was meant, and why that is not certain. */
export function questionsOfDoubt(
  doubts: readonly Doubt[],
  steps: readonly { readonly capability: Capability }[],
): readonly string[] {
  const plan = steps.map(({ capability }) => deeds[capability]).join(', then ');
  const reasons = [...new Set(doubts.map((doubt) => reasonOf(doubt)))].slice(0, 2);
  return [`Did you mean: ${plan}? ${reasons.join(' ')}`.trim()];
}

function reasonOf(doubt: Doubt): string {
  switch (doubt.why) {
    case 'unread':
      return `I could not place "${doubt.part}".`;
    case 'unheard':
      return `The message sounds as if I should also ${deeds[doubt.capability]}.`;
    case 'path':
      return `It is not clear what to do with ${doubt.path}.`;
    case 'negation':
      return 'It is not clear what is to be left out.';
    case 'count':
      return `It is not clear how often to ${deeds[doubt.capability]}.`;
    case 'vague':
      return 'Not much in the message says so.';
  }
}

export const openQuestion =
  'What do you want to have done: code, tests, a review, a specification? Say in a sentence what it is about.';
