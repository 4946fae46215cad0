// What a webhook configuration may not ask of this server.
import { expect, test } from "vitest";
import { webhookRules } from "./plain-kinds.ts";

const configuration = (webhook: {
  readonly [key: string]: string | readonly { readonly [key: string]: string }[];
}) => ({
  ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "MutatingWebhookConfiguration", webhooks: [webhook] },
});

test.each([
  [{ name: "a.example.dev", matchConditions: [{ name: "x", expression: "true" }] }, ["webhooks[0].matchConditions"]],
  [{ name: "a.example.dev", reinvocationPolicy: "IfNeeded" }, ["webhooks[0].reinvocationPolicy"]],
  [{ name: "a.example.dev", reinvocationPolicy: "Never", matchConditions: [] }, []],
])("%j is refused for %j", (webhook, fields) => {
  expect(webhookRules.validate?.(configuration(webhook)).map(({ field }) => field)).toEqual(fields);
});
