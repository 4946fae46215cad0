// The rooms of the house and who may enter where: the table of the house style, as data.

export type Room = {
  readonly name: string;
  /** Path prefix of the room, or the one file that is the room. */
  readonly at: string;
  /** Rooms that its files may import, besides itself. */
  readonly mayImport: readonly string[];
  /** Packages of the registry that its files may import. */
  readonly packages: readonly string[];
  /** Words of another room's business, each with what to say instead. */
  readonly bannedWords: Readonly<Record<string, string>>;
};

const ourBusiness = {
  kernel: "a neutral word, or move the code to core/",
  module: "the name of what you mean, or move the code to kinds/",
  variant: "object, or move the code to kinds/",
  "patch set": "patch, or move the code to kinds/",
  farrier: "a name that is handed in",
};

const everySourceRoom = ["core", "kinds", "kube", "runtime", "controllers", "webhooks", "cli", "dashboard"];

export const rooms: readonly Room[] = [
  // The reader of JSON, which core and kube both need and neither may take from the other. The other
  // rooms read through those two, which refuse what is nested too deep.
  { name: "json", at: "src/json/", mayImport: [], packages: [], bannedWords: ourBusiness },
  { name: "core", at: "src/core/", mayImport: ["json"], packages: ["re2js"], bannedWords: {} },
  { name: "kinds", at: "src/kinds/", mayImport: ["core"], packages: ["zod"], bannedWords: {} },
  { name: "kube", at: "src/kube/", mayImport: ["json"], packages: ["yaml"], bannedWords: ourBusiness },
  {
    name: "runtime",
    at: "src/runtime/",
    mayImport: ["kube"],
    packages: ["pino", "prom-client", "undici"],
    bannedWords: ourBusiness,
  },
  {
    name: "controllers",
    at: "src/controllers/",
    mayImport: ["core", "kinds", "kube", "runtime"],
    packages: [],
    bannedWords: {},
  },
  { name: "webhooks", at: "src/webhooks/", mayImport: ["core", "kinds", "runtime"], packages: [], bannedWords: {} },
  { name: "dashboard", at: "src/dashboard/", mayImport: ["core", "kinds", "runtime"], packages: [], bannedWords: {} },
  {
    name: "cli",
    at: "src/cli/",
    mayImport: ["core", "kinds", "kube"],
    packages: ["commander", "yaml"],
    bannedWords: {},
  },
  // The program without its process, so that the demo runs the same one beside its control plane.
  { name: "assembly", at: "src/assembly/", mayImport: everySourceRoom, packages: [], bannedWords: {} },
  {
    ...{ name: "main", at: "src/main.ts", mayImport: [...everySourceRoom, "assembly"] },
    ...{ packages: ["commander"], bannedWords: {} },
  },
  // What the simulator plays with the operator in it: the only part of sim/ that knows what runs there.
  {
    name: "scenarios",
    at: "sim/scenarios/",
    mayImport: [...everySourceRoom, "assembly", "sim"],
    packages: ["yaml"],
    bannedWords: {},
  },
  { name: "sim", at: "sim/", mayImport: ["json", "core", "kube", "runtime"], packages: ["yaml"], bannedWords: {} },
];

/** The room in which a path lies; undefined outside the rooms (tools, bench, e2e), where imports are free. */
export function roomOf(path: string): Room | undefined {
  // A test lies beside what it tests, also if that is the one file of a room.
  const tested = path.replace(/\.test\.ts$/, ".ts");
  return rooms.find((room) => (room.at.endsWith("/") ? path.startsWith(room.at) : tested === room.at));
}
