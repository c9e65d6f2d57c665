import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Contender } from '../contender.ts';

/** One row, one commit for every step, and nothing else: what writing a journal costs at least without grouping. */
export const floor: Contender = {
  name: 'floor: an insert and a commit per step',
  async open({ durability, folder, counter }) {
    const database = new DatabaseSync(join(folder, 'floor.db'));
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'};
       PRAGMA wal_autocheckpoint = 4000;
       CREATE TABLE journal (run TEXT, seq INTEGER, entry TEXT, PRIMARY KEY (run, seq)) STRICT, WITHOUT ROWID`,
    );
    const insert = database.prepare('INSERT INTO journal VALUES (?, ?, ?)');
    let count = 0;
    return {
      pids: [],
      run: async ({ runs, layers }) => {
        for (let run = 0; run < runs; run += 1) {
          const id = String((count += 1));
          let seq = 0;
          for (const width of layers) {
            for (let n = 0; n < width; n += 1) {
              insert.run(
                id,
                (seq += 1),
                JSON.stringify({ key: `s${seq}#1`, value: counter.step(n) }),
              );
            }
          }
        }
      },
      close: async () => database.close(),
    };
  },
};
