import { expect, it, onTestFinished } from 'vitest';
import { openUpstream } from '../../src/fleet/index.ts';
import { silentLog } from '../../src/kernel/index.ts';
import { aFleet, anEntry, anOutside } from '../../testkit/fleet/a-fleet.ts';
import { Browser } from '../../testkit/fleet/login/a-browser.ts';
import { aLogins, aProtectedPlace } from '../../testkit/fleet/login/logins-here.ts';
import { aClient, aContext, clientInfo } from '../../testkit/fleet/upstream/a-context.ts';
import { isProof, seededRandom } from '../../testkit/sample.ts';
import { atATime } from '../support/at-a-time.ts';

const callers = isProof ? 100 : 20;
const servers = isProof ? 5 : 3;
const callsEach = 5;
const loginsAtOnce = 4;
const pauseMs = isProof ? 10_000 : 800;
const random = seededRandom(20);

/** A fleet of servers behind logins, whose connections carry the token of their caller. */
async function aFleetWithLogins() {
  const places = await Promise.all(
    Array.from({ length: servers }, async (_, index) => ({
      ...(await aProtectedPlace({ tokenSeconds: isProof ? 60 : 3 })),
      name: `notes${index}`,
    })),
  );
  onTestFinished(async () => void (await Promise.all(places.map((place) => place.close()))));
  const logins = aLogins({ limitMs: 120_000 });
  const entries = places.map(({ name, server }) =>
    anEntry(name, { command: undefined, url: server.url }),
  );
  const launchOf = (name: string) => {
    const url = places.find((place) => place.name === name)?.server.url ?? '';
    return { transport: 'http', url, headers: {} } as const;
  };
  const outside = anOutside(entries, (request) => {
    const launch = launchOf(request.entry.name);
    const target = { server: request.entry.name, url: launch.url };
    const authorizer = logins.authorizer(request.caller, target);
    const owner = () => {
      throw new Error('no program is started for an address');
    };
    return openUpstream(request, { launch, authorizer, owner, clientInfo, log: silentLog });
  });
  const { catalogue } = aFleet({
    outside: {
      ...outside,
      logins: async () => logins,
      entries: { ...outside.entries, launch: async ({ name }) => launchOf(name) },
    },
    limits: { timeoutMs: 120_000 },
    firstWaitMs: 500,
  });
  onTestFinished(() => catalogue.close());
  return { places, catalogue };
}

it(
  `${callers} callers of ${servers} servers use the tokens of their own logins only`,
  async () => {
    const { places, catalogue } = await aFleetWithLogins();
    const crossed: string[] = [];
    const failed: string[] = [];
    let answers = 0;
    let logins = 0;
    const contexts = Array.from({ length: callers }, (_, number) => {
      const account = `user${number}`;
      const answer = async ({ params }: { params: Readonly<Record<string, unknown>> }) => {
        logins += 1;
        void new Browser(account).visit(String(params['url'])).catch(() => {});
        return { action: 'accept' };
      };
      const era = number % 2 === 0 ? 'handshake' : 'stateless';
      const capabilities = { elicitation: { url: {} } };
      const client = aClient(account, { era, capabilities, answer });
      // All have the same name in tenants of their own: only the id as a whole may count.
      return { account, context: aContext({ caller: { id: `tenant${number}/user` }, client }) };
    });
    const callAll = async ({ account, context }: (typeof contexts)[number]): Promise<void> => {
      const names = places.map(({ name }) => name).toSorted(() => random() - 0.5);
      const calls = names.map(async (name) => {
        const { content } = await catalogue.callTool(`${name}__whoami`, {}, context);
        answers += 1;
        const said = JSON.stringify(content);
        if (said.includes(`You are ${account}"`)) return;
        (said.includes('You are') ? crossed : failed).push(`${account}: ${said}`);
      });
      await Promise.all(calls);
    };
    // Each login is some twenty requests: not all at once. Later calls are.
    await atATime(loginsAtOnce, contexts, callAll);
    await Promise.all(
      contexts.map(async (one) => {
        for (let call = 1; call < callsEach; call += 1) {
          await new Promise((resolve) => setTimeout(resolve, random() * pauseMs));
          await callAll(one);
        }
      }),
    );
    expect(crossed).toEqual([]);
    expect(failed).toEqual([]);
    expect(answers).toBe(callers * servers * callsEach);
    expect(logins).toBe(callers * servers);
    for (const { server } of places) expect(server.calls).toHaveLength(callers * callsEach);
  },
  isProof ? 900_000 : 120_000,
);
