// The contract: every scenario, by theme.
import type { Scenario } from "../scenario.ts";
import { concurrency } from "./concurrency.ts";
import { customResources } from "./custom-resources.ts";
import { deletion } from "./deletion.ts";
import { lists } from "./lists.ts";
import { oddRequests } from "./odd-requests.ts";
import { others } from "./others.ts";
import { patches } from "./patches.ts";
import { serverSideApply } from "./server-side-apply.ts";
import { syntax } from "./syntax.ts";
import { watches } from "./watches.ts";

export const scenarios: readonly Scenario[] = [
  ...concurrency,
  ...deletion,
  ...patches,
  ...serverSideApply,
  ...customResources,
  ...syntax,
  ...lists,
  ...watches,
  ...oddRequests,
  ...others,
];
