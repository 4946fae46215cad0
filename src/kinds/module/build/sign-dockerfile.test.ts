import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EL9, loaderModule, parsedModule } from "../testing/module-builders.ts";
import { signDockerfile } from "./sign-dockerfile.ts";

const subject = { kernel: EL9, arch: "amd64", module: parsedModule(loaderModule()) };
const sources = { unsignedImage: "r.example.dev/a@sha256:ab", signerImage: "r.example.dev/signer:1" };
const textFor = (...files: readonly string[]) => {
  const answer = signDockerfile(subject, { ...sources, files });
  return answer.ok ? answer.value : `refused: ${answer.problems.map(({ message }) => message).join("; ")}`;
};
const KEYS = "/run/secrets/key/key /run/secrets/cert/cert";

describe("the Dockerfile that signs", () => {
  test("takes the folder out of the unsigned image, signs what is named and puts it back", () => {
    const mounts = ["key", "cert"]
      .map((id) => `--mount=type=secret,id=${id},target=/run/secrets/${id}/${id}`)
      .join(" ");
    const files = ["/opt/lib/modules/$KERNEL_FULL_VERSION/a.ko", "/opt/lib/modules/*/b?.ko"];
    expect(textFor(...files).split("\n")).toEqual([
      "FROM r.example.dev/a@sha256:ab AS unsigned",
      "FROM r.example.dev/signer:1 AS signer",
      'COPY --from=unsigned ["/opt/lib/modules","/opt/lib/modules"]',
      `RUN ${mounts} for file in '/opt/lib/modules/${EL9}/a.ko' '/opt/lib/modules/'*'/b'?'.ko'; do sign-file sha256 ${KEYS} "$file" || exit 1; done`,
      "FROM unsigned",
      'COPY --from=signer ["/opt/lib/modules","/opt/lib/modules"]',
      "",
    ]);
  });

  test.each([
    [["/opt/a/x.ko"], "/opt/a"],
    [["/opt/a/x.ko", "/opt/b/y.ko"], "/opt"],
    [["/opt/ab/x.ko", "/opt/abc/y.ko"], "/opt"],
    [["/opt/a*/x.ko"], "/opt"],
    [["/opt/$MOD_NAME/x.ko"], "/opt/my-kmod"],
  ])("of %j moves the folder %s", (files, folder) => {
    expect(textFor(...files)).toContain(`COPY --from=signer ["${folder}","${folder}"]`);
  });

  test.each([
    ["the root", ["/a.ko"], "no folder in common"],
    ["folders that have nothing in common", ["/opt/a.ko", "/usr/b.ko"], "no folder in common"],
    ["a path that leads up", ["/opt/../etc/a.ko"], "leads up"],
    ["a relative path", ["opt/a.ko"], "may be in a path"],
    ["a command", ["/opt/$$(reboot).ko"], "may be in a path"],
    ["a quote", ["/opt/'; reboot; '.ko"], "may be in a path"],
    ["a second instruction", ["/opt/a.ko\nRUN reboot"], "may be in a path"],
    ["an unknown variable", ["/opt/$HOME/a.ko"], "no variable"],
    [
      "a thousand long paths",
      Array.from({ length: 1_000 }, (_, index) => `/opt/${"x".repeat(200)}${index}`),
      "too many",
    ],
  ])("refuses %s", (_, files, says) => {
    expect(textFor(...files)).toMatch(new RegExp(`^refused: .*${says}`));
  });

  test("has its six lines, whatever the files are called", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 4 }), (names) => {
        const text = textFor(...names.map((name) => `/opt/${name}`));
        if (!text.startsWith("refused")) expect(text.split("\n")).toHaveLength(7);
      }),
    );
  });
});
