import { expect, test } from "vitest";
import { SETTINGS } from "./run-settings.ts";
import { canServiceMake, explainDeprecatedVariables, flagOf, variableIn, variableOf } from "./setting-names.ts";

test.each([
  ["logLevel", "--log-level", "FARRIER_LOG_LEVEL"],
  ["webhookPort", "--webhook-port", "FARRIER_WEBHOOK_PORT_NUMBER"],
  ["httpPort", "--http-port", "FARRIER_HTTP_PORT_NUMBER"],
  ["webhookService", "--webhook-service", "FARRIER_WEBHOOK_SERVICE"],
])("%s is set by %s or %s", (key, flag, variable) => {
  expect([flagOf(key), variableOf(key)]).toEqual([flag, variable]);
});

test.each(SETTINGS.map(({ key }) => variableOf(key)))("no Service can make %s", (variable) => {
  expect(canServiceMake(variable)).toBe(false);
});

test.each([
  "FARRIER_PORT",
  "FARRIER_WEBHOOK_PORT",
  "FARRIER_SERVICE_HOST",
  "FARRIER_SERVICE_PORT",
  "FARRIER_SERVICE_PORT_LOG_LEVEL",
  "FARRIER_PORT_443_TCP",
  "FARRIER_PORT_53_UDP_PROTO",
  "FARRIER_PORT_53_SCTP_PORT",
  "FARRIER_PORT_443_TCP_ADDR",
])("a Service can make %s", (variable) => {
  expect(canServiceMake(variable)).toBe(true);
});

const remedy = "because kubelets set this variable for a Service; set FARRIER_WEBHOOK_PORT_NUMBER or --webhook-port";

test.each(["tcp://10.0.140.1:443", "udp://[fd00::1]:53", "sctp://10.0.0.7:5000", "https", ""])(
  "a deprecated variable with %j is ignored, and one sentence says so",
  (text) => {
    const env = { FARRIER_WEBHOOK_PORT: text };
    expect(variableIn(env, "webhookPort")).toBeUndefined();
    expect(explainDeprecatedVariables(env)).toEqual([`FARRIER_WEBHOOK_PORT: "${text}" is ignored, ${remedy}`]);
  },
);

test("a deprecated variable with a plain number counts, and one sentence says what to set in its place", () => {
  const env = { FARRIER_WEBHOOK_PORT: "9444" };
  expect(variableIn(env, "webhookPort")).toBe("FARRIER_WEBHOOK_PORT");
  expect(explainDeprecatedVariables(env)).toEqual([`FARRIER_WEBHOOK_PORT is deprecated, ${remedy}`]);
});

test("the new variable counts before the deprecated one", () => {
  const env = { FARRIER_WEBHOOK_PORT: "1", FARRIER_WEBHOOK_PORT_NUMBER: "2" };
  expect(variableIn(env, "webhookPort")).toBe("FARRIER_WEBHOOK_PORT_NUMBER");
});

test("without deprecated variables there is nothing to say", () => {
  expect(explainDeprecatedVariables({ FARRIER_WEBHOOK_PORT_NUMBER: "1", FARRIER_LOG_LEVEL: "debug" })).toEqual([]);
});
