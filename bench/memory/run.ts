import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localCaller } from '../../src/contract/caller/index.ts';
import type { MemoryFound } from '../../src/contract/memory/index.ts';
import { silentLog } from '../../src/kernel/index.ts';
import { createMemorySearch, type RankingParts } from '../../src/memory/index.ts';
import {
  createCachedEmbedder,
  createLocalEmbedder,
  type Embedder,
} from '../../src/models/index.ts';
import { traceLimits } from '../../src/observe/index.ts';
import { openStore } from '../../src/store/index.ts';
import { fillStore } from './fill.ts';
import {
  generateConversations,
  type Conversation,
  type Half,
  type QuestionKind,
  type SampleQuestion,
} from './generate.ts';
import { measureScale } from './scale.ts';

/** Conversations of another seed are others of the same subjects. */
const seed = 21;
/** `node bench/memory/run.ts tuning` leaves the other half put away. */
const halves = (['tuning', 'held-out'] as const).filter(
  (half) => process.argv.length < 3 || process.argv.includes(half),
);
const hitsWanted = 10;
const dayMs = 86_400_000;
const maxVectors = 32_768;
const { signal } = new AbortController();

const off = { words: false, meaning: false, neighbours: false, rerank: false };
const ablation: Readonly<Record<string, RankingParts>> = {
  BM25: { ...off, words: true },
  vectors: { ...off, meaning: true },
  both: { ...off, words: true, meaning: true },
  '+ neighbours': { ...off, words: true, meaning: true, neighbours: true },
  '+ re-rank': { words: true, meaning: true, neighbours: true, rerank: true },
};
const goals = { recall: 0.85, overWords: 1.2, outdated: 0.01, unanswerable: 0.9 };

interface Answer {
  readonly question: SampleQuestion;
  /** Share of the evidence among the hits. */
  readonly recall: number;
  /** An outdated turn or fact is among the hits and not marked. */
  readonly isOutdated: boolean;
  readonly isAnswerable: boolean;
}

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'tutti-bench-'));
  const local = createLocalEmbedder();
  // Kept for the next run: computing them takes minutes.
  const path = process.env['TUTTI_BENCH_VECTORS'] ?? join(tmpdir(), 'tutti-bench-memory.vectors');
  const embedder = createCachedEmbedder(local, { path, log: silentLog, maxVectors });
  let isGood = true;
  try {
    // First, while there is nothing else in memory.
    if (halves.length > 1) isGood = await measureScale({ embedder: local, home });
    for (const half of halves) {
      const conversations = generateConversations(half, seed);
      isGood = (await measureHalf(half, conversations, { embedder, home })) && isGood;
    }
  } finally {
    await embedder.close();
    rmSync(home, { recursive: true, force: true });
  }
  process.exitCode = isGood ? 0 : 1;
}

interface Bench {
  readonly embedder: Embedder;
  readonly home: string;
}

async function measureHalf(
  half: Half,
  conversations: readonly Conversation[],
  bench: Bench,
): Promise<boolean> {
  const turns = conversations.reduce((sum, it) => sum + it.turns.length, 0);
  const questions = conversations.reduce((sum, it) => sum + it.questions.length, 0);
  console.log(
    `\n${half}: ${conversations.length} conversations, ${turns} turns, ${questions} questions`,
  );
  const answers = new Map<string, Answer[]>(Object.keys(ablation).map((name) => [name, []]));
  for (const conversation of conversations) {
    const store = openStore({ home: join(bench.home, conversation.id), traceLimits });
    await fillStore(store, conversation, bench.embedder);
    const nowMs = Date.parse(conversation.turns.at(-1)?.at ?? '') + dayMs;
    for (const [name, parts] of Object.entries(ablation)) {
      const search = createMemorySearch({
        store: store.memoryItems,
        embed: bench.embedder.embed.bind(bench.embedder),
        clock: { now: () => nowMs },
        log: silentLog,
        parts,
      });
      for (const question of conversation.questions) {
        const query = { caller: localCaller, text: question.text, limit: hitsWanted, signal };
        answers.get(name)?.push(grade(question, await search(query)));
      }
    }
    store.close();
  }
  return report(answers);
}

function grade(question: SampleQuestion, { hits, isAnswerable }: MemoryFound): Answer {
  const found = hits.flatMap(({ item, receipt }) =>
    item.source.kind === 'turn' ? [{ turn: item.source.turn, receipt }] : [],
  );
  const { evidence, outdated } = question;
  const right = evidence.filter((number) => found.some(({ turn }) => turn === number));
  return {
    question,
    recall: evidence.length === 0 ? 0 : right.length / evidence.length,
    isOutdated: found.some(
      ({ turn, receipt }) => outdated.includes(turn) && receipt.isSuperseded !== true,
    ),
    isAnswerable,
  };
}

function report(answers: ReadonlyMap<string, readonly Answer[]>): boolean {
  const kinds: readonly QuestionKind[] = ['single', 'when', 'month', 'multi', 'update', 'past'];
  console.log(`recall@10    ${['all', ...kinds].map((name) => name.padStart(8)).join('')}`);
  for (const [name, given] of answers) {
    const cells = [
      recallOf(given),
      ...kinds.map((kind) => recallOf(given.filter(({ question }) => question.kind === kind))),
    ];
    console.log(`${name.padEnd(13)}${cells.map((it) => it.toFixed(3).padStart(8)).join('')}`);
  }
  const whole = answers.get('+ re-rank') ?? [];
  const recall = recallOf(whole);
  const overWords = recall / recallOf(answers.get('BM25') ?? []);
  const updates = whole.filter(({ question }) => question.kind === 'update');
  const outdated = shareOf(updates, ({ isOutdated }) => isOutdated);
  const [unanswerable, answerable] = [true, false].map((isNone) =>
    whole.filter(({ question }) => (question.kind === 'unanswerable') === isNone),
  );
  const recognised = shareOf(unanswerable ?? [], ({ isAnswerable }) => !isAnswerable);
  const doubted = shareOf(answerable ?? [], ({ isAnswerable }) => !isAnswerable);
  console.log(`answerable questions that are doubted: ${percent(doubted)}`);
  return [
    check('evidence recall@10', recall >= goals.recall, recall.toFixed(3), goals.recall),
    check('× BM25 alone', overWords >= goals.overWords, overWords.toFixed(2), goals.overWords),
    check('superseded as current', outdated <= goals.outdated, percent(outdated), goals.outdated),
    check(
      'unanswerable recognised',
      recognised >= goals.unanswerable,
      percent(recognised),
      goals.unanswerable,
    ),
  ].every(Boolean);
}

function recallOf(answers: readonly Answer[]): number {
  const asked = answers.filter(({ question }) => question.kind !== 'unanswerable');
  return asked.reduce((sum, { recall }) => sum + recall, 0) / Math.max(1, asked.length);
}

function shareOf(answers: readonly Answer[], isSo: (answer: Answer) => boolean): number {
  return answers.filter(isSo).length / Math.max(1, answers.length);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function check(what: string, isGood: boolean, value: string, goal: number): boolean {
  console.log(`${isGood ? 'ok  ' : 'MISS'} ${what}: ${value} (goal ${goal})`);
  return isGood;
}

if (import.meta.main) await main();
