// A program for one test: it starts a cluster, tells who runs where, and waits to be killed.
import { controlPlaneAvailability } from "../binaries.ts";
import { startCluster } from "../cluster.ts";

const answer = controlPlaneAvailability("api");
if (!answer.available) throw new Error(answer.reason);
const cluster = await startCluster({ binaries: answer.binaries, parts: "api" });
const pids = [cluster.part("etcd").pid, cluster.part("kube-apiserver").pid, cluster.supervisorPid];
process.stdout.write(`${JSON.stringify({ folder: cluster.folder, pids })}\n`);
