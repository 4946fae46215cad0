// Every door of the core gets the same hostile values, in every place where it looks: it answers with a value or with its
// own error, its messages stay short and printable, and nothing that all objects share is touched.
import { afterAll, describe, expect, test } from "vitest";
import { childName } from "./hash/names.ts";
import { canonicalJson } from "./json/canonical-json.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "./json/json.ts";
import { parseJson } from "./json/parse-json.ts";
import { parseKernelRelease } from "./kernel/kernel-release.ts";
import { exactKernelRule, matchKernel, regexpKernelRule } from "./kernel/kernel-rule.ts";
import { parseKernelRule } from "./kernel/kernel-rule-grammar.ts";
import { labelSafe, nameSafe } from "./labels/label-safe.ts";
import { compileLabelSelector } from "./labels/label-selector.ts";
import { parseLabelSelector } from "./labels/label-selector-text.ts";
import { createFactsParser, parseNodeFacts } from "./node/node-facts.ts";
import { pinToNode, targetNodeName } from "./node/node-pinning.ts";
import { parseOsRelease } from "./node/os-release.ts";
import { updateCounts, validateUpdateLimits } from "./rollout/update-counts.ts";
import {
  compileDaemonEligibility,
  explainDaemonEligibility,
  matchDaemonEligibility,
} from "./scheduling/daemon-eligibility.ts";
import { withDaemonTolerations } from "./scheduling/daemon-tolerations.ts";
import { findUntoleratedTaint, parseTaints, parseTolerations } from "./scheduling/taints.ts";
import { validateToleration } from "./scheduling/toleration-validation.ts";
import { StrategicMergeError } from "./strategic-merge/error.ts";
import { strategicMergeTraced } from "./strategic-merge/strategic-merge.ts";
import { parseImageReference } from "./values/image-reference.ts";
import { parseImageTemplate, renderImageTemplate } from "./values/image-template.ts";
import { parseIntOrPercent } from "./values/int-or-percent.ts";
import { parseQuantity } from "./values/quantity.ts";

const MIB = 2 ** 20;
const DEPTH = 10_000;

const hostileTexts: readonly string[] = [
  "",
  "__proto__",
  "constructor",
  "toString",
  "\ud800",
  "a\udc00b",
  "\u0000\n\u001b[31m\u2028forged",
  `\${__proto__}`,
  `\${constructor}:\${KERNEL_X}`,
  "$__proto__",
  "x".repeat(MIB),
  "5.".repeat(MIB / 2),
  "\ud800".repeat(MIB),
  "(".repeat(1000),
];

function nested(wrap: (below: Json) => Json): Json {
  let value: Json = "x";
  for (let level = 0; level < DEPTH; level += 1) value = wrap(value);
  return value;
}

/** As JSON.parse makes it: `__proto__` is an own property like any other. */
const ownProto: Json = JSON.parse(
  '{"__proto__":{"polluted":true,"key":"k"},"constructor":{"prototype":{"polluted":true}}}',
);

const hostileValues: readonly (readonly [string, Json])[] = [
  ...hostileTexts.map((text, at): [string, Json] => [`text ${at}`, text]),
  ["null", null],
  ["a fraction", -0.5],
  ["a number beyond all", Number.MAX_VALUE],
  ["a long integer", 2n ** 80n],
  ["own __proto__ and constructor", ownProto],
  ["a list of them", [ownProto, [ownProto], null]],
  ["many keys", Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`key-${at}`, `value-${at}`]))],
  ["lists nested deep", nested((below) => [below])],
  ["objects nested deep", nested((below) => ({ metadata: below }))],
];

const fields = ["metadata", "spec", "status", "labels", "taints", "tolerations", "affinity", "nodeAffinity", "key"];
const moreFields = [
  "operator",
  "value",
  "values",
  "effect",
  "matchLabels",
  "matchExpressions",
  "nodeInfo",
  "containers",
];
const required = "requiredDuringSchedulingIgnoredDuringExecution";

/** The value in all the places where a door might look for something. */
function placesOf(value: Json): readonly Json[] {
  const everywhere = Object.fromEntries([...fields, ...moreFields].map((field) => [field, value]));
  const pinned = { nodeAffinity: { [required]: { nodeSelectorTerms: [{ matchFields: [everywhere] }, value] } } };
  return [
    value,
    [value],
    everywhere,
    [everywhere],
    { spec: everywhere, metadata: everywhere, status: { nodeInfo: everywhere, conditions: [value, everywhere] } },
    { affinity: pinned, tolerations: [everywhere, value], nodeName: value, nodeSelector: everywhere },
    { spec: { containers: [{ name: value, image: value, args: value }, everywhere], $retainKeys: value } },
    { matchLabels: everywhere, matchExpressions: [everywhere, { key: "a", operator: "In", values: [value] }] },
  ];
}

const options = { comparisonOperators: true };
const aNode = parseNodeFacts({ metadata: { name: "n", labels: { a: "1" } } });

/** Doors that take anything. */
const valueDoors: Readonly<Record<string, (value: Json) => unknown>> = {
  parseNodeFacts: (value) => [parseNodeFacts(value), createFactsParser()(value)],
  parseTaints: (value) => findUntoleratedTaint(parseTaints(value), parseTolerations(value, options), ["NoSchedule"]),
  parseTolerations: (value) => parseTolerations(value, options),
  validateToleration: (value) => validateToleration(value, "t", options),
  withDaemonTolerations: (value) => withDaemonTolerations(isJsonList(value) ? value : [value], true),
  pinToNode: (value) => targetNodeName({ affinity: pinToNode(value, "n") }),
  targetNodeName,
  compileDaemonEligibility: (value) => {
    const eligibility = compileDaemonEligibility(value, options);
    return [matchDaemonEligibility(eligibility, aNode), explainDaemonEligibility(eligibility, aNode)];
  },
  "explainDaemonEligibility, as the node": (value) => {
    const named = { name: value, labels: { a: value } };
    const node = parseNodeFacts({ metadata: named, spec: { taints: [{ key: value, value, effect: "NoExecute" }] } });
    const specs = [{}, { nodeName: "n" }, { tolerations: [{ operator: "Exists" }] }, { affinity: pinToNode({}, "n") }];
    return specs.map((spec) => explainDaemonEligibility(compileDaemonEligibility(spec, options), node));
  },
  compileLabelSelector,
  parseIntOrPercent: (value) => parseIntOrPercent(value, "n"),
  updateCounts: (value) => {
    const limits = { maxUnavailable: value, maxSurge: value };
    return [updateCounts(limits, 3, "u"), validateUpdateLimits(limits, "u")];
  },
  "strategicMergeTraced, as the patch": (value) => merged({ spec: { containers: [{ name: "a" }] } }, value),
  "strategicMergeTraced, as the template": (value) => merged(value, { spec: { containers: [{ name: "a" }] } }),
  "strategicMergeTraced, as both": (value) => merged(value, value),
};

/** Doors that take a text. */
const textDoors: Readonly<Record<string, (text: string) => unknown>> = {
  parseKernelRelease,
  parseOsRelease,
  parseKernelRule: (text) => {
    const rule = parseKernelRule(text);
    return rule.ok ? matchKernel(rule.value, parseKernelRelease(text)) : rule;
  },
  exactKernelRule: (text) => exactKernelRule(text, "k"),
  regexpKernelRule: (text) => regexpKernelRule(text, "k"),
  parseImageReference: (text) => parseImageReference(text),
  parseImageTemplate: (text) => {
    const template = parseImageTemplate(text);
    const subject = { kernel: parseKernelRelease(text), moduleName: text, moduleNamespace: text };
    return template.ok ? renderImageTemplate(template.value, subject) : template;
  },
  parseLabelSelector: (text) => parseLabelSelector(text),
  parseQuantity: (text) => parseQuantity(text),
  parseJson: (text) => [parseJson(text), parseJson(JSON.stringify({ [text]: text }))],
  labelSafe: (text) => [labelSafe(text), nameSafe(text, 63), childName(text, [text], 63)],
  canonicalJson: (text) => canonicalJson({ [text]: [text] }),
};

function merged(template: Json, patch: Json): JsonObject {
  try {
    return strategicMergeTraced(template, [{ name: "p", patch }]).value;
  } catch (error) {
    // Any other error is the test's to report.
    if (error instanceof StrategicMergeError) return { message: error.message };
    throw error;
  }
}

const MESSAGE_LENGTH_MAX = 2000;
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** The messages in an answer: those of problems, of verdicts, and of unknown facts. It keeps its own stack, since an answer may be as deep as a question. */
function messagesIn(answer: unknown): readonly string[] {
  const messages: string[] = [];
  const open: unknown[] = [answer];
  while (open.length > 0) {
    const part = open.pop();
    if (Array.isArray(part)) for (const each of part) open.push(each);
    if (!isJsonObject(part)) continue;
    for (const field of ["message", "because", "unknown"]) {
      const text = Object.hasOwn(part, field) ? part[field] : undefined;
      if (typeof text === "string") messages.push(text);
    }
    for (const field of ["problems", "trail", "kernel", "os", "runtime"]) {
      if (Object.hasOwn(part, field)) open.push(part[field]);
    }
  }
  return messages;
}

function requireFitMessages(answer: unknown): void {
  const messages = messagesIn(answer);
  expect(messages.filter((text) => text.length > MESSAGE_LENGTH_MAX)).toEqual([]);
  expect(messages.filter((text) => UNPRINTABLE.test(text))).toEqual([]);
}

const shared = (): readonly unknown[] =>
  [Object.prototype, Array.prototype, Function.prototype].flatMap((each) =>
    Reflect.ownKeys(each).map((key) => [String(key), Object.getOwnPropertyDescriptor(each, key)?.value]),
  );
const sharedBefore = shared();

/** Some values have ten thousand levels or a megabyte, in a hundred places: seconds on a busy machine. */
const patient = { timeout: 60_000 };

describe.each(Object.entries(valueDoors))("%s", patient, (_, door) => {
  test.each(hostileValues)("answers to %s wherever it stands", (_what, value) => {
    for (const placed of placesOf(value)) requireFitMessages(door(placed));
  });
});

describe.each(Object.entries(textDoors))("%s", (_, door) => {
  test.each(hostileTexts.map((text, at) => [at, text] as const))("answers to text %d", (_at, text) => {
    requireFitMessages(door(text));
  });
});

test.each([`a:\${__proto__}`, `a:\${constructor}`, "a:$__proto__"])("the image %s names no variable", (image) => {
  expect(parseImageTemplate(image)).toMatchObject({ ok: false, problems: [{ path: "image" }] });
});

test("a toleration reads none of its fields from an own __proto__", () => {
  expect(parseTolerations([ownProto], options)).toEqual([{ op: "Equal", key: "", effect: "", value: "" }]);
  expect(parseTaints([ownProto])).toEqual([{ key: "", value: "", effect: "" }]);
});

test("a structured patch of a mebibyte is merged and traced key by key", () => {
  const keys = 20_000;
  const labels = Object.fromEntries(Array.from({ length: keys }, (_, at) => [`key-${at}`, `value-${at}`.repeat(4)]));
  const patch = { metadata: { labels } };
  expect(JSON.stringify(patch).length).toBeGreaterThan(MIB);
  const { value, provenance } = strategicMergeTraced({ metadata: { labels: { "key-0": "x", kept: "y" } } }, [
    { name: "big", patch },
  ]);
  expect(value).toEqual({ metadata: { labels: { ...labels, kept: "y" } } });
  expect(provenance).toHaveLength(keys);
});

afterAll(() => {
  expect(shared()).toEqual(sharedBefore);
  expect("polluted" in {}).toBe(false);
});
