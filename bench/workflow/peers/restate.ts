import { once } from 'node:events';
import { createServer } from 'node:http2';
import * as restate from '@restatedev/restate-sdk';
import type { Contender } from '../contender.ts';
import type { Scenario, StepCounter } from '../scenarios.ts';
import { startRestate } from '../services.ts';

/** Restate with its own server on this machine; its log is written as it does by default. */
export const contender: Contender = {
  name: 'Restate 1.7.12',
  async open({ folder, counter }) {
    const server = await startRestate(folder);
    const bench = restate.workflow({
      name: 'bench',
      handlers: {
        run: (context: restate.WorkflowContext, scenario: Scenario) =>
          runLayers(context, scenario, counter),
      },
    });
    const endpoint = createServer(restate.createEndpointHandler({ services: [bench] }));
    endpoint.listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
    const address = endpoint.address();
    if (address === null || typeof address === 'string')
      throw new Error('The endpoint has no port');
    await post(`http://127.0.0.1:${server.adminPort}/deployments`, {
      uri: `http://127.0.0.1:${address.port}`,
    });
    let count = 0;
    return {
      pids: [server.pid],
      run: async (scenario) => {
        await Promise.all(
          Array.from({ length: scenario.runs }, () =>
            post(`http://127.0.0.1:${server.port}/bench/${(count += 1)}/run`, scenario),
          ),
        );
      },
      close: async () => {
        endpoint.close();
        await server.close();
      },
    };
  },
};

async function runLayers(
  context: restate.WorkflowContext,
  { layers }: Scenario,
  counter: StepCounter,
): Promise<number> {
  let sum = 0;
  for (const [layer, width] of layers.entries()) {
    const steps = Array.from({ length: width }, (_, n) =>
      context.run(`s${layer}-${n}`, () => counter.step(n)),
    );
    for (const { n } of await restate.RestatePromise.all(steps)) sum += n;
  }
  return sum;
}

async function post(url: string, body: unknown): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(300_000),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  await answer.text();
}
