// The webhooks under faults: what is bad is never stored, what is good is stored in the end, and others do not notice. Each fault
// against a careless way to serve: the real one holds under the very same tape, the careless one is found.
import { expect, test } from "vitest";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import type { Source } from "../../simulator/decisions.ts";
import { runHistory } from "../../simulator/run-history.ts";
import { type Choice, printTape } from "../../simulator/tape.ts";
import { GROUP } from "./toy-kind.ts";
import { type Care, webhookScenario } from "./webhook-scenario.ts";

const builtIn = builtInKinds();
const patience = { timeout: 600_000 };
const SEEDS = 40;

const run = (source: Source, careless: Partial<Care>) =>
  runHistory({ scenario: { ...webhookScenario(careless), faultsMs: 100_000 }, source, builtIn });

test(
  "two replicas store what is good and nothing that is bad, whatever becomes of their webhooks",
  patience,
  async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { failure, tape } = await run({ seed }, {});
      expect(failure, `seed ${seed}: ${printTape(tape)}`).toBeUndefined();
    }
  },
);

type Forced = Readonly<Record<string, readonly Choice[]>>;
const at = (...places: readonly number[]): readonly Choice[] => places.map((place) => ({ at: place, value: 1 }));
const always = (value: number): readonly Choice[] => Array.from({ length: 200 }, (_, place) => ({ at: place, value }));
const longest = [{ at: 0, value: 6 }];

/** What is not judged is stored all the same. */
const letsPass: Partial<Care> = { hook: (webhook) => ({ ...webhook, failurePolicy: "Ignore" }) };
/** Wants to judge what others write. */
const asksAboutOthers: Partial<Care> = {
  hook: (webhook) => ({
    ...webhook,
    rules: [{ apiGroups: ["", GROUP], apiVersions: ["v1"], resources: ["toys", "configmaps"], operations: ["*"] }],
  }),
};
/** Makes its authority known once. */
const publishesOnce = (): Partial<Care> => ({
  publishes: (how) => {
    let isOut: boolean | undefined;
    return async (bundle) => {
      isOut ??= await how(bundle);
      return isOut;
    };
  },
});
/** Takes care of its certificates when it starts, and never again. */
const neverRenews: Partial<Care> = { keep: (keeper) => void keeper.refresh().catch(() => undefined) };

const away: Forced = { "webhooks-away": at(40), "webhooks-away-how": longest };
const edited: Forced = { "new-image": at(44) };
const tried: Forced = { "bad-image-toys": at(44) };

const canaries: readonly (readonly [string, Forced, Partial<Care>, string])[] = [
  ["webhooks that are away", { ...away, ...tried }, letsPass, "NothingBad"],
  [
    "webhooks that are slow",
    { "webhook-slow": always(1), "webhook-slow-how": always(6), ...tried },
    letsPass,
    "NothingBad",
  ],
  ["others, while the webhooks are away", { ...away, "other-business": at(44) }, asksAboutOthers, "OthersUnharmed"],
  ["an authority that somebody overwrites", { "bundle-spoilt": at(40), ...edited }, publishesOnce(), "Settles"],
  ["certificates that somebody deletes", { "certificates-gone": at(40), ...edited }, publishesOnce(), "Settles"],
  ["certificates that expire", { "new-image": at(180) }, neverRenews, "Settles"],
];

for (const [what, streams, careless, oracle] of canaries)
  test(`${what}: the operator holds, and one that cannot live with it is found`, patience, async () => {
    const tape = { scenario: "webhooks", seed: 1, streams: new Map(Object.entries(streams)) };
    expect((await run({ tape }, {})).failure).toBeUndefined();
    expect((await run({ tape }, careless)).failure?.oracle).toBe(oracle);
  });

test("without a fault none of the careless ones is found", patience, async () => {
  for (const [, , careless] of canaries.slice(0, 5)) {
    const streams = new Map(Object.entries({ ...edited, ...tried }));
    expect((await run({ tape: { scenario: "webhooks", seed: 1, streams } }, careless)).failure).toBeUndefined();
  }
});
