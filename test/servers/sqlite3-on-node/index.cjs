const { DatabaseSync } = require('node:sqlite');

class Database {
  #database;

  constructor(path, opened) {
    try {
      this.#database = new DatabaseSync(path);
      process.nextTick(opened, null);
    } catch (error) {
      process.nextTick(opened, error);
    }
  }

  all(sql, values, done) {
    this.#answer(done, () => [undefined, this.#database.prepare(sql).all(...values)]);
  }

  run(sql, values, done) {
    this.#answer(done, () => {
      const { lastInsertRowid, changes } = this.#database.prepare(sql).run(...values);
      return [{ lastID: Number(lastInsertRowid), changes: Number(changes) }, undefined];
    });
  }

  close(done) {
    this.#database.close();
    if (done) process.nextTick(done, null);
  }

  #answer(done, work) {
    let self;
    let rows;
    let failure = null;
    try {
      [self, rows] = work();
    } catch (error) {
      failure = error;
    }
    process.nextTick(() => done.call(self ?? this, failure, rows));
  }
}

module.exports = { Database, verbose: () => module.exports };
