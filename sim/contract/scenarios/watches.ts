// Watches: where they begin, what they show, how they end.
import { aConfigMap, configMaps } from "../objects.ts";
import { del, get, mergePatch, post, type Scenario } from "../scenario.ts";
import { aWidget, widgets } from "../widget.ts";

const watch = (shows: string, path: string, query: string, events: number) =>
  get(shows, `${path}?watch=true&timeoutSeconds=2&${query}`, { events });

export const watches: readonly Scenario[] = [
  {
    name: "watch-history",
    exchanges: [
      get("a list to begin from", configMaps, { keep: { rv: "metadata.resourceVersion" } }),
      post("added", configMaps, aConfigMap("a", {}, { labels: { on: "yes" } })),
      mergePatch("modified", `${configMaps}/a`, { data: { k: "1" } }, { keep: { mid: "metadata.resourceVersion" } }),
      mergePatch("leaves the selector", `${configMaps}/a`, { metadata: { labels: { on: "no" } } }),
      mergePatch("enters it again", `${configMaps}/a`, { metadata: { labels: { on: "yes" } } }),
      del("deleted", `${configMaps}/a`),
      watch("every change since the version, in order", configMaps, "resourceVersion={{rv}}", 5),
      watch("from the middle", configMaps, "resourceVersion={{mid}}", 3),
      watch(
        "a selector turns changes into arrivals and departures",
        configMaps,
        "resourceVersion={{rv}}&labelSelector=on%3Dyes",
        5,
      ),
      watch("a field selector filters", configMaps, "resourceVersion={{rv}}&fieldSelector=metadata.name%3Db", 1),
      watch("a watch of one object by name", configMaps, "resourceVersion={{rv}}&fieldSelector=metadata.name%3Da", 2),
      watch("without a version the present comes first", configMaps, "", 1),
      watch("a version in the future is silent", configMaps, "resourceVersion=999999999", 1),
      watch("a version that is no number is refused", configMaps, "resourceVersion=abc", 1),
    ],
  },
  {
    name: "watch-list",
    exchanges: [
      post("two widgets: a", widgets, aWidget("a")),
      post("two widgets: b", widgets, aWidget("b")),
      watch(
        "initial events end with a bookmark that says so",
        widgets,
        "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
        3,
      ),
      watch("initial events need the version match", widgets, "sendInitialEvents=true&allowWatchBookmarks=true", 1),
      watch("and bookmarks may be left out", widgets, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan", 2),
      post("three configmaps: a", configMaps, aConfigMap("a")),
      watch(
        "built-in kinds too",
        configMaps,
        "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
        2,
      ),
      watch("from version 0 the present comes first", configMaps, "resourceVersion=0", 1),
    ],
  },
];
