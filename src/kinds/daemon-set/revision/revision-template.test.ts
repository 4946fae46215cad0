import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../../core/json/canonical-json.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { strategicMerge } from "../../../core/strategic-merge/strategic-merge.ts";
import {
  createTemplateIdentity,
  markedTemplate,
  recordedTemplate,
  templateIdentity,
  withoutDirective,
} from "./revision-template.ts";
import texts from "./vectors/revision-texts.json" with { type: "json" };

/** What Go made of each template: decoded into the types of Kubernetes, encoded, and marked as Kruise marks it. */
const vectors: readonly { name: string; template: JsonObject; data: string }[] = JSON.parse(JSON.stringify(texts));

const textOf = (template: JsonObject) =>
  canonicalJson({ spec: { template: markedTemplate(recordedTemplate(template)) } });

describe("a template is recorded in the bytes that Go writes", () => {
  test.each(vectors)("$name", ({ template, data }) => {
    expect(textOf(template)).toBe(data);
  });
});

describe("recordedTemplate", () => {
  test.each(vectors)("changes nothing in what it has written: $name", ({ data }) => {
    const { template } = JSON.parse(data).spec;
    expect(textOf(template)).toBe(data);
  });

  test.each<[string, JsonObject, JsonObject]>([
    [
      "an amount in another spelling",
      { spec: { containers: [{ name: "a", resources: { limits: { cpu: "1000m" } } }] } },
      { spec: { containers: [{ name: "a", resources: { limits: { cpu: 1 } } }] } },
    ],
    ["an empty list", { spec: { containers: [], tolerations: [] } }, { spec: { containers: [] } }],
    ["a directive of a rollback", { $patch: "replace", spec: {} }, { spec: {} }],
    [
      "the order of members",
      { spec: { hostPID: true, hostIPC: true } },
      { spec: { hostIPC: true, hostPID: true }, metadata: {} },
    ],
  ])("takes no notice of %s", (_name, a, b) => {
    expect(textOf(a)).toBe(textOf(b));
  });

  test.each<[string, JsonObject, JsonObject]>([
    ["a pointer that is zero", { spec: { terminationGracePeriodSeconds: 0 } }, { spec: {} }],
    ["a struct that is there and empty", { spec: { securityContext: {} } }, { spec: {} }],
    ["the text 0", { spec: { hostname: "0" } }, { spec: {} }],
    ["a field of a release that nobody knows yet", { spec: { fromTheFuture: "" } }, { spec: {} }],
    ["an amount that is none", { spec: { overhead: { cpu: "much" } } }, { spec: { overhead: { cpu: "more" } } }],
  ])("tells apart %s", (_name, a, b) => {
    expect(textOf(a)).not.toBe(textOf(b));
  });

  test("never throws, whatever stands in the place of a template", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (spec, metadata) => {
        const template: JsonObject = JSON.parse(JSON.stringify({ spec, metadata, __proto__: null }));
        expect(textOf(template)).toBe(textOf(recordedTemplate(template)));
      }),
    );
  });

  test("keeps a member called __proto__ as what it is: a member", () => {
    const template: JsonObject = JSON.parse('{"metadata":{"labels":{"__proto__":"x"}},"__proto__":{"a":"b"}}');
    expect(textOf(template)).toContain('"__proto__":{"a":"b"}');
    expect(textOf(template)).toContain('"labels":{"__proto__":"x"}');
  });
});

describe("createTemplateIdentity", () => {
  test.each(vectors)(
    "gives what a template by itself has, and those that patches make of it: $name",
    ({ template }) => {
      const identityOf = createTemplateIdentity(template, []);
      expect(identityOf(template)).toBe(templateIdentity(template));
      for (const { template: other } of vectors) {
        const patched = { ...template, ...other, metadata: template.metadata ?? {} };
        expect(identityOf(patched)).toBe(templateIdentity(patched));
      }
      const labelled = strategicMerge(template, { metadata: { labels: { patched: "yes" } } });
      expect(identityOf(labelled)).toBe(templateIdentity(labelled));
      expect(identityOf(labelled)).not.toBe(identityOf(template));
    },
  );

  test("gives the same for what patches bring as it is, and for what they bring elsewhere", () => {
    const amounts = { cpu: "1000m" };
    const added = {
      name: "sidecar",
      image: "example.com/sidecar",
      env: [{ name: "A", value: "" }],
      resources: { limits: amounts },
    };
    const patch: JsonObject = { metadata: { labels: amounts }, spec: { containers: [added], overhead: null } };
    const template: JsonObject = { spec: { containers: [{ name: "agent" }], overhead: { cpu: 1 } } };
    const identityOf = createTemplateIdentity(template, [patch]);
    for (const patched of [strategicMerge(template, patch), strategicMerge({}, patch), { spec: { overhead: amounts } }])
      expect(identityOf(patched)).toBe(templateIdentity(structuredClone(patched)));
  });

  test("does not mistake a part for the same part in another place", () => {
    const amounts = { cpu: "1000m" };
    const identityOf = createTemplateIdentity({ spec: { overhead: amounts } }, []);
    const moved = { metadata: { labels: amounts }, spec: { overhead: amounts } };
    expect(identityOf(moved)).toBe(
      templateIdentity({ metadata: { labels: { cpu: "1000m" } }, spec: { overhead: { cpu: 1 } } }),
    );
    expect(identityOf(moved)).not.toBe(
      templateIdentity({ metadata: { labels: { cpu: "1" } }, spec: { overhead: { cpu: 1 } } }),
    );
  });
});

test("recordedTemplate() leaves out the directive of a rollback", () => {
  expect(recordedTemplate({ $patch: "replace", spec: {} })).not.toHaveProperty("$patch");
});

test("withoutDirective() gives back the very template where there is none", () => {
  const template = { spec: {} };
  expect(withoutDirective(template)).toBe(template);
  expect(withoutDirective({ $patch: "replace", spec: {} })).toEqual({ spec: {} });
});
