import { isIPv4, isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAddressWithin, reachOf } from "./node-address-reach.ts";

describe("reachOf", () => {
  test.each([
    ["8.8.8.8", "public"],
    ["2606:4700::1111", "public"],
    ["172.32.0.1", "public"],
    ["10.1.2.3", "site"],
    ["172.16.0.1", "site"],
    ["172.31.255.255", "site"],
    ["192.168.1.1", "site"],
    ["100.64.0.1", "site"],
    ["fd12:3456::1", "site"],
    ["127.0.0.1", "never"],
    ["127.8.9.10", "never"],
    ["0.0.0.0", "never"],
    ["169.254.169.254", "never"],
    ["100.100.100.200", "never"],
    ["168.63.129.16", "never"],
    ["224.0.0.1", "never"],
    ["255.255.255.255", "never"],
    ["::1", "never"],
    ["::", "never"],
    ["fe80::1", "never"],
    ["fe80::1%eth0", "never"],
    ["ff02::1", "never"],
    ["fd00:ec2::254", "never"],
    ["2002:7f00:1::", "never"],
    // IPv4 behind IPv6 is judged as what it is.
    ["::ffff:127.0.0.1", "never"],
    ["::ffff:7f00:1", "never"],
    ["0:0:0:0:0:ffff:a9fe:a9fe", "never"],
    ["::ffff:10.0.0.1", "site"],
    ["::ffff:8.8.8.8", "public"],
    ["64:ff9b::7f00:1", "never"],
    ["64:ff9b::8.8.8.8", "public"],
    // What is no address leads nowhere good.
    ["example.dev", "never"],
    ["", "never"],
    ["1.2.3", "never"],
    ["01.2.3.4", "never"],
    ["256.1.1.1", "never"],
    ["1::2::3", "never"],
    ["1:2:3:4:5:6:7", "never"],
    ["1:2:3:4:5:6:7:8:9", "never"],
    ["12345::", "never"],
  ])("%s is %s", (address, reach) => {
    expect(reachOf(address)).toBe(reach);
  });

  test("what Node takes for no address is not reached, and every address has one answer however it is written", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        if (!isIPv4(text) && !isIPv6(text)) expect(reachOf(text)).toBe("never");
        if (isIPv4(text)) expect(reachOf(`::ffff:${text}`)).toBe(reachOf(text));
        if (isIPv6(text)) expect(reachOf(text.toUpperCase())).toBe(reachOf(text));
      }),
    );
  });
});

test.each([
  ["10.1.2.3", "10.0.0.0/8", true],
  ["11.1.2.3", "10.0.0.0/8", false],
  ["10.0.0.7", "10.0.0.7", true],
  ["10.0.0.8", "10.0.0.7", false],
  ["fd00::5", "fd00::/64", true],
  ["10.0.0.1", "::/0", false],
  ["10.0.0.1", "nonsense", false],
])("%s within %s: %s", (address, network, is) => {
  expect(isAddressWithin(address, network)).toBe(is);
});
