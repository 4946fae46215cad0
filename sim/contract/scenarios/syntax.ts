// Names, labels, annotations, sizes: what the server refuses to store.
import { aConfigMap, aPod, configMaps, nodes, pods } from "../objects.ts";
import { mergePatch, post, type Scenario } from "../scenario.ts";
import { aWidget, GROUP, widgets } from "../widget.ts";

const named = (shows: string, name: string) => post(shows, configMaps, aConfigMap(name));
const labelled = (shows: string, labels: object) => mergePatch(shows, `${configMaps}/a`, { metadata: { labels } });

const MIB = 1024 * 1024;
const sized = (shows: string, name: string, bytes: number) =>
  post(shows, widgets, aWidget(name, { free: { filler: "x".repeat(bytes) } }), { ignore: ["spec.free"] });
const nested = (shows: string, name: string, depth: number) =>
  post(
    shows,
    widgets,
    `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":{"free":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}}`,
    { ignore: ["spec.free", "metadata.managedFields"] },
  );

export const syntax: readonly Scenario[] = [
  {
    name: "names",
    exchanges: [
      named("a plain name", "a"),
      named("dots and dashes", "a.b-c"),
      named("upper case is refused", "A"),
      named("an underscore is refused", "a_b"),
      named("a dash at the end is refused", "a-"),
      named("253 characters", "a".repeat(253)),
      named("254 are too many", "a".repeat(254)),
      named("a slash is refused", "a/b"),
      post(
        "a generated name has the prefix",
        configMaps,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "gen-" } },
        { ignore: ["metadata.name"] },
      ),
      post("a container name is a label", pods, aPod("p", { containers: [{ name: "a.b", image: "i" }] })),
      post("a pod without containers is refused", pods, aPod("q", { containers: [] })),
      post(
        "two containers of one name are refused",
        pods,
        aPod("r", {
          containers: [
            { name: "a", image: "i" },
            { name: "a", image: "i" },
          ],
        }),
      ),
      post("a widget's name is checked too", widgets, aWidget("A_b")),
      post("a node's name", nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "Bad_Name" } }),
    ],
  },
  {
    name: "labels",
    exchanges: [
      named("an object to label", "a"),
      labelled("63 characters", { k: "v".repeat(63) }),
      labelled("64 are too many", { k: "v".repeat(64) }),
      labelled("a plus sign is refused", { k: "5.10.162+" }),
      labelled("a dash at the end is refused", { k: "v-" }),
      labelled("empty is a value", { k: "" }),
      labelled("a key with a prefix", { "example.dev/k": "v" }),
      labelled("an upper-case prefix is refused", { "Example.dev/k": "v" }),
      labelled("two slashes are refused", { "a/b/c": "v" }),
      labelled("a key of 64 characters is refused", { ["k".repeat(64)]: "v" }),
      labelled("a number is refused", { k: 1 }),
      mergePatch("annotations may hold anything", `${configMaps}/a`, {
        metadata: { annotations: { k: "5.10.162+ and more" } },
      }),
      mergePatch("up to 256 KiB in all", `${configMaps}/a`, { metadata: { annotations: { k: "x".repeat(262_145) } } }),
    ],
  },
  {
    name: "sizes",
    exchanges: [
      sized("1.4 MiB are stored", "big", Math.round(1.4 * MIB)),
      sized("1.6 MiB are too large for the store", "bigger", Math.round(1.6 * MIB)),
      sized("3.2 MiB are too large for the server", "biggest", Math.round(3.2 * MIB)),
      nested("a nesting of 1,500 is stored", "deep", 1500),
      nested("a nesting of 10,050 is refused", "deeper", 10_050),
    ],
  },
];
