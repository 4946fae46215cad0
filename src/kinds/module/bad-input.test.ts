// Bad input by the numbers of the list (47–80 and 161–182), where it meets decisions: kernels that no distribution would ship, odd nodes, and
// Modules that no admission has seen. Each gets its verdict, and the rest goes on.
import { describe, expect, test } from "vitest";
import { objectIdentity } from "../../core/decision/object-identity.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { type KindCase, refused } from "../testing/kind-case.ts";
import { aModule, moduleCases } from "./testing/cases.ts";
import { EL9, loaderModule, mappedModule } from "./testing/module-builders.ts";
import { ModuleStage } from "./testing/module-stage.ts";

const image = "registry.example.com/kmod:1";
const good = { ...loaderModule(), metadata: { name: "good", namespace: "default" } };
const everyKernel = mappedModule([{ regexp: "^", containerImage: image }]);

describe("a kernel release", () => {
  const served: readonly (readonly [string, string])[] = [
    ["47 with a plus at the end", "5.10.162+"],
    ["48 with a dash at the end", "5.10.162-"],
    ["48 with a dot at the end", "5.10."],
    ["48 with an underscore at the end", "5.10_"],
    ["49 with two dots in it", "5..10"],
    ["50 of 64 characters", `5.10.0-${"a".repeat(57)}`],
    ["50 of 255 characters", `5.10.0-${"b".repeat(248)}`],
    ["51 with a blank, an at sign and more", "5.10 @,=!"],
    ["53 in capitals", "5.10.0-ABC"],
    ["53 in small letters", "5.10.0-abc"],
    ["54 that differs from another in a plus sign", "5.10.0+"],
    ["54 that differs from another in an underscore", "5.10.0_"],
    ["164 that looks like a variable", "5.10.0-$KERNEL_X"],
  ];

  test("47–51, 53, 54: that is odd but usable is served, and each has a DaemonSet of its own", () => {
    const stage = new ModuleStage(served.map(([, kernel], index) => ({ name: `n-${index}`, kernel })));
    stage.store(everyKernel).settle();
    const lines = Object.values(stage.picture());
    expect(lines.filter((line) => !line.endsWith(" ready kmod:1"))).toEqual([]);
    expect(new Set(lines).size).toBe(served.length);
    expect(stage.cluster.workloadsOf("uid-of-my-kmod")).toHaveLength(served.length);
  });

  test.each([
    ["51 leads out of its directory", "5.10/../.."],
    ["51 is a way up", ".."],
    ["51 holds a colon", "5.10:rw"],
    ["52 is missing", null],
    ["52 is empty", ""],
    ["55 holds letters beyond ASCII", "5.10.0-\u00e9"],
    ["56 holds a line break", "5.10\nX"],
    ["56 holds an escape sequence", "5.10\u001b[31m"],
  ])("that %s is reported, in print, and harms nobody else", (_name, kernel) => {
    const stage = new ModuleStage([{ name: "good" }, { name: "odd", kernel }]).store(everyKernel).settle();
    expect(stage.picture()).toEqual({ good: `${EL9} ready kmod:1`, odd: "-" });
    expect(stage.status()).toMatchObject({ problems: [{ reason: "FactUnknown", examples: ["odd"] }] });
    const [problem] = problemsOf(stage);
    expect(String(problem?.message)).not.toMatch(/\p{Cc}/u);
  });

  test("of which there are more than a status can hold are counted", () => {
    const stage = new ModuleStage(
      Array.from({ length: 120 }, (_, index) => ({ name: `n-${index}`, kernel: `6.${index}.0` })),
    );
    stage.store(everyKernel);
    stage.round();
    expect(stage.status()).toMatchObject({ kernelCount: 120, kernelsOmitted: 20 });
    expect(stage.status().kernels).toHaveLength(100);
  });
});

describe("a node", () => {
  test("57 of an architecture that no mapping names gets nothing, and says which it has", () => {
    const stage = new ModuleStage([{ name: "good" }, { name: "odd", arch: "x86_64" }]);
    stage.store(mappedModule([{ regexp: ".", arch: "amd64", containerImage: image }])).settle();
    expect(stage.picture()).toEqual({ good: expect.stringContaining(" ready kmod:1"), odd: "-" });
    expect(JSON.stringify(stage.status().problems)).toContain("x86_64");
  });

  test.each([
    ["58 whose OS image holds quotes and parentheses", { name: "odd", osImage: `Weird "OS" (1.0) [$(x)]` }],
    [
      "59 whose name has 253 characters",
      { name: `${"n".repeat(63)}.${"o".repeat(63)}.${"p".repeat(63)}.${"q".repeat(61)}` },
    ],
    ["60 whose name holds dots", { name: "ip-10-0-0-1.eu.example.com" }],
  ])("%s is served", (_name, node) => {
    const stage = new ModuleStage([node]).store(everyKernel).settle();
    expect(Object.values(stage.picture())).toEqual([`${EL9} ready kmod:1`]);
  });
});

describe("a regular expression", () => {
  test.each([
    ["67", "(a+)+$", "a".repeat(200)],
    ["68", "(a|a)*b", "a".repeat(200)],
    ["69", "(.*)*", EL9],
    ["74", "(?i)EL9", EL9],
    ["77", "\\p{Greek}*", EL9],
  ])("%s %s is answered in linear time", (_number, regexp, kernel) => {
    const stage = new ModuleStage([{ name: "a", kernel }]).store(mappedModule([{ regexp, containerImage: image }]));
    expect(stage.decide().plan.steps.length).toBeGreaterThan(0);
  });

  test("80 that overlaps with another: the first one wins", () => {
    const mappings = [
      { regexp: "el9", containerImage: image },
      { regexp: "el", containerImage: "registry.example.com/kmod:2" },
    ];
    const stage = new ModuleStage([{ name: "a" }]).store(mappedModule(mappings)).settle();
    expect(stage.imagesOn("a")).toEqual(["kmod:1"]);
  });
});

describe("a stored Module that no admission has seen", () => {
  const more: readonly KindCase[] = [
    { name: "a spec that is a list", object: { ...aModule({}), spec: [] }, verdict: refused("schema", "spec") },
    { name: "no spec", object: { ...aModule({}), spec: null }, verdict: refused("schema", "spec") },
    {
      name: "a selector that is no map",
      object: aModule({ selector: "all" }),
      verdict: refused("schema", "spec.selector"),
    },
  ];
  // A change of version is a matter of what was stored before, which a decision does not see.
  const rows = [...moduleCases(), ...more].filter(({ old }) => old === undefined);

  test.each(rows.map((row) => [row.name, row] as const))("%s: others are unaffected", (_name, { object, verdict }) => {
    const stage = new ModuleStage([{ name: "a" }]).store(good).settle();
    const before = stage.picture("good");
    const written = stage.log.length;
    stage.store(object);
    const { namespace, name } = objectIdentity(object);
    expect([namespace, stage.kind.admit(object, undefined).problems.length > 0]).toEqual([
      "default",
      verdict.is === "refused",
    ]);
    for (let round = 0; round < 3; round++) stage.round();
    expect(stage.picture("good")).toEqual(before);
    if (verdict.is === "accepted") {
      expect(stage.conditions(name).Stalled).toBe("False Succeeded");
      return;
    }
    expect(stage.log.slice(written).map(({ do: what }) => what)).toEqual(["status"]);
    expect(stage.conditions(name)).toMatchObject({ Ready: "False InvalidSpec", Stalled: "True InvalidSpec" });
  });

  test("keeps what it had, and the way back is open", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(loaderModule()).settle();
    const before = stage.picture();
    stage.store(mappedModule([{ regexp: "(", containerImage: image }])).settle();
    expect(stage.picture()).toEqual(before);
    expect(stage.conditions()).toMatchObject({ Stalled: "True InvalidSpec" });
    stage.store(loaderModule()).settle();
    expect(stage.conditions()).toMatchObject({ Ready: "True AllNodesFitted", Stalled: "False Succeeded" });
  });
});

function problemsOf(stage: ModuleStage): readonly JsonObject[] {
  const { problems } = stage.status();
  return Array.isArray(problems) ? problems : [];
}
