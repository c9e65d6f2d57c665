import { DBOS } from '@dbos-inc/dbos-sdk';
import type { Contender } from '../contender.ts';
import type { Scenario, StepCounter } from '../scenarios.ts';
import { startPostgres } from '../services.ts';

/** DBOS Transact on PostgreSQL, which writes down every step; `full` is `synchronous_commit=on`. */
export const contender: Contender = {
  name: 'DBOS 5.3.0, PostgreSQL',
  async open({ durability, folder, counter }) {
    const postgres = await startPostgres(folder, durability);
    DBOS.setConfig({
      name: 'bench',
      systemDatabaseUrl: `postgresql://postgres@127.0.0.1:${postgres.port}/bench`,
      runAdminServer: false,
      logLevel: 'error',
    });
    const workflow = DBOS.registerWorkflow((scenario: Scenario) => runLayers(scenario, counter), {
      name: 'layers',
    });
    await DBOS.launch();
    return {
      pids: [postgres.pid],
      run: async (scenario) => {
        await Promise.all(Array.from({ length: scenario.runs }, () => workflow(scenario)));
      },
      close: async () => {
        await DBOS.shutdown();
        await postgres.close();
      },
    };
  },
};

async function runLayers({ layers }: Scenario, counter: StepCounter): Promise<number> {
  let sum = 0;
  for (const [layer, width] of layers.entries()) {
    const steps = Array.from({ length: width }, (_, n) =>
      DBOS.runStep(async () => counter.step(n), { name: `s${layer}-${n}` }),
    );
    for (const { n } of await Promise.all(steps)) sum += n;
  }
  return sum;
}
