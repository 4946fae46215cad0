import { expect, test } from "vitest";
import { chooseProxy, type Environment } from "./node-proxy-choice.ts";

const https = "https://api.example.com:6443";
const proxied: Environment = { HTTPS_PROXY: "http://p:3128" };

test.each<[what: string, target: string, env: Environment, proxy: string | undefined]>([
  ["nothing is set", https, {}, undefined],
  ["HTTPS_PROXY is set", https, proxied, "http://p:3128"],
  ["https_proxy is set", https, { https_proxy: "http://p:3128" }, "http://p:3128"],
  ["the proxy has no scheme", https, { HTTPS_PROXY: "p:3128" }, "http://p:3128"],
  ["only HTTP_PROXY is set", https, { HTTP_PROXY: "http://p:3128" }, undefined],
  ["the address is plain HTTP", "http://a.example", { http_proxy: "http://p:3128" }, "http://p:3128"],
  ["the address is plain HTTP and only HTTPS_PROXY is set", "http://a.example", proxied, undefined],
  ["the address is localhost", "https://localhost:6443", proxied, undefined],
  ["the address is loopback", "https://127.0.0.2:6443", proxied, undefined],
  ["the address is loopback of IPv6", "https://[::1]:6443", proxied, undefined],
])("%s", (_what, target, env, proxy) => {
  expect(chooseProxy(new URL(target), env)?.origin).toBe(proxy);
});

test.each<[noProxy: string, target: string, isDirect: boolean]>([
  ["*", https, true],
  ["api.example.com", https, true],
  ["API.Example.Com", https, true],
  ["example.com", https, true],
  [".example.com", https, true],
  ["*.example.com", https, true],
  [".example.com", "https://example.com", false],
  ["ample.com", https, false],
  ["other.example, .svc", "https://kubernetes.default.svc", true],
  ["api.example.com:6443", https, true],
  ["api.example.com:443", https, false],
  ["api.example.com:443", "https://api.example.com", true],
  ["10.0.0.0/8", "https://10.96.0.1", true],
  ["10.0.0.0/8", "https://11.96.0.1", false],
  ["10.96.0.1", "https://10.96.0.1:443", true],
  ["fd00::/8", "https://[fd00::1]:6443", true],
  ["[fd00::1]:6443", "https://[fd00::1]:6443", true],
  ["[fd00::1]:443", "https://[fd00::1]:6443", false],
])("NO_PROXY=%s makes %s direct: %s", (noProxy, target, isDirect) => {
  for (const name of ["NO_PROXY", "no_proxy"]) {
    expect(chooseProxy(new URL(target), { ...proxied, [name]: noProxy }) === undefined).toBe(isDirect);
  }
});

test.each(["socks5://u:s3cret@p:1080", "http://"])("the proxy %s is refused, and not repeated", (written) => {
  const choose = () => chooseProxy(new URL(https), { HTTPS_PROXY: written });
  expect(choose).toThrow("HTTPS_PROXY must be the address of an HTTP proxy");
  expect(choose).not.toThrow("s3cret");
});
