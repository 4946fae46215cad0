// The questions asked of every node: does a selector match, should a daemon run, and what are the facts.

import { compileLabelSelector, matchLabels } from "../../src/core/labels/label-selector.ts";
import { createFactsParser, parseNodeFacts } from "../../src/core/node/node-facts.ts";
import { compileDaemonEligibility, matchDaemonEligibility } from "../../src/core/scheduling/daemon-eligibility.ts";
import { atMost } from "../bar.ts";
import type { WorkComparison, Yardstick } from "../compare.ts";
import { inProcess } from "../measure.ts";
import { daemonSpec, fleet, selector } from "./fleet.ts";
import type { Go } from "./go-yardstick.ts";

const likeGo = atMost(1.5);

/** Every comparison about matching and reading nodes. */
export function matchingComparisons(go: Go): readonly WorkComparison[] {
  return [selectorComparison(go), shouldRunComparison(go), ...factsComparisons()];
}

function selectorComparison(go: Go): WorkComparison {
  const compiled = compileLabelSelector(selector);
  if (!compiled.ok) throw new Error("the selector of the benchmark does not compile");
  const labels = fleet.map((node) => parseNodeFacts(node).labels);
  const countMatches = (): number => {
    let matched = 0;
    for (const each of labels) if (matchLabels(compiled.value, each)) matched++;
    return matched;
  };
  const input = { selector, labels };
  return {
    name: "selector match, one node",
    unit: "ns",
    subject: inProcess("matchLabels", labels.length, countMatches),
    yardsticks: [
      {
        name: "Go",
        bar: likeGo,
        work: go.work({ work: "selector", operations: labels.length, input, checksum: countMatches() }),
      },
      parsing(),
    ],
  };
}

function shouldRunComparison(go: Go): WorkComparison {
  const eligibility = compileDaemonEligibility(daemonSpec, { comparisonOperators: false });
  const facts = fleet.map(parseNodeFacts);
  const countRunning = (): number => {
    let running = 0;
    for (const node of facts) if (matchDaemonEligibility(eligibility, node).shouldRun) running++;
    return running;
  };
  const input = { podSpec: daemonSpec, nodes: fleet };
  const asked = { operations: fleet.length, input, checksum: countRunning() };
  return {
    name: "should a daemon run, one node",
    unit: "ns",
    subject: inProcess("matchDaemonEligibility", fleet.length, countRunning),
    yardsticks: [
      { name: "Go, template prepared once", bar: likeGo, work: go.work({ work: "shouldRunHoisted", ...asked }) },
      { name: "Go, template prepared per node", work: go.work({ work: "shouldRunPerNode", ...asked }) },
      parsing(),
    ],
  };
}

function factsComparisons(): readonly WorkComparison[] {
  const parsers = { "node facts": parseNodeFacts, "node facts, known texts": createFactsParser() };
  return Object.entries(parsers).map(([name, parse]) => ({
    name: `${name}, one 8 KB node`,
    unit: "µs",
    subject: inProcess(name, fleet.length, () => {
      let chars = 0;
      for (const node of fleet) chars += parse(node).name.length;
      return chars;
    }),
    yardsticks: [{ ...parsing(), bar: atMost(0.5) }],
  }));
}

/** What nobody can avoid who reads a node at all. It needs no Go, so that every figure of ours is told without it too. */
function parsing(): Yardstick {
  const texts = fleet.map((node) => JSON.stringify(node));
  const work = inProcess("JSON.parse", texts.length, () => {
    let fields = 0;
    for (const text of texts) fields += Object.keys(JSON.parse(text)).length;
    return fields;
  });
  return { name: "JSON.parse of the node", work };
}
