import { createLog } from '../../src/observe/log/create-log.ts';

// A program of its own: writes COUNT lines as WRITER to the log FILE, which rotates at MAX_BYTES.
const [file = '', writer = '', count = '0', maxBytes = '0'] = process.argv.slice(2);
const log = createLog({
  level: 'info',
  file,
  maxBytes: Number(maxBytes),
  // Enough for every line, so that the reader can prove that none is lost.
  backupCount: 200,
});
for (let n = 0; n < Number(count); n += 1) log.info('line', { writer, n });
log.close();
