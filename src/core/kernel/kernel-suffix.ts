// What stands behind the numbers of a kernel release: ABI, flavour, distribution and architecture. Every distribution
// has its own order, so this is a description, read as far as it is clear; no rule compares it.

export type KernelSuffix = {
  /** The distribution's own build number: `66` in 5.4.0-66-generic, `427.13.1` in 5.14.0-427.13.1.el9_4.x86_64. */
  readonly abi: string | undefined;
  /** What the build is for: `generic`, `azure`, `nvidia-64k`, `rt`. */
  readonly flavour: string | undefined;
  /** The distribution's tag: `el9_4`, `fc40`, `amzn2023`. */
  readonly distro: string | undefined;
  /** The architecture as the release spells it: `x86_64`, `amd64`. */
  readonly arch: string | undefined;
  /** The release candidate: `rc3`. */
  readonly candidate: string | undefined;
};

const ARCHES: ReadonlySet<string> = new Set(
  "x86_64 amd64 i386 i686 aarch64 arm64 armv7l armv7hl ppc64le ppc64el s390x riscv64 loongarch64 mips64".split(" "),
);

const DISTRO_TAG = /^(?:el|fc|amzn|deb|oe|an|al|ky|ph|cm|azl|eulerosv|tl|mga|lp)\d\w*$/;
const CANDIDATE = /^rc\d+$/;
/** RHEL 8 and older write the real-time patch level between ABI and distribution: 4.18.0-553.rt7.342.el8_10.x86_64. */
const REAL_TIME_PATCH = /^rt\d+$/;
const NUMBER = /^\d+$/;
const BUILD_START = /^(?:\d+(?:\.|$)|\.)/;

/** Returns what the text behind the numeric parts says; what it does not say is undefined. */
export function parseKernelSuffix(suffix: string): KernelSuffix {
  const abi: string[] = [];
  const flavour: string[] = [];
  const found: { distro?: string; arch?: string; candidate?: string } = {};

  const describe = (word: string): boolean => {
    if (ARCHES.has(word)) found.arch = word;
    else if (DISTRO_TAG.test(word)) found.distro = word;
    else if (CANDIDATE.test(word)) found.candidate = word;
    else return false;
    return true;
  };

  for (const segment of suffix.split(/[-+~]/)) {
    if (segment === "" || describe(segment)) continue;
    const isBuild = flavour.length === 0 && BUILD_START.test(segment);
    if (!isBuild) {
      flavour.push(segment);
      continue;
    }
    const words = segment.split(".").filter((word) => word !== "");
    const numbersEnd = words.findIndex((word) => !NUMBER.test(word));
    abi.push(words.slice(0, numbersEnd === -1 ? words.length : numbersEnd).join("."));
    for (const word of numbersEnd === -1 ? [] : words.slice(numbersEnd)) {
      if (!describe(word) && REAL_TIME_PATCH.test(word)) flavour.push("rt");
    }
  }

  return {
    abi: joined(abi),
    flavour: joined(flavour),
    distro: found.distro,
    arch: found.arch,
    candidate: found.candidate,
  };
}

function joined(words: readonly string[]): string | undefined {
  return words.join("-") || undefined;
}
