import { createHmac } from 'node:crypto';

/** The key of the recorded reports in `testdata`. */
export const recordedKey = '0'.repeat(64);

/** A report as a runner writes it. */
export function signRecords(records: readonly object[], key = recordedKey): Uint8Array {
  const lines = records.map((record, index) => {
    const text = JSON.stringify(record);
    const signature = createHmac('sha256', Buffer.from(key, 'hex'))
      .update(`${index}\n${text}`)
      .digest('hex');
    return `${signature} ${text}\n`;
  });
  return new TextEncoder().encode(lines.join(''));
}

export function aTestRecord(change: object = {}): object {
  return {
    kind: 'test',
    name: 'adds',
    file: 'test_sums.py',
    status: 'passed',
    durationMs: 1,
    message: null,
    ...change,
  };
}

export const endRecord = { kind: 'end', exitCode: 0 };
