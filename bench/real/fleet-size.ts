// How large the fleet of the stories is: 1,000 nodes, unless somebody tries them out on a small machine.
const NODES_ASKED = Number(process.env.FARRIER_BENCH_NODES ?? "");

export const NODES = NODES_ASKED > 0 ? NODES_ASKED : 1_000;

/** Errands that an oracle has under way where no budget limits it: more would only wait for one another. */
export const UNBUDGETED = 64;
