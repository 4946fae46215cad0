// Custom resources: defaulting, pruning, the structural schema, CEL, subresources, versions.
import { get, mergePatch, post, put, type Scenario } from "../scenario.ts";
import { aWidget, GROUP, widgets } from "../widget.ts";

const refused = (shows: string, spec: object) => post(shows, widgets, aWidget("bad", spec));

export const customResources: readonly Scenario[] = [
  {
    name: "schema",
    exchanges: [
      post(
        "defaults are filled in and unknown fields are pruned",
        widgets,
        aWidget("a", { extra: 1, parts: [{ name: "p", extra: 2 }], free: { anything: { goes: [1] } } }),
      ),
      post(
        "strict validation refuses what would be pruned",
        `${widgets}?fieldValidation=Strict`,
        aWidget("b", { extra: 1 }),
      ),
      refused("a number below the minimum", { size: 0 }),
      refused("a number above the maximum", { size: 11 }),
      refused("a value outside the enumeration", { mode: "Odd" }),
      refused("a text that is too long", { owner: "abcdefghijk" }),
      refused("a text that does not match the pattern", { owner: "A1" }),
      refused("a wrong type", { size: "3" }),
      refused("a fraction where an integer must be", { size: 1.5 }),
      refused("an object where a list must be", { parts: {} }),
      refused("too many elements", { parts: ["a", "b", "c", "d"].map((name) => ({ name })) }),
      refused("a key twice in a list map", { parts: [{ name: "a" }, { name: "a" }] }),
      refused("a member twice in a set", { tags: ["a", "a"] }),
      refused("a required field is missing", { parts: [{ count: 1 }] }),
      // The message lists them in the order of a Go map.
      post("two faults at once are both named", widgets, aWidget("bad", { size: 0, mode: "Odd" }), {
        ignore: ["message"],
      }),
      refused("a rule of CEL", { low: 5, high: 4 }),
      refused("a label value that is not one", { labels: { a: 1 } }),
      post("int-or-string takes both", widgets, aWidget("c", { share: "30%" })),
      refused("and nothing else", { share: true }),
      post("null where it is allowed", widgets, aWidget("d", { note: null })),
      post("null where it is not allowed is dropped", widgets, aWidget("k", { owner: null })),
      mergePatch("a transition rule passes the same value", `${widgets}/a`, { spec: { fixed: "x" } }),
      mergePatch("and refuses another", `${widgets}/a`, { spec: { fixed: "y" } }),
      post(
        "64-bit integers are kept exactly",
        widgets,
        '{"apiVersion":"contract.example.dev/v1","kind":"Widget","metadata":{"name":"e"},"spec":{"big":9007199254740993}}',
      ),
      post(
        "a number that no float holds is refused",
        widgets,
        '{"apiVersion":"contract.example.dev/v1","kind":"Widget","metadata":{"name":"f"},"spec":{"ratio":1e400}}',
      ),
      post(
        "of a key twice the last counts, with a warning",
        widgets,
        '{"apiVersion":"contract.example.dev/v1","kind":"Widget","metadata":{"name":"g"},"spec":{"size":4,"size":5}}',
      ),
      post(
        "strict validation refuses a key twice",
        `${widgets}?fieldValidation=Strict`,
        '{"apiVersion":"contract.example.dev/v1","kind":"Widget","metadata":{"name":"h"},"spec":{"size":4,"size":5}}',
      ),
      post(
        "names of JavaScript's own are keys like others",
        widgets,
        '{"apiVersion":"contract.example.dev/v1","kind":"Widget","metadata":{"name":"i"},"spec":{"free":{"__proto__":{"a":1},"constructor":2}}}',
      ),
      post("a body that is no JSON is refused", widgets, "{"),
      post("an empty body is refused", widgets, ""),
    ],
  },
  {
    name: "subresources",
    exchanges: [
      post(
        "status in a create is dropped",
        widgets,
        { ...aWidget("a", { size: 2 }), status: { phase: "New" } },
        { keep: { rv: "metadata.resourceVersion" } },
      ),
      mergePatch("status changes through its subresource and counts no generation", `${widgets}/a/status`, {
        status: { phase: "Up", replicas: 2 },
        spec: { size: 9 },
      }),
      mergePatch("and not through the object", `${widgets}/a`, { status: { phase: "Down" }, spec: { size: 3 } }),
      put("a replacement of status checks the version", `${widgets}/a/status`, {
        ...aWidget("a", {}, { resourceVersion: "{{rv}}" }),
        status: { phase: "X" },
      }),
      mergePatch("a wrong type in status is refused", `${widgets}/a/status`, { status: { phase: 1 } }),
      get("scale shows the replicas", `${widgets}/a/scale`),
      mergePatch("scale changes them", `${widgets}/a/scale`, { spec: { replicas: 7 } }),
      get("an unknown subresource is 404", `${widgets}/a/twist`),
      get("status can be read", `${widgets}/a/status`),
    ],
  },
  {
    name: "versions",
    exchanges: [
      post("created in one version", widgets, aWidget("a", { size: 2 })),
      get("read in another", `/apis/${GROUP}/v1beta1/namespaces/{{ns}}/widgets/a`),
      mergePatch("changed in another", `/apis/${GROUP}/v1beta1/namespaces/{{ns}}/widgets/a`, { spec: { size: 4 } }),
      get("and read in the first", `${widgets}/a`),
      post("a version in the body that is not the path's is refused", widgets, {
        ...aWidget("b"),
        apiVersion: `${GROUP}/v1beta1`,
      }),
      get("a version that is not served is 404", `/apis/${GROUP}/v2/namespaces/{{ns}}/widgets/a`),
      get("the group is discovered", `/apis/${GROUP}`),
      get("its resources too", `/apis/${GROUP}/v1`),
    ],
  },
];
