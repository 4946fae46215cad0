import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import type { Modprobe } from "../api/spec.ts";
import { loaderModule, parsedModule } from "../testing/module-builders.ts";
import { loadCommand, softDependencies, unloadCommand } from "./modprobe-commands.ts";

function modprobeOf(modprobe: JsonObject): Modprobe {
  const { driver } = parsedModule(loaderModule({ modprobe }));
  if (driver?.container.by !== "farrier") throw new Error("the container is the author's");
  return driver.container.modprobe;
}

describe("the loader's commands", () => {
  const named = (more: JsonObject = {}) => modprobeOf({ moduleName: "m", ...more });
  const raw = modprobeOf({ rawArgs: { load: ["-d", "/x", "m"], unload: ["-r", "m"] } });
  test.each([
    ["loads by name", loadCommand(named(), []), "modprobe -v -d /opt m"],
    [
      "loads with arguments and parameters",
      loadCommand(named({ args: { load: ["-q"] }, parameters: ["a=1"], dirName: "/o" }), []),
      "modprobe -q -d /o m a=1",
    ],
    ["loads by a raw command line", loadCommand(raw, []), "modprobe -d /x m"],
    [
      "copies firmware before",
      loadCommand(named({ firmwarePath: "/fw" }), []),
      "cp -r /fw/* /var/lib/firmware && modprobe -v -d /opt m",
    ],
    [
      "removes modules of the kernel first, where they are loaded",
      loadCommand(named(), ["a-b"]),
      "{ modprobe -r a-b || [ ! -d /sys/module/a_b ]; } && modprobe -v -d /opt m",
    ],
    ["unloads by name, without parameters", unloadCommand(named({ parameters: ["a=1"] })), "modprobe -rv -d /opt m"],
    ["unloads with arguments", unloadCommand(named({ args: { unload: ["-r"] } })), "modprobe -r -d /opt m"],
    ["unloads by a raw command line", unloadCommand(raw), "modprobe -r m"],
    [
      "unloads what it loaded in order",
      unloadCommand(named({ modulesLoadingOrder: ["m", "b"] })),
      "modprobe -rv -d /opt m b",
    ],
    [
      "takes firmware away again",
      unloadCommand(named({ firmwarePath: "/fw" })),
      "modprobe -rv -d /opt m && cd /fw && find . -type f -exec rm -f /var/lib/firmware/{} \\;",
    ],
  ])("%s", (_name, command, expected) => expect(command).toBe(expected));

  test("know no order where none was given", () => expect(softDependencies(named())).toBeUndefined());
});
