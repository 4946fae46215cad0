// Server-side apply: who owns which field, and what happens when two do.
import { aDaemonSet, configMaps, daemonSets, nodes } from "../objects.ts";
import { apply, get, mergePatch, post, type Scenario } from "../scenario.ts";
import { GROUP, widgets } from "../widget.ts";

const by = (manager: string, force = false) => `fieldManager=${manager}${force ? "&force=true" : ""}`;
const map = (entries: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", ...metadata },
  data: entries,
});
const widget = (spec: object) => ({ apiVersion: `${GROUP}/v1`, kind: "Widget", metadata: { name: "a" }, spec });

export const serverSideApply: readonly Scenario[] = [
  {
    name: "apply-built-in",
    exchanges: [
      apply("an apply creates what is not there", `${configMaps}/a?${by("one")}`, map({ x: "1", y: "1" })),
      apply("the same apply changes nothing", `${configMaps}/a?${by("one")}`, map({ x: "1", y: "1" })),
      apply("another manager adds a field of its own", `${configMaps}/a?${by("two")}`, map({ z: "1" })),
      apply("another manager's field is a conflict", `${configMaps}/a?${by("two")}`, map({ x: "2", z: "1" })),
      apply("force takes the field over", `${configMaps}/a?${by("two", true)}`, map({ x: "2", z: "1" })),
      apply("the same value is shared", `${configMaps}/a?${by("one")}`, map({ x: "2", y: "1" })),
      apply("a shared field that one gives up stays", `${configMaps}/a?${by("two")}`, map({ z: "1" })),
      apply("a field that its only owner gives up goes", `${configMaps}/a?${by("one")}`, map({ x: "2" })),
      mergePatch("a plain patch owns what it changed", `${configMaps}/a?${by("three")}`, { data: { x: "3" } }),
      apply("which is a conflict for the one who had it", `${configMaps}/a?${by("one")}`, map({ x: "2" })),
      apply("an apply without a manager is refused", `${configMaps}/a`, map({ x: "2" })),
      apply(
        "an apply with managed fields in the body is refused",
        `${configMaps}/a?${by("one")}`,
        map({}, { managedFields: [{ manager: "one" }] }),
      ),
      apply("the name must be the path's", `${configMaps}/b?${by("one")}`, map({})),
      apply("an unknown field is refused", `${configMaps}/a?${by("one")}`, { ...map({ x: "3" }), extra: 1 }),
      apply("text that is no YAML is refused", `${configMaps}/a?${by("one")}`, "{"),
      apply(
        "an apply with an old version is a conflict",
        `${configMaps}/a?${by("one", true)}`,
        map({ x: "4" }, { resourceVersion: "1" }),
      ),
      apply("a dry run changes nothing", `${configMaps}/a?${by("one", true)}&dryRun=All`, map({ x: "5" })),
      get("as the object shows", `${configMaps}/a`),
    ],
  },
  {
    name: "apply-lists",
    exchanges: [
      apply(
        "list maps by key, sets by value",
        `${widgets}/a?${by("one")}`,
        widget({ parts: [{ name: "p", note: "one" }], tags: ["a", "b"], plain: ["1"] }),
      ),
      apply(
        "another manager adds elements",
        `${widgets}/a?${by("two")}`,
        widget({ parts: [{ name: "q", note: "two" }], tags: ["b", "c"] }),
      ),
      apply(
        "a field of another's element can be added",
        `${widgets}/a?${by("two")}`,
        widget({ parts: [{ name: "p", count: 7 }, { name: "q" }], tags: ["c"] }),
      ),
      apply("an atomic list has one owner", `${widgets}/a?${by("two")}`, widget({ plain: ["2"] })),
      apply("an element goes with its last owner", `${widgets}/a?${by("one")}`, widget({ tags: ["a"], plain: ["1"] })),
      apply("a key twice is refused", `${widgets}/a?${by("one")}`, widget({ parts: [{ name: "p" }, { name: "p" }] })),
      apply("an element without its key is refused", `${widgets}/a?${by("one")}`, widget({ parts: [{ note: "x" }] })),
      apply("a set member twice is refused", `${widgets}/a?${by("one")}`, widget({ tags: ["a", "a"] })),
      apply("the schema is checked", `${widgets}/a?${by("one")}`, widget({ size: 99 })),
      apply("null drops the field for its manager", `${widgets}/a?${by("one")}`, widget({ tags: null })),
      apply("status is not part of the object", `${widgets}/a?${by("one")}`, { ...widget({}), status: { phase: "X" } }),
      apply("and has its own subresource", `${widgets}/a/status?${by("one")}`, {
        apiVersion: `${GROUP}/v1`,
        kind: "Widget",
        metadata: { name: "a" },
        status: { phase: "X" },
      }),
    ],
  },
  {
    name: "apply-node-labels",
    exchanges: [
      post("a node", nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "{{ns}}", labels: { zone: "a" } } }),
      apply("a label of ours is added", `${nodes}/{{ns}}?${by("labels")}`, {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "{{ns}}", labels: { "example.dev/ours": "1" } },
      }),
      apply("and leaves with an empty apply", `${nodes}/{{ns}}?${by("labels")}`, {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "{{ns}}" },
      }),
      apply("another's label is a conflict", `${nodes}/{{ns}}?${by("labels")}`, {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "{{ns}}", labels: { zone: "b" } },
      }),
    ],
  },
  {
    name: "apply-daemon-set",
    exchanges: [
      apply("a DaemonSet with its defaults and owners", `${daemonSets}/a?${by("one")}`, aDaemonSet("a")),
      apply(
        "an image changes by container name",
        `${daemonSets}/a?${by("one")}`,
        aDaemonSet("a", {
          template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "main", image: "img:2" }] } },
        }),
      ),
      apply("another adds an environment variable", `${daemonSets}/a?${by("two")}`, {
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name: "a" },
        spec: { template: { spec: { containers: [{ name: "main", env: [{ name: "A", value: "1" }] }] } } },
      }),
      apply("the first does not take it away", `${daemonSets}/a?${by("one")}`, aDaemonSet("a")),
    ],
  },
];
