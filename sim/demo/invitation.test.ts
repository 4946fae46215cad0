import { expect, test } from "vitest";
import { type DemoFacts, invitation, styleFor } from "./invitation.ts";

const facts: DemoFacts = {
  url: "https://127.0.0.1:4711",
  kubeconfigPath: "/farrier/farrier.kubeconfig",
  manifestPath: "/farrier/examples/variant-set.yaml",
  kinds: ["Module", "VariantSet"],
  currentFolder: "/farrier",
  controllers: ["daemon-set", "scheduler"],
  nodeNames: ["rack-1", "rack-2", "edge-1"],
  tookMs: 640,
  hasKubectl: true,
  hasStory: false,
};
const plain = styleFor(false, {});

test("it says what runs, who may do what, where the kubeconfig is, and what to try", () => {
  expect(invitation(facts, plain)).toBe(`Farrier runs on a control plane of its own, with simulated nodes.

  API server   https://127.0.0.1:4711 (this machine only; every token may do everything)
  controllers  daemon-set, scheduler
  operator     Module, VariantSet
  nodes        3 ready in 0.6 s: 2 rack, 1 edge
  kubeconfig   farrier.kubeconfig

Try in another terminal, in this folder:

  KUBECONFIG=farrier.kubeconfig kubectl apply -f examples/variant-set.yaml
  KUBECONFIG=farrier.kubeconfig kubectl get variantsets,daemonsets
  KUBECONFIG=farrier.kubeconfig npm run -s farrier -- explain node rack-1

Ctrl-C stops everything; only the kubeconfig stays.
`);
});

test("without kubectl it says where to get it, and how to ask with curl", () => {
  const text = invitation({ ...facts, hasKubectl: false }, plain);
  expect(text).toContain("kubectl is not on the PATH; https://kubernetes.io/docs/tasks/tools/ says how to get it");
  expect(text.match(/^ {2}curl -sk .*$/gm)).toHaveLength(2);
  expect(text).not.toContain("KUBECONFIG=");
});

test("a story has its own commands to try", () => {
  const text = invitation({ ...facts, hasStory: true }, plain);
  expect(text).not.toContain("kubectl");
  expect(text).toContain("  kubeconfig   farrier.kubeconfig\n\nCtrl-C stops everything");
});

test("a kubeconfig elsewhere is named whole, and made one word for the shell", () => {
  const text = invitation({ ...facts, kubeconfigPath: "/my files/it's" }, plain);
  expect(text).toContain(String.raw`KUBECONFIG='/my files/it'\''s' kubectl apply`);
  expect(text).toContain("Try in another terminal:");
});

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "" }, true],
  [true, { TERM: "dumb" }, false],
])("on a terminal: %s, with %j: coloured is %s", (isTerminal, env, isColoured) => {
  expect(styleFor(isTerminal, env).strong("x") !== "x").toBe(isColoured);
});
