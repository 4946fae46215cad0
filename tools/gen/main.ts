// `npm run gen`: writes every generated file; `npm test` fails while one of them is out of date.
import { writeOutputs } from "./outputs.ts";

const written = writeOutputs();
console.log(written.length === 0 ? "all generated files are fresh" : written.map((path) => `wrote ${path}`).join("\n"));
