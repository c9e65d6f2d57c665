import { aPlan, type Behaviour } from './behaviour.ts';
import { answers, inTurn, sends } from './wire-server.ts';

const exact = JSON.stringify(aPlan);
const says = (text: string, reason?: string): Pick<Behaviour, 'serve' | 'ask' | 'requests'> => ({
  serve: answers(text, reason),
  ask: 'plan',
  requests: 1,
});
const isPlan = { value: aPlan, attempts: 1 };
const repaired = { value: aPlan, attempts: 2 };

/** JSON as models write it when they are asked for a plan. */
export const jsonBehaviours: readonly Behaviour[] = [
  { name: 'JSON and nothing else', ...says(exact), outcome: isPlan },
  { name: 'JSON in a fence', ...says(`\`\`\`json\n${exact}\n\`\`\``), outcome: isPlan },
  { name: 'JSON in a fence that is never closed', ...says(`\`\`\`\n${exact}`), outcome: isPlan },
  {
    name: 'JSON in prose',
    ...says(`Sure! Here is {the} plan:\n${exact}\nAnything else?`),
    outcome: isPlan,
  },
  {
    name: 'JSON after thinking with JSON in it',
    ...says(`<think>{"goal": "no", "steps": []}</think>${exact}`),
    outcome: isPlan,
  },
  {
    name: 'JSON after thinking whose beginning is missing',
    ...says(`maybe {"goal": "no", "steps": []}?</think>${exact}`),
    outcome: isPlan,
  },
  {
    name: 'several values, of which one fits',
    ...says(`{"note": 1}\n${exact}\n{"other": [1]}`),
    outcome: isPlan,
  },
  {
    name: 'a draft and then the answer',
    ...says(`{"goal": "draft", "steps": []}\nBetter:\n${exact}`),
    outcome: isPlan,
  },
  {
    name: 'commas too many',
    ...says('{"goal": "tidy up", "steps": ["format", "test",],}'),
    outcome: isPlan,
  },
  {
    name: 'single quotes',
    ...says("{'goal': 'tidy up', 'steps': ['format', 'test']}"),
    outcome: isPlan,
  },
  {
    name: 'comments',
    ...says('{"goal": "tidy up", // the goal\n "steps": ["format", /* two */ "test"]}'),
    outcome: isPlan,
  },
  { name: 'bare keys', ...says('{goal: "tidy up", steps: ["format", "test"]}'), outcome: isPlan },
  {
    name: 'Python literals',
    ...says("{'goal': 'tidy up', 'done': False, 'note': None, 'steps': ['format', 'test']}"),
    outcome: isPlan,
  },
  {
    name: 'a line break in a string',
    ...says('{"goal": "tidy\nup", "steps": []}'),
    outcome: { value: { goal: 'tidy\nup', steps: [] } },
  },
  { name: 'a byte order mark', ...says(`\uFEFF${exact}`), outcome: isPlan },
  { name: 'JSON in a JSON string', ...says(JSON.stringify(exact)), outcome: isPlan },
  {
    name: 'JSON with escaped quotes',
    ...says(exact.replaceAll('"', String.raw`\"`)),
    outcome: isPlan,
  },
  { name: 'JSON wrapped in an answer', ...says(`{"plan": ${exact}}`), outcome: isPlan },
  { name: 'JSON in a list of one', ...says(`[${exact}]`), outcome: isPlan },
  {
    name: 'a forgotten bracket at the end',
    ...says('{"goal": "tidy up", "steps": ["format", "test"]'),
    outcome: isPlan,
  },
  {
    name: 'JSON cut off at the limit of tokens, then all of it',
    ask: 'plan',
    serve: inTurn(answers('{"goal": "tidy up", "steps": ["format"', 'length'), answers(exact)),
    outcome: repaired,
    requests: 2,
  },
  {
    name: 'another shape, then the right one',
    ask: 'plan',
    serve: inTurn(answers('{"goal": "tidy up"}'), answers(exact)),
    outcome: repaired,
    requests: 2,
  },
  {
    name: 'a string that breaks off, then all of it',
    ask: 'plan',
    serve: inTurn(answers('{"goal": "tidy'), answers(exact)),
    outcome: repaired,
    requests: 2,
  },
  {
    name: 'another shape, twice',
    ask: 'plan',
    serve: answers('{"goal": 5}'),
    outcome: { code: 'models.unusable_answer', says: /steps/ },
    requests: 2,
  },
  {
    name: 'prose, twice',
    ask: 'plan',
    serve: answers('I cannot do that.'),
    outcome: { code: 'models.unusable_answer', says: /no JSON/ },
    requests: 2,
  },
  {
    name: 'a filter, twice',
    ask: 'plan',
    serve: answers('{', 'content_filter'),
    outcome: { code: 'models.unusable_answer', says: /filter/ },
    requests: 2,
  },
  {
    name: 'ten thousand opened brackets',
    ask: 'plan',
    serve: answers('['.repeat(10_000)),
    outcome: { code: 'models.unusable_answer' },
    requests: 2,
  },
  {
    name: 'ten thousand levels of proper JSON',
    ask: 'plan',
    serve: answers(`${'{"a":'.repeat(1_600)}1${'}'.repeat(1_600)}`),
    outcome: { code: 'models.unusable_answer' },
    requests: 2,
  },
  {
    name: 'a server that takes no response format',
    ask: 'plan',
    serve: (exchange) =>
      ('response_format' in exchange.body
        ? sends(400, { error: { message: 'response_format is not supported' } })
        : answers(exact))(exchange),
    outcome: isPlan,
    requests: 2,
  },
  {
    name: 'a server that refuses a response format without naming it',
    ask: 'plan',
    serve: (exchange) =>
      ('response_format' in exchange.body
        ? sends(422, { detail: 'unprocessable' })
        : answers(exact))(exchange),
    outcome: isPlan,
    requests: 2,
  },
];
