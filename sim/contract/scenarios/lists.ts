// Lists: selectors, pages, versions, tables.
import { aConfigMap, aPod, configMaps, pods } from "../objects.ts";
import { get, post, type Scenario } from "../scenario.ts";
import { aWidget, widgets } from "../widget.ts";

const few = ["a", "b", "c", "d", "e"];
const filled = few.map((name, index) =>
  post(
    `five objects: ${name}`,
    configMaps,
    aConfigMap(name, {}, { labels: { odd: String(index % 2), [`only-${name}`]: "" } }),
  ),
);
const listVersion = ["metadata.resourceVersion"];
const selected = (shows: string, selector: string) =>
  get(shows, `${configMaps}?labelSelector=${encodeURIComponent(selector)}`, { ignore: listVersion });
const byField = (shows: string, path: string, selector: string) =>
  get(shows, `${path}?fieldSelector=${encodeURIComponent(selector)}`, { ignore: listVersion });

export const lists: readonly Scenario[] = [
  {
    name: "selectors",
    exchanges: [
      ...filled,
      selected("equality", "odd=1"),
      selected("double equals", "odd==1"),
      selected("inequality takes what lacks the key", "only-a!=x"),
      selected("sets", "odd in (1,2),!only-b"),
      selected("existence", "only-c"),
      selected("a selector that cannot be read is refused", "odd in"),
      selected("a value that is no label is refused", "odd=+"),
      byField("by name", configMaps, "metadata.name=c"),
      byField("not by name", configMaps, "metadata.name!=c,metadata.name!=d"),
      byField("by a field that is not indexed is refused", configMaps, "data.x=1"),
      post("a pod on a node", pods, aPod("p", { nodeName: "n-1" })),
      byField("pods by node", pods, "spec.nodeName=n-1"),
      byField("pods by phase", pods, "status.phase=Running"),
      post("a widget", widgets, aWidget("w")),
      byField("custom resources by name", widgets, "metadata.name=w"),
      byField("and by nothing else", widgets, "spec.size=3"),
    ],
  },
  {
    name: "pages",
    exchanges: [
      ...filled,
      get("the first page says where the next begins", `${configMaps}?limit=2`, {
        keep: { next: "metadata.continue", rv: "metadata.resourceVersion" },
      }),
      post("a later object", configMaps, aConfigMap("aa")),
      get("the next page is of the same version", `${configMaps}?limit=2&continue={{next}}`, {
        keep: { last: "metadata.continue" },
      }),
      get("the last page has no successor", `${configMaps}?limit=2&continue={{last}}`),
      get("a position that cannot be read is refused", `${configMaps}?limit=2&continue=nonsense`),
      get("an exact version", `${configMaps}?limit=10&resourceVersion={{rv}}&resourceVersionMatch=Exact`),
      get(
        "a version in the future times out",
        `${configMaps}?resourceVersion=999999999&resourceVersionMatch=NotOlderThan`,
      ),
      get("a match without a version is refused", `${configMaps}?resourceVersionMatch=Exact`),
      get("a version that is no number is refused", `${configMaps}?resourceVersion=abc`),
      get("a limit that is no number is refused", `${configMaps}?limit=x`),
      get("what exists nowhere is an empty list", "/api/v1/namespaces/contract-nowhere/configmaps", {
        ignore: listVersion,
      }),
    ],
  },
];
