// The order of API versions, as the real server ranks them: releases before betas before alphas, newer before older, and what
// is no such version last, by name. The first of a group is the one that clients get who name none.

const form = /^v(?<major>[1-9][0-9]*)(?:(?<stage>alpha|beta)(?<minor>[1-9][0-9]*))?$/;
const stages = ["", "beta", "alpha"];

/** Negative when `a` comes before `b`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left === undefined || right === undefined) {
    if (left === right) return a < b ? -1 : Number(a > b);
    return left === undefined ? 1 : -1;
  }
  const difference = left.findIndex((part, index) => part !== right[index]);
  return difference < 0 ? 0 : (left[difference] ?? 0) - (right[difference] ?? 0);
}

/** Numbers of which the smaller comes first. */
function rankOf(version: string): readonly number[] | undefined {
  const { major, stage = "", minor = "0" } = form.exec(version)?.groups ?? {};
  return major === undefined ? undefined : [stages.indexOf(stage), -Number(major), -Number(minor)];
}
