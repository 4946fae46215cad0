// Kernels that no distribution would ship, and Modules that no admission has seen: each gets its verdict, and the rest goes on.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { aModule } from "./cases.ts";
import { EL9, loaderModule, mappedModule } from "./module-builders.ts";
import { ModuleStage } from "./module-stage.ts";

const image = "registry.example.com/kmod:1";
const everyKernel = mappedModule([{ regexp: "^", containerImage: image }]);

describe("a kernel release", () => {
  const served: readonly (readonly [string, string])[] = [
    ["with a plus at the end", "5.10.162+"],
    ["with a dash at the end", "5.10.162-"],
    ["with a dot at the end", "5.10."],
    ["with an underscore at the end", "5.10_"],
    ["with two dots in it", "5..10"],
    ["of a hundred characters", `5.10.0-${"a".repeat(100)}`],
    ["of 255 characters", `5.10.0-${"b".repeat(248)}`],
    ["with a blank, an at sign and more", "5.10 @,=!"],
    ["in capitals", "5.10.0-ABC"],
    ["in small letters", "5.10.0-abc"],
    ["with letters beyond ASCII", "5.10.0-é"],
  ];

  test("that is odd but usable is served, and each has a DaemonSet of its own", () => {
    const stage = new ModuleStage(served.map(([, kernel], index) => ({ name: `n-${index}`, kernel })));
    stage.store(everyKernel).settle();
    const lines = Object.values(stage.picture());
    expect(lines.every((line) => line.endsWith(" ready kmod:1"))).toBe(true);
    expect(new Set(lines).size).toBe(served.length);
    expect(stage.cluster.workloadsOf("uid-of-my-kmod")).toHaveLength(served.length);
  });

  test.each([
    ["is missing", null],
    ["is empty", ""],
    ["leads out of its directory", "5.10/../.."],
    ["is a way up", ".."],
    ["holds a colon", "5.10:rw"],
    ["holds a line break", "5.10\nX"],
    ["holds an escape sequence", "5.10\u001b[31m"],
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

describe("a regular expression", () => {
  test.each([
    ["(a+)+$", "a".repeat(200)],
    ["(a|a)*b", "a".repeat(200)],
    ["(.*)*", EL9],
    ["(?i)EL9", EL9],
    ["\\p{Greek}*", EL9],
  ])("%s is answered in linear time", (regexp, kernel) => {
    const stage = new ModuleStage([{ name: "a", kernel }]).store(mappedModule([{ regexp, containerImage: image }]));
    expect(stage.decide().plan.steps.length).toBeGreaterThan(0);
  });
});

describe("a stored Module that no admission would take", () => {
  const rows: readonly (readonly [string, JsonObject])[] = [
    ["with an unbalanced expression", mappedModule([{ regexp: "(", containerImage: image }])],
    ["with a lookahead", mappedModule([{ regexp: "a(?=b)", containerImage: image }])],
    ["with an empty expression", mappedModule([{ regexp: "", containerImage: image }])],
    ["with a literal and an expression", mappedModule([{ regexp: "a", literal: "b", containerImage: image }])],
    ["with an unknown variable", mappedModule([{ regexp: ".", containerImage: `a:\${KERNEL_FOO}` }])],
    ["with an image without a tag", mappedModule([{ regexp: ".", containerImage: "registry.example.com/kmod" }])],
    ["without mappings", mappedModule([])],
    ["with nothing to run", aModule({})],
    ["with dynamic resource allocation", loaderModule({}, { dra: { driverName: "d" } })],
    ["with a toleration that means nothing", loaderModule({}, { tolerations: [{ operator: "Sometimes" }] })],
    ["with a selector that is no map", loaderModule({}, { selector: "all" })],
    ["with a budget of zero", loaderModule({}, { updateStrategy: { maxUnavailable: 0 } })],
    ["with a spec that is a list", { ...aModule({}), spec: [] }],
    [
      "without a spec",
      { apiVersion: "kmm.sigs.x-k8s.io/v1beta1", kind: "Module", metadata: aModule({}).metadata ?? {} },
    ],
  ];
  test.each(rows)("%s is left as it is, and says so", (_name, object) => {
    const stage = new ModuleStage([{ name: "a" }]).store(loaderModule()).settle();
    const before = stage.picture();
    const written = stage.log.length;
    stage.store(object).settle();
    expect(stage.picture()).toEqual(before);
    expect(stage.log.slice(written).map(({ do: what }) => what)).toEqual(["status"]);
    expect(stage.conditions()).toMatchObject({ Ready: "False InvalidSpec", Stalled: "True InvalidSpec" });
    // The way back is open.
    stage.store(loaderModule()).settle();
    expect(stage.conditions()).toMatchObject({ Ready: "True AllNodesFitted", Stalled: "False Succeeded" });
  });
});

function problemsOf(stage: ModuleStage): readonly JsonObject[] {
  const { problems } = stage.status();
  return Array.isArray(problems) ? problems : [];
}
