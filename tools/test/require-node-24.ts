// Node 20 would run most tests and then fail on the odd one; better to say it once, at the start.
import { versions } from "node:process";

const major = Number(versions.node.split(".")[0]);
if (major < 24) throw new Error(`tests need Node 24, found ${versions.node}: run them with "npm test"`);
