// When to issue, prepare, serve and forget certificates: the decision, as a pure function of what is stored and the time.
//
// A generation is an authority and the leaf it signed. The next generation is prepared at two thirds of the current one's
// life; its authority joins the bundle that clients trust; its leaf is served only after that bundle has been out for a
// propagation time; the old authority leaves the bundle a propagation time later.
// Guarantees: a client whose bundle is at most `propagationMs` old trusts whatever a replica that is at most `propagationMs`
// behind serves, except after an emergency (nothing usable was stored).
//
// This file decides; the others act. Beside it:
//   certificate-keeper.ts, certificate-secret.ts  keep the Secret and our certificate current
//   ca-bundle.ts                                  writes the authority into webhook configurations
//   x509.ts, der.ts                               makes certificates
import type { Generation, GenerationFacts } from "./x509.ts";

export type Issued = Generation & GenerationFacts;

export type CertificateState = {
  /** What replicas serve; undefined when nothing usable is stored. */
  readonly current: Issued | undefined;
  /** What they will serve. */
  readonly next: Issued | undefined;
  /** The authority of what was served before; a replica may still do so. */
  readonly previousCa: string | undefined;
  /** Since when clients have been given a bundle with the next authority in it. */
  readonly publishedMs: number | undefined;
  /** Since when `current` has been current. */
  readonly servedMs: number | undefined;
};

export type CertificateLimits = {
  readonly lifeMs: number;
  /** Certificates start this long ago, for clients whose clock is behind. */
  readonly backdateMs: number;
  /** The longest time until all clients and replicas have noticed a change. */
  readonly propagationMs: number;
};

const HOUR_MS = 3_600_000;

export const CERTIFICATE_LIMITS: CertificateLimits = {
  lifeMs: 90 * 24 * HOUR_MS,
  backdateMs: HOUR_MS,
  propagationMs: HOUR_MS,
};

export type CertificateStep =
  /** Nothing usable is there: serve a new generation at once. */
  | { readonly do: "issue"; readonly why: string }
  | { readonly do: "prepare"; readonly why: string }
  | { readonly do: "promote"; readonly why: string }
  | { readonly do: "retire"; readonly why: string }
  | { readonly do: "keep"; readonly why: string };

const RENEW_AT_SHARE = 2 / 3;

/** What to do next about the certificates for `hosts`. */
export function decideCertificates(
  state: CertificateState,
  hosts: readonly string[],
  nowMs: number,
  limits: CertificateLimits,
): CertificateStep {
  const { current, next } = state;
  if (current === undefined) return { do: "issue", why: "no usable certificate is stored" };
  const flaw = flawOf(current, hosts, nowMs);
  const nextFlaw = next === undefined ? undefined : flawOf(next, hosts, nowMs);
  const isNextUsable = next !== undefined && nextFlaw === undefined;
  if (flaw !== undefined && isNextUsable) return { do: "promote", why: flaw };
  if (flaw !== undefined) return { do: "issue", why: flaw };
  if (next === undefined && nowMs >= renewMs(current)) return { do: "prepare", why: "two thirds of its life are over" };
  if (nextFlaw !== undefined) return { do: "prepare", why: `of the next one ${nextFlaw}` };
  if (isNextUsable && hasPassed(state.publishedMs, nowMs, limits)) return { do: "promote", why: "clients trust it" };
  if (state.previousCa !== undefined && hasPassed(state.servedMs, nowMs, limits)) {
    return { do: "retire", why: "no replica serves the old certificate any more" };
  }
  return { do: "keep", why: next === undefined ? "it is fresh" : "clients do not all know the next authority yet" };
}

/** The state after a step; `issued` is the new generation where the step wants one. */
export function advanceCertificates(
  state: CertificateState,
  step: CertificateStep,
  nowMs: number,
  issue: () => Issued,
): CertificateState {
  const { current, next } = state;
  switch (step.do) {
    case "issue":
      return { current: issue(), next: undefined, ...afterSwitch(state, nowMs) };
    case "prepare":
      return { ...state, next: issue(), publishedMs: undefined };
    case "promote":
      return { current: next ?? current, next: undefined, ...afterSwitch(state, nowMs) };
    case "retire":
      return { ...state, previousCa: undefined };
    case "keep":
      return state;
  }
}

/** Whether it must be noted that clients have been given the next authority; a mark from the future was a wrong clock's. */
export function lacksMark({ next, publishedMs }: CertificateState, nowMs: number, limits: CertificateLimits): boolean {
  if (next === undefined) return false;
  return publishedMs === undefined || publishedMs > nowMs + limits.backdateMs;
}

/** The state after clients were given a bundle with every authority in it. */
export function markPublished(state: CertificateState, nowMs: number): CertificateState {
  return { ...state, publishedMs: nowMs };
}

/** The authorities that clients must trust now, as one PEM text. */
export function bundleOf({ current, next, previousCa }: CertificateState): string {
  const authorities = [current?.ca, next?.ca, previousCa].filter((ca) => ca !== undefined);
  return [...new Set(authorities)].join("");
}

/** When a generation is due for its successor. */
export function renewMs({ notBeforeMs, notAfterMs }: GenerationFacts): number {
  return notBeforeMs + (notAfterMs - notBeforeMs) * RENEW_AT_SHARE;
}

function afterSwitch({ current, previousCa }: CertificateState, nowMs: number) {
  return { previousCa: current?.ca ?? previousCa, publishedMs: undefined, servedMs: nowMs };
}

function flawOf(issued: Issued, hosts: readonly string[], nowMs: number): string | undefined {
  const missing = hosts.find((name) => !issued.hosts.includes(name));
  if (nowMs >= issued.notAfterMs) return `the time was over on ${day(issued.notAfterMs)}`;
  if (nowMs < issued.notBeforeMs) return `the time begins on ${day(issued.notBeforeMs)}`;
  return missing === undefined ? undefined : `the name ${missing} is missing`;
}

function hasPassed(sinceMs: number | undefined, nowMs: number, { propagationMs }: CertificateLimits): boolean {
  return sinceMs !== undefined && nowMs - sinceMs >= propagationMs;
}

function day(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, "2026-01-01".length);
}
