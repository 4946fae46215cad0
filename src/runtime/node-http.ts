// Node's HTTP module, taken without an import. An import reads every member of the module, among them those that are made when they are first
// asked for: Node then loads its whole client for the web and HTTP/2, which nobody here uses and which cost 10 MB for as long as the program runs.

/** The module `node:http`. */
export function nodeHttp(): typeof import("node:http") {
  return process.getBuiltinModule("node:http");
}
