// Node's HTTP library, taken without an import. An import reads every member, among them those that are made when they are first asked for:
// Node then loads its whole client for the web and HTTP/2, which nobody here uses and which cost memory for as long as the program runs.

/** What `node:http` holds. */
export function nodeHttp(): typeof import("node:http") {
  return process.getBuiltinModule("node:http");
}
