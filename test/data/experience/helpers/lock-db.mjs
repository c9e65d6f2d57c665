// lock-db.mjs FILE COMMAND…: runs the command while another connection writes to the SQLite database.
import { DatabaseSync } from 'node:sqlite';
import { run } from './run.mjs';

const [file, ...command] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec('BEGIN EXCLUSIVE');
run(command);
