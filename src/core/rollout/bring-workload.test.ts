import { describe, expect, test } from "vitest";
import type { ObjectBody } from "../decision/step.ts";
import type { JsonObject } from "../json/json.ts";
import {
  ADOPTED,
  APPLIED,
  APPLIED_CONTENT,
  type Bringing,
  bringWorkload,
  isNarrowed,
  wantedWorkload,
} from "./bring-workload.ts";
import { parseWorkload, type Workload } from "./workload.ts";
import { EQUIVALENT_REVISIONS } from "./workload-revision.ts";

type Form = { readonly image?: string; readonly where?: JsonObject; readonly env?: boolean };
const aBody = ({ image = "v1", where = { bound: "a" }, env = false }: Form = {}): ObjectBody => ({
  ...{ apiVersion: "apps/v1", kind: "DaemonSet" },
  metadata: {
    ...{ namespace: "s", name: "a", labels: { of: "set" } },
    ownerReferences: [{ apiVersion: "x/v1", kind: "X", name: "set", uid: "owner", controller: true }],
  },
  spec: {
    ...{ selector: { matchLabels: { app: "a" } }, updateStrategy: { type: "OnDelete" } },
    template: {
      metadata: { labels: { app: "a" } },
      spec: {
        nodeSelector: where,
        containers: [{ name: "main", image, ...(env ? { env: [{ name: "A", value: "1" }] } : {}) }],
      },
    },
  },
});
/** The object as the server would have it after the step. */
const stored = (body: ObjectBody, change: { readonly annotations?: JsonObject; readonly spec?: JsonObject } = {}) => {
  const wanted = wantedWorkload(body);
  const applied = { [APPLIED]: wanted.hash, [APPLIED_CONTENT]: wanted.contentHash };
  const annotations = { ...applied, ...change.annotations };
  const spec = { revisionHistoryLimit: 10, ...(body.spec as JsonObject), ...change.spec };
  return parseWorkload({ metadata: { ...body.metadata, uid: "u", annotations }, spec });
};
const orphan = (body: ObjectBody): Workload => {
  const { ownerReferences: _gone, labels: _none, ...metadata } = body.metadata;
  return parseWorkload({
    metadata: { ...metadata, uid: "u" },
    spec: { ...(body.spec as JsonObject), updateStrategy: { type: "RollingUpdate" } },
  });
};
const bring = (form: Form, seen: Workload | undefined, hash: string | undefined = "h1") =>
  bringWorkload(wantedWorkload(aBody(form)), seen, hash);
const annotationsOf = (bringing: Bringing): unknown => {
  if (bringing.is !== "step") return bringing;
  const { step } = bringing;
  if (step.do === "apply") return step.object.metadata.annotations;
  return step.do === "patch" ? step.patch : step;
};

describe("a DaemonSet that we made", () => {
  test("is applied when it is missing, with the hashes of what is applied", () => {
    const bringing = bring({}, undefined);
    const { hash, contentHash } = wantedWorkload(aBody());
    expect(bringing).toMatchObject({ is: "step", reason: "WorkloadCreated", step: { do: "apply" } });
    expect(annotationsOf(bringing)).toEqual({ [APPLIED]: hash, [APPLIED_CONTENT]: contentHash });
  });
  test("is left alone when it is as we applied it, whatever the server added", () => {
    expect(bring({}, stored(aBody()))).toEqual({ is: "there" });
  });
  test.each([
    { name: "we want something else", form: { image: "v2" }, seen: stored(aBody()) },
    { name: "we want less", form: {}, seen: stored(aBody({ env: true })) },
    {
      name: "somebody changed a field",
      form: {},
      seen: stored(aBody(), { spec: { updateStrategy: { type: "RollingUpdate" } } }),
    },
  ])("is applied when $name", ({ form, seen }) => {
    const bringing = bring(form, seen);
    expect(bringing).toMatchObject({ is: "step", reason: "WorkloadUpdated", step: { do: "apply" } });
    expect(annotationsOf(bringing)).not.toHaveProperty([EQUIVALENT_REVISIONS]);
  });
  test("keeps its pods current when only its place changes, and says which revision was as good", () => {
    const moved = bring({ where: { bound: "b" } }, stored(aBody(), { annotations: { [EQUIVALENT_REVISIONS]: "h0" } }));
    expect(annotationsOf(moved)).toMatchObject({ [EQUIVALENT_REVISIONS]: "h1,h0" });
  });
  test("waits with such a change until the revision of its present template is known", () => {
    expect(bringWorkload(wantedWorkload(aBody({ where: { bound: "b" } })), stored(aBody()), undefined).is).toBe(
      "waiting",
    );
  });
  test("is put right at once when somebody takes its selector away: what was equivalent stays so, and nothing else", () => {
    const bare = {
      template: { ...Object(aBody().spec).template, spec: { containers: [{ name: "main", image: "v1" }] } },
    };
    const seen = stored(aBody(), { annotations: { [EQUIVALENT_REVISIONS]: "h0" }, spec: bare });
    const bringing = bringWorkload(wantedWorkload(aBody()), seen, undefined);
    expect(annotationsOf(bringing)).toMatchObject({ [EQUIVALENT_REVISIONS]: "h0" });
  });
  test("does not call equivalent what somebody else put in", () => {
    const image = { template: { spec: { containers: [{ name: "main", image: "evil" }] } } };
    const seen = stored(aBody(), { annotations: { [EQUIVALENT_REVISIONS]: "h0" }, spec: image });
    expect(annotationsOf(bring({}, seen))).toMatchObject({ [EQUIVALENT_REVISIONS]: "h0" });
  });
  test("is waited for while it is being deleted", () => {
    const seen = { ...stored(aBody()), isLeaving: true };
    expect(bring({ image: "v2" }, seen).is).toBe("waiting");
  });
  test("is not touched when another object controls it", () => {
    const seen = { ...stored(aBody()), controllerUid: "somebody" };
    expect(bring({}, seen)).toMatchObject({ is: "taken", because: expect.stringContaining('DaemonSet "a"') });
  });
});

describe("a DaemonSet that nobody controls", () => {
  const before = aBody({ where: { platform: "default" } });
  test("is adopted by a patch that takes away the former selector, and its pods stay current", () => {
    const patch = {
      metadata: {
        ...{ uid: "u", labels: { of: "set" }, ownerReferences: aBody().metadata.ownerReferences },
        annotations: expect.objectContaining({ [ADOPTED]: "true", [EQUIVALENT_REVISIONS]: "h1" }),
      },
      spec: {
        updateStrategy: { type: "OnDelete", rollingUpdate: null },
        template: { spec: { nodeSelector: { platform: null, bound: "a" } } },
      },
    };
    const bringing = bring({}, orphan(before));
    expect(bringing).toMatchObject({ is: "step", reason: "WorkloadAdopted" });
    expect(annotationsOf(bringing)).toEqual(patch);
  });
  test("has its pods replaced when the wanted template is another one", () => {
    const patched = annotationsOf(bring({ image: "v2" }, orphan(before)));
    expect(patched).toMatchObject({ metadata: { annotations: { [EQUIVALENT_REVISIONS]: null } } });
  });
  test("is not adopted before the revision of its pods is known", () => {
    expect(bringWorkload(wantedWorkload(aBody()), orphan(before), undefined).is).toBe("waiting");
  });
  test("is patched later too, and left alone when it is as wanted", () => {
    const adopted = stored(aBody(), { annotations: { [ADOPTED]: "true" } });
    expect(bring({}, adopted)).toEqual({ is: "there" });
    expect(bring({ image: "v2" }, adopted)).toMatchObject({
      is: "step",
      reason: "WorkloadUpdated",
      step: { do: "patch" },
    });
  });
});

test("a DaemonSet is narrowed when its pods go only where the wanted template says", () => {
  const wanted = wantedWorkload(aBody({ where: { bound: "a" } }));
  expect(isNarrowed(wanted, stored(aBody({ where: { bound: "a", more: "x" } })))).toBe(true);
  expect(isNarrowed(wanted, stored(aBody({ where: {} })))).toBe(false);
  expect(isNarrowed(wanted, stored(aBody({ where: { bound: "b" } })))).toBe(false);
});

test("a body without an owner is a mistake", () => {
  const { ownerReferences: _none, ...metadata } = aBody().metadata;
  expect(() => wantedWorkload({ ...aBody(), metadata })).toThrow("controlled by nobody");
});
