import type { Waiting } from '../../contract/run/index.ts';

/** What a person types to give a run what it waits for; one of these. */
export function waitingCommands(runId: string, waiting: Waiting): string[] {
  const step = shellWord(waiting.step);
  switch (waiting.kind) {
    case 'approval':
      return [`tutti runs approve ${runId} ${step}`, `tutti runs deny ${runId} ${step}`];
    case 'signal':
      return [`tutti runs signal ${runId} ${shellWord(waiting.signal)} JSON`];
    case 'resolve': {
      const command = `tutti runs resolve ${runId} ${step}`;
      return [`${command} --happened`, `${command} --not-happened`];
    }
    case 'repair': {
      const command = `tutti runs repair ${runId} ${step}`;
      return [`${command} --args JSON`, `${command} --give-up`];
    }
  }
}

/** Steps within others have brackets in their names, which shells read as patterns. */
function shellWord(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
