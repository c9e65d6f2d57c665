import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import type { Contender, Durability } from '../contender.ts';
import type { Scenario, StepCounter } from '../scenarios.ts';

/**
 * LangGraph.js with its SQLite checkpointer. One node that is run again for every layer, and by `Send`
 * once for every step of a layer: other shapes were not tried. `sync`:
 * a step begins after the one before was saved, as everywhere here.
 */
export const contender: Contender = {
  name: 'LangGraph.js 1.4.18, SQLite',
  async open({ durability, folder, counter }) {
    const database = openDatabase(join(folder, 'checkpoints.db'), durability);
    // The saver asks for better-sqlite3, which has to be compiled; node:sqlite is the same SQLite that we use.
    const saver = new SqliteSaver(database as never);
    let thread = 0;
    return {
      pids: [],
      run: async (scenario) => {
        const graph = graphOf(scenario, counter).compile({ checkpointer: saver });
        const runs = Array.from({ length: scenario.runs }, () =>
          graph.invoke(
            { layer: 0, values: [] },
            {
              configurable: { thread_id: String((thread += 1)) },
              recursionLimit: 3 * scenario.layers.length + 10,
              durability: 'sync',
            },
          ),
        );
        await Promise.all(runs);
      },
      close: async () => database.close(),
    };
  },
};

const State = Annotation.Root({
  layer: Annotation<number>,
  /** The values of the latest steps; all values would be saved again with every step. */
  values: Annotation<number[]>({ reducer: (_, latest) => latest, default: () => [] }),
  count: Annotation<number>({ reducer: (sum, more) => sum + more, default: () => 0 }),
});

function graphOf({ layers }: Scenario, counter: StepCounter) {
  const isWide = layers.some((width) => width > 1);
  if (!isWide) {
    return new StateGraph(State)
      .addNode('step', ({ layer }) => ({
        layer: layer + 1,
        values: [counter.step(layer).n],
        count: 1,
      }))
      .addEdge(START, 'step')
      .addConditionalEdges('step', ({ layer }) => (layer < layers.length ? 'step' : END));
  }
  const fanOut = ({ layer }: { layer: number }) =>
    layer < layers.length
      ? Array.from({ length: layers[layer] ?? 0 }, (_, n) => new Send('step', { n }))
      : END;
  return new StateGraph(State)
    .addNode('step', (task: unknown) => {
      counter.step((task as { n: number }).n);
      return { count: 1 };
    })
    .addNode('gather', ({ layer }) => ({ layer: layer + 1 }))
    .addConditionalEdges(START, fanOut, ['step', END])
    .addEdge('step', 'gather')
    .addConditionalEdges('gather', fanOut, ['step', END]);
}

type Bound = string | number | Uint8Array | null | undefined;
const orNull = (value: Bound): Exclude<Bound, undefined> => value ?? null;

/** What the saver uses of better-sqlite3. */
function openDatabase(path: string, durability: Durability) {
  const database = new DatabaseSync(path);
  const pragma = (text: string): unknown => database.prepare(`PRAGMA ${text}`).all();
  pragma('journal_mode = WAL');
  pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
  // The saver prepares its statements anew for every call; here they are kept.
  const prepared = new Map<string, StatementSync>();
  return {
    prepare: (sql: string) => {
      const statement = prepared.get(sql) ?? database.prepare(sql);
      prepared.set(sql, statement);
      return {
        run: (...values: Bound[]) => statement.run(...values.map(orNull)),
        get: (...values: Bound[]) => statement.get(...values.map(orNull)),
        all: (...values: Bound[]) => statement.all(...values.map(orNull)),
      };
    },
    exec: (sql: string) => database.exec(sql),
    pragma,
    transaction:
      <Args extends unknown[]>(work: (...args: Args) => void) =>
      (...args: Args): void => {
        database.exec('BEGIN');
        work(...args);
        database.exec('COMMIT');
      },
    close: () => database.close(),
  };
}
