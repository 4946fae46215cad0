// The part of VariantSet's shared table that is accepted with a warning: rules that never get a node, or get all of them. The builder of
// the set comes from the other part.
import type { Json, JsonObject } from "../../../core/json/json.ts";
import { acceptedWith, type KindCase } from "../../testing/kind-case.ts";

type Build = (spec: JsonObject) => JsonObject;

const five: JsonObject = Object.freeze({ name: "new", match: { kernel: ">=5.4" } });

/** The rows. */
export function doubtfulCases(build: Build): readonly KindCase[] {
  return [...shadowed(build), ...dead(build), ...labelRows(build), ...everything(build)];
}

const of = (name: string, match: Json): JsonObject => ({ name, match });
const labelled = (operator: string, ...values: readonly string[]): JsonObject => ({
  ...{ key: "disk", operator },
  ...(values.length === 0 ? {} : { values }),
});

function shadowed(build: Build): readonly KindCase[] {
  const rows: readonly (readonly [string, readonly JsonObject[], string])[] = [
    [
      "a variant that an earlier one covers",
      [five, of("six", { kernel: "6.x", arch: "amd64" })],
      'variant "six" never gets a node, because "new" (spec.variants[0]) takes all',
    ],
    [
      "a variant that two earlier ones cover together",
      [of("four", { kernel: "4.x" }), of("five", { kernel: "5.x" }), of("both", { kernel: "4.18-5.3" })],
      '"both" never gets a node, because "four" (spec.variants[0]) and "five" (spec.variants[1]) together take all',
    ],
    [
      "ranges that overlap",
      [of("one", { kernel: "4.18-5.10" }), of("two", { kernel: "5.4-6.1" })],
      'spec.variants[1].match.kernel: "5.4-6.1" overlaps "4.18-5.10" of variant "one" (spec.variants[0])',
    ],
    [
      "a variant whose labels an earlier one covers",
      [
        of("any", { labels: { matchExpressions: [labelled("Exists")] } }),
        of("nvme", { labels: { matchLabels: { disk: "nvme" } } }),
      ],
      'variant "nvme" never gets a node, because "any"',
    ],
    [
      "a variant behind one that takes everything",
      [of("all", { kernel: "/.*/" }), of("five", { kernel: "/.*/", arch: "amd64" })],
      'variant "five" never gets a node, because "all"',
    ],
  ];
  return rows.map(([name, variants, warning]) => ({
    ...{ name, object: build({ variants }), verdict: acceptedWith(warning) },
  }));
}

function dead(build: Build): readonly KindCase[] {
  const one = (match: Json) => build({ variants: [of("one", match)] });
  return [
    { name: "an architecture in another's words", object: one({ arch: "x8664" }), verdict: acceptedWith('"x8664"') },
    { name: "an unknown distribution", object: one({ os: { id: "plan9" } }), verdict: acceptedWith('"plan9"') },
    { name: "a set for nobody", object: build({}), verdict: acceptedWith("spec.variants: is empty") },
  ];
}

function labelRows(build: Build): readonly KindCase[] {
  const asking = (...matchExpressions: readonly JsonObject[]) => ({ labels: { matchExpressions } });
  const one = (match: Json, more: JsonObject = {}) => build({ variants: [of("one", match)], ...more });
  const never = 'can never hold together, so variant "one" matches nothing';
  return [
    {
      name: "labels that must and must not have one value",
      object: one(asking(labelled("In", "a"), labelled("NotIn", "a"))),
      verdict: acceptedWith(`spec.variants[0].match.labels: disk in (a) and disk notin (a) ${never}`),
    },
    {
      name: "a label that must and must not be there",
      object: one(asking(labelled("Exists"), labelled("DoesNotExist"))),
      verdict: acceptedWith(`spec.variants[0].match.labels: disk and !disk ${never}`),
    },
    {
      name: "labels that the node selector leaves out",
      object: one(asking(labelled("In", "nvme")), { nodeSelector: { matchLabels: { disk: "ssd" } } }),
      verdict: acceptedWith(`match.labels: with spec.nodeSelector disk=ssd and disk in (nvme) ${never}`),
    },
    {
      name: "a node selector that no node meets",
      object: build({
        default: {},
        nodeSelector: { matchExpressions: [labelled("Exists"), labelled("DoesNotExist")] },
      }),
      verdict: acceptedWith("spec.nodeSelector: disk and !disk can never hold together, so no node is in scope"),
    },
  ];
}

function everything(build: Build): readonly KindCase[] {
  return [
    {
      name: "an empty selector",
      object: build({ default: {}, nodeSelector: {} }),
      verdict: acceptedWith("spec.nodeSelector: is empty, so every node is in scope"),
    },
    {
      name: "an operating system without a rule",
      object: build({ variants: [of("one", { os: {}, arch: "amd64" })] }),
      verdict: acceptedWith("spec.variants[0].match.os: is empty, so it asks for nothing"),
    },
    {
      name: "labels without a condition",
      object: build({ variants: [of("one", { labels: {}, arch: "amd64" })] }),
      verdict: acceptedWith("spec.variants[0].match.labels: is empty, so it asks for nothing"),
    },
    {
      name: "a variant that leaves nothing to the default",
      object: build({ variants: [of("one", { osImage: ".*" })], default: {} }),
      verdict: acceptedWith('variant "one" matches every node, so spec.default never gets one'),
    },
  ];
}
