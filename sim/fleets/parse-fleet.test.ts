import { describe, expect, test } from "vitest";
import { parseFleet } from "./parse-fleet.ts";

const group = (changes: Readonly<Record<string, unknown>> = {}) => ({
  ...{ name: "n-##", count: 3, os: "Ubuntu 24.04", arch: "amd64", kernel: "6.8.0" },
  ...changes,
});
const parse = (fleet: unknown) => parseFleet("my.yaml", JSON.stringify(fleet, null, 1));

test("what a group leaves out is empty, and a plain value is a mix of one", () => {
  expect(parse({ groups: [group()] })).toEqual({
    seed: 1,
    groups: [
      {
        ...{ name: "n-##", count: 3, osImage: "Ubuntu 24.04", arch: "amd64" },
        kernel: [{ value: "6.8.0", weight: 1 }],
        ...{ labels: {}, taints: [], capacity: {} },
      },
    ],
  });
});

test("labels may be empty texts and mixes, amounts may be numbers", () => {
  const labels = { role: "", zone: ["a", { value: "b", weight: 2 }] };
  const [first] = parse({ groups: [group({ labels, capacity: { cpu: 4, memory: "8Gi" } })] }).groups;
  expect(first?.labels).toEqual({
    role: [{ value: "", weight: 1 }],
    zone: [
      { value: "a", weight: 1 },
      { value: "b", weight: 2 },
    ],
  });
  expect(first?.capacity).toEqual({ cpu: "4", memory: "8Gi" });
});

describe("a fault is named with file, line, field and remedy", () => {
  test.each([
    [{}, "my.yaml:1:1: groups has 0 entries; give 1 to 100 groups of machines"],
    [{ groups: [group({ count: 0 })] }, "groups[0].count is 0; give a whole number from 1 to 5000"],
    [{ groups: [group({ count: undefined })] }, "groups[0].count is missing; give a whole number"],
    [{ groups: [group({ count: 5000 }), group({ name: "m-#" })] }, "groups add up to 5003 machines; give at most 5000"],
    [{ groups: [group({ name: "n" })] }, 'groups[0].name is "n" for 3 machines; add # for each digit, such as "n-###"'],
    [{ groups: [group({ name: "N_#" })] }, 'groups[0].name is "N_#", but the name of a node may hold only'],
    [{ groups: [group(), group({ name: "n-#" })] }, 'groups[1].name is "n-#" as in another group'],
    [{ groups: [group({ os: undefined })] }, "groups[0].os is missing; give what the node says of its system"],
    [{ groups: [group({ arch: "x86_64" })] }, 'groups[0].arch is "x86_64"; give one of amd64, arm64'],
    [{ groups: [group({ kernel: 6.8 })] }, "groups[0].kernel must be text; put it in quotes"],
    [{ groups: [group({ kernel: [] })] }, "groups[0].kernel is an empty list; give a text"],
    [{ groups: [group({ kernel: [{ value: "6", weight: 0 }] })] }, "groups[0].kernel[0].weight is 0; give a whole"],
    [{ groups: [group({ kernel: "" })] }, 'groups[0].kernel is "", but the value must be what uname -r prints'],
    [{ groups: [group({ labels: { "a b": "c" } })] }, "groups[0].labels.a b is no label key: it may hold only letters"],
    [{ groups: [group({ labels: { a: "b c" } })] }, 'groups[0].labels.a is "b c", but the value may hold only letters'],
    [
      { groups: [group({ taints: [{ key: "k", effect: "Never" }] })] },
      'groups[0].taints[0].effect is "Never"; give one of NoSchedule',
    ],
    [{ groups: [group({ capacity: { cpu: "lots" } })] }, 'groups[0].capacity.cpu is "lots"; give an amount such as'],
    [{ groups: [group({ kernels: "6" })] }, "groups[0].kernels is not known; the fields here are name, count, kernel"],
  ])("%j", (fleet, message) => {
    expect(() => parse(fleet)).toThrow(message);
  });

  test("a text that is no YAML", () => {
    expect(() => parseFleet("my.yaml", "groups: [")).toThrow(/^my\.yaml:1:\d+: not valid YAML/);
  });
});
