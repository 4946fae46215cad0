// The way from the API server to the processes that serve its webhooks: a call meets one of those that live, if the server trusts
// the certificate that it shows, and may be refused or take too long.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { CallWebhook } from "../../api-server/admission/call-webhook.ts";
import { textAt } from "../../api-server/api-object.ts";
import { type Fault, type FaultSpec, PLAIN_DELAY_MS, slowMsOf } from "../faults/faults.ts";
import type { Incarnation } from "../incarnation.ts";
import type { Lane } from "../processor.ts";
import type { WorldFault } from "../scenario.ts";
import type { World } from "../world.ts";

/** What a process shows and answers. */
export type Served = {
  /** The authority, as PEM, and until when what it has certified is valid. */
  readonly certificate: { readonly ca: string; readonly notAfterMs: number };
  readonly answer: (path: string, review: JsonObject) => Promise<JsonObject>;
};

/** The faults of single calls: refused connections, and answers that come after the server has given up or shortly before. */
export const webhookFaults: readonly FaultSpec[] = [
  { name: "webhook-refused", rate: 0.2 },
  { name: "webhook-slow", rate: 0.2 },
];

const calls: Lane = { name: "webhooks", isInOrder: false };

export class WebhookLink {
  readonly #world: World;
  /** By the identity of the life that serves. */
  readonly #served = new Map<string, Served>();
  readonly #refused: Fault;
  readonly #slow: Fault;
  #awayUntilMs = 0;

  constructor(world: World) {
    this.#world = world;
    this.#refused = world.faults.fault("webhook-refused");
    this.#slow = world.faults.fault("webhook-slow");
  }

  /** From now on this life answers, with this certificate. */
  serve(identity: string, served: Served): void {
    this.#served.set(identity, served);
  }

  /** For a while nobody is reached. */
  beAway(forMs: number): void {
    this.#awayUntilMs = this.#world.clock.monotonicMs() + forMs;
  }

  readonly call: CallWebhook = (clientConfig, review) =>
    new Promise((resolve, reject) => {
      const { clock } = this.#world;
      const delayMs = this.#slow.strikes() ? slowMsOf(this.#slow) : PLAIN_DELAY_MS;
      clock.after(delayMs, () => {
        const found = this.#reach(clientConfig);
        if (typeof found === "string") return reject(new Error(found));
        const { pathname } = new URL(textAt(clientConfig, "url"));
        const answer = (answered: JsonObject) => clock.after(PLAIN_DELAY_MS, () => resolve(answered));
        found.life.deliver(calls, () => void found.served.answer(pathname, review).then(answer, reject));
      });
    });

  /** One that answers, or why there is none. */
  #reach(clientConfig: JsonObject): { readonly life: Incarnation; readonly served: Served } | string {
    const { clock } = this.#world;
    const isAway = this.#awayUntilMs > clock.monotonicMs() || this.#refused.strikes();
    const serving = [...this.#world.hosts.values()].flatMap(({ lives }) =>
      lives.flatMap((life) => {
        const served = this.#served.get(life.name);
        return served === undefined ? [] : [{ life, served }];
      }),
    );
    const one = isAway ? undefined : serving[this.#refused.pick(serving.length)];
    if (one === undefined) return "connect: connection refused";
    const { ca, notAfterMs } = one.served.certificate;
    const bundle = Buffer.from(textAt(clientConfig, "caBundle"), "base64").toString();
    if (!bundle.includes(ca)) return "x509: certificate signed by unknown authority";
    return notAfterMs <= clock.wallMs() ? "x509: certificate has expired or is not yet valid" : one;
  }
}

/** Nobody who serves webhooks is reached for a while. */
export function webhooksAway(linkOf: () => WebhookLink | undefined): WorldFault {
  return {
    ...{ name: "webhooks-away", rate: 0.04 },
    strike: (_, fault) => {
      const forMs = slowMsOf(fault) * 2;
      linkOf()?.beAway(forMs);
      return `for ${forMs} ms`;
    },
  };
}
