import { localCaller } from '../../contract/caller/index.ts';
import type { FeedbackEntry, Learned, LearnedWeek } from '../../contract/feedback/index.ts';
import { UsageError } from '../errors.ts';
import { type Invocation, limitOption, textOption, withSystem } from '../invocation.ts';
import { formatColumns, type ShowTime, timeShower } from '../output.ts';

const usualCount = 20;
const usualWeeks = 8;
const maxWeeks = 104;

/** `tutti feedback`: the latest; `tutti feedback RUN up|down [WHY…]`: an opinion about a run. */
export function runFeedback(invocation: Invocation): Promise<number> {
  const [run, verdict, ...words] = invocation.operands;
  if (run === undefined) return listFeedback(invocation);
  if (verdict !== 'up' && verdict !== 'down') {
    throw new UsageError('Feedback is "up" or "down": tutti feedback RUN up|down ["why"]');
  }
  return withSystem(invocation, {}, async ({ feedback }) => {
    const opinion = { about: { run }, isGood: verdict === 'up', reason: words.join(' ') };
    const given = await feedback.give(localCaller, opinion);
    invocation.output.result(given, () => describeGiven(given));
    return 0;
  });
}

export function describeGiven({ isGood, subject }: FeedbackEntry): string {
  return `Stored: ${isGood ? 'up' : 'down'} for ${subject.replace(':', ' ')}`;
}

function listFeedback(invocation: Invocation): Promise<number> {
  const limit = limitOption(invocation, usualCount);
  return withSystem(invocation, {}, async ({ feedback }) => {
    const given = await feedback.list(localCaller, { limit });
    const showTime = timeShower(invocation.io);
    invocation.output.result(given, () =>
      given.length === 0
        ? 'There is no feedback yet: tutti feedback RUN up|down ["why"]'
        : formatColumns(given.map((entry) => row(entry, showTime))),
    );
    return 0;
  });
}

function row(
  { givenAt, isGood, kind, subject, reason }: FeedbackEntry,
  showTime: ShowTime,
): string[] {
  const good = kind === 'opinion' ? 'up' : 'accepted';
  const bad = kind === 'opinion' ? 'down' : 'rejected';
  return [showTime(givenAt), isGood ? good : bad, subject, reason];
}

/** `tutti learned`: whether work gets better, week by week. */
export function runLearned(invocation: Invocation): Promise<number> {
  const text = textOption(invocation, 'weeks') ?? String(usualWeeks);
  const weeks = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (weeks < 1 || weeks > maxWeeks) {
    throw new UsageError(`--weeks wants a number from 1 to ${maxWeeks}, and got "${text}"`);
  }
  return withSystem(invocation, {}, async ({ feedback }) => {
    const learned = await feedback.learned(localCaller, { weeks });
    invocation.output.result(learned, () => learnedText(learned));
    return 0;
  });
}

const headings = [
  'week',
  'runs',
  'failed',
  'again',
  'cured',
  'recovered',
  'median to success',
  'up',
  'down',
  'accepted',
  'rejected',
];

function learnedText({ weeks, countedRuns, isComplete, failuresFrom }: Learned): string {
  const again =
    failuresFrom === 'runs'
      ? 'a task that failed before failed again'
      : 'an error that came up before';
  const notes = [
    `again: ${again}; recovered: a task that had failed succeeded.`,
    isComplete
      ? `${countedRuns} stored runs; those that were removed are not counted.`
      : `Only the latest ${countedRuns} runs are counted.`,
  ];
  return [formatColumns([headings, ...weeks.map(weekRow)]), '', ...notes].join('\n');
}

function weekRow(week: LearnedWeek): string[] {
  const { curedFailures, medianSecondsToSuccess: seconds } = week;
  return [
    week.week,
    String(week.runs),
    String(week.failures),
    String(week.repeatedFailures),
    curedFailures === null ? '–' : String(curedFailures),
    String(week.recoveries),
    seconds === null ? '–' : durationText(seconds),
    String(week.up),
    String(week.down),
    String(week.acceptedChanges),
    String(week.rejectedChanges),
  ];
}

function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  return seconds < 86_400
    ? `${(seconds / 3_600).toFixed(1)} h`
    : `${(seconds / 86_400).toFixed(1)} d`;
}
