// The reference page of metrics, from the registry that the operator serves.
import { PROGRAM } from "../../src/assembly/program-run.ts";
import { createOperator } from "../../src/controllers/loop/create-operator.ts";
import { createKinds } from "../../src/kinds/all-kinds.ts";
import { createLog } from "../../src/runtime/log/log.ts";
import { createMetrics } from "../../src/runtime/metrics/metrics.ts";
import type { Output } from "./outputs.ts";

/** `docs/reference/metrics.md`: every figure with its type, its labels and what it tells. */
export function generateMetricsPage(): Output {
  const rows = registryOfThePage()
    .getMetricsAsArray()
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((figure) => `| \`${figure.name}\` | ${figure.type} | ${labelsOf(figure)} | ${figure.help} |`);
  const content = `# Metrics

Served in the text format of Prometheus at \`/metrics\` of the port that \`--http-port\` names. Each label has few values;
only \`daemonset_patches_…\` carry names of objects, of a bounded number. The figures of the process (\`process_…\`, \`nodejs_…\`) are those of prom-client, but for the sampled lag of the event loop. This page is generated from the
registry by \`npm run gen\`.

| name | type | labels | meaning |
|---|---|---|---|
${rows.join("\n")}
`;
  return { path: "docs/reference/metrics.md", content };
}

/** An operator that is put together and never runs has registered all its figures. */
function registryOfThePage() {
  const metrics = createMetrics(PROGRAM);
  const clock = { wallMs: () => 0, monotonicMs: () => 0, after: () => () => undefined };
  const nobody = () => Promise.reject(new Error("a page asks no cluster"));
  const log = createLog({ write: () => undefined }, clock, { level: "error" });
  const ports = {
    transport: { request: nobody, stream: nobody },
    clock,
    rand: { next: () => 0 },
    log,
    identity: "page",
  };
  createOperator(ports, { kinds: createKinds(), program: PROGRAM, metrics });
  return metrics.registry;
}

/** The library's type does not tell them. */
function labelsOf(figure: object): string {
  return "labelNames" in figure && Array.isArray(figure.labelNames) ? figure.labelNames.join(", ") : "";
}
