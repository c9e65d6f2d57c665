/** What people and the assistant say to each other all day. */
export const longTalkTurns: readonly string[] = [
  'Write a function that sorts users by name.',
  'Here is `sortUsers`; it uses a stable sort and leaves the input alone.',
  'Now add unit tests for the empty list and for duplicates.',
  'I added five tests; all of them pass.',
  'Review src/server.ts for problems.',
  'There are three findings: an unused import, a missing await and a long function.',
  'Fix the missing await.',
  'Done: `await` was added in handleRequest and the tests still pass.',
  'What does the circuit breaker do when the upstream is slow?',
  'It opens after five failures and tries again after thirty seconds.',
  'Format everything in lib/ with prettier.',
  'Formatted 14 files in lib/, nothing else changed.',
  'How complex is parseHeader?',
  'Its cyclomatic complexity is 17, mostly because of nested conditions.',
  'Split it into smaller functions then.',
  'It is now four functions, none above 6.',
  'Scan the dependencies for known vulnerabilities.',
  'One moderate advisory in an old version of minimist; updating fixes it.',
  'Explain the retry policy in plain words.',
  'A failed call is repeated up to three times, each time after a longer pause.',
  'Generate an OpenAPI description of the orders service.',
  'The description has 12 paths and validates.',
  'Why is the build slow?',
  'Most of the time goes into type checking; incremental builds would halve it.',
  'Add logging to the payment module.',
  'Every charge is now logged with its id and amount, never with card data.',
  'Rename fetchAll to listOrders.',
  'Renamed in 9 files, all references follow.',
];
/** Something somebody said once, a plain question about it, and one in other words. */
export const longTalkFacts: readonly (readonly [fact: string, plain: string, other: string])[] = [
  [
    'The staging database listens on port 5544.',
    'Which port does the staging database use?',
    'How do I connect to our pre-production Postgres?',
  ],
  [
    'My dog is called Biscuit, use that as the default test user.',
    'What is my dog called?',
    "What was my pet's name?",
  ],
  [
    'We have to ship the release on the 14th of March.',
    'When do we have to ship the release?',
    'What is our deadline?',
  ],
  [
    'The customer wants invoices in Swiss francs.',
    'In what do they want invoices?',
    'Which currency should the bills be in?',
  ],
  [
    'Our production cluster runs in Frankfurt, eu-central-1.',
    'Where does our production cluster run?',
    'In which region are we hosted?',
  ],
  [
    'Maria from the security team must approve every change to auth.',
    'Who must approve changes to auth?',
    'Whose sign-off do I need for login code?',
  ],
  [
    'The legacy importer may not be touched before the audit is over.',
    'When may the legacy importer be touched?',
    'Is there something I must not modify for the moment?',
  ],
  [
    'I am allergic to peanuts, so no peanut emojis in the UI.',
    'What am I allergic to?',
    "Which food can't I eat?",
  ],
  [
    'The API rate limit is 250 requests per minute for each key.',
    'What is the API rate limit?',
    'How many calls may a client make in a minute?',
  ],
  [
    'The secret project is named Kingfisher.',
    'What is the secret project named?',
    'What codename did we choose?',
  ],
];
