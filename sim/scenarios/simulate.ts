// The entry of `npm run sim`. What was compiled is kept from run to run: without that each thread spends a second on it before its
// first history. A cache helps only who is loaded after it was switched on, hence the import below.
import { enableCompileCache } from "node:module";
import process from "node:process";

enableCompileCache();
const { simulateAll } = await import("./simulate-all.ts");
process.exitCode = await simulateAll(process.argv.slice(2), import.meta.url);
