import { describe, expect, test } from "vitest";
import { type AnswerBody, bodyOf, parseHead, printHead, type RequestHead } from "./http-head.ts";

describe("a head that is read", () => {
  test("has a status and headers; names are in lower case, and what is there twice is joined", () => {
    const text = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nWarning:  299 - a \r\nwarning: 299 - b";
    expect(parseHead(text)).toEqual({
      status: 201,
      headers: { "content-type": "application/json", warning: "299 - a, 299 - b" },
      isKeepable: true,
    });
  });

  test.each([
    ["HTTP/1.1 200 OK", true],
    ["HTTP/1.1 200 OK\r\nconnection: Close", false],
    ["HTTP/1.0 200 OK", false],
    ["HTTP/1.0 200 OK\r\nconnection: keep-alive", true],
    ["HTTP/1.1 200", true],
    ["HTTP/1.1 200 ", true],
  ])("%j leaves the connection open: %s", (text, isKeepable) => {
    expect(parseHead(text)?.isKeepable).toBe(isKeepable);
  });

  test.each([
    "",
    "HTTP/2 200 OK",
    "HTTP/1.1 20 OK",
    "HTTP/1.1 2000 OK",
    "HTTP/1.1 099 OK",
    "HTTP/1.1  200 OK",
    "HTTP/1.1 200 OK\nx: y",
    "HTTP/1.1 200 OK\r\nno colon",
    "HTTP/1.1 200 OK\r\n: no name",
    "HTTP/1.1 200 OK\r\nname : blank before the colon",
    "HTTP/1.1 200 OK\r\nx: y\r\n folded",
    "HTTP/1.1 200 OK\r\nx: a\rb",
    "HTTP/1.1 200 OK\r\nx: a\0b",
    "HTTP/1.1 200 OK\r\nx:\ra",
  ])("%j is none", (text) => {
    expect(parseHead(text)).toBeUndefined();
  });

  test("may be as long as heads get, and is none for its last sign", () => {
    const names = Array.from({ length: 2_000 }, (_, place) => `h${place}`);
    const text = `HTTP/1.1 200 OK\r\n${names.map((name) => `${name}:`).join("\r\n")}`;
    expect(Object.keys(parseHead(text)?.headers ?? {})).toEqual(names);
    expect(parseHead(`${text}\0`)).toBeUndefined();
  });

  test("may use any name without harm", () => {
    const head = parseHead("HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y");
    expect(Object.entries(head?.headers ?? {})).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

describe("the body behind a head", () => {
  const body = (lines: string): AnswerBody => {
    const head = parseHead(`HTTP/1.1 ${lines}`);
    return head === undefined ? expect.unreachable("this is no head") : bodyOf(head);
  };

  test.each<[string, AnswerBody]>([
    ["200 OK\r\ncontent-length: 12", { is: "sized", bytes: 12 }],
    ["200 OK\r\ntransfer-encoding: Chunked", { is: "chunked" }],
    ["200 OK", { is: "to the close" }],
    ["204 No Content", { is: "sized", bytes: 0 }],
    ["304 Not Modified\r\ncontent-length: 12", { is: "sized", bytes: 0 }],
  ])("%j is framed", (lines, framing) => {
    expect(body(lines)).toEqual(framing);
  });

  test.each([
    ["a length and chunks", "content-length: 12\r\ntransfer-encoding: chunked"],
    ["two lengths", "content-length: 12\r\ncontent-length: 13"],
    ["a negative length", "content-length: -1"],
    ["a length in hexadecimal", "content-length: 0x10"],
    ["a length beyond numbers", "content-length: 99999999999999999999"],
    ["an empty length", "content-length:"],
    ["an encoding of transfer that we do not know", "transfer-encoding: gzip, chunked"],
    ["chunks within chunks", "transfer-encoding: chunked, chunked"],
  ])("is unclear with %s", (_what, lines) => {
    expect(body(`200 OK\r\n${lines}`).is).toBe("unclear");
  });
});

describe("a head that is written", () => {
  const head: RequestHead = {
    ...{ method: "POST", target: "/api/v1/pods?limit=5", host: "[::1]:6443", bodyBytes: 2 },
    headers: [{ accept: "application/json" }, { "impersonate-group": ["a", "b"] }],
  };

  test("names the host, every header and the length of the body", () => {
    expect(printHead(head).split("\r\n")).toEqual([
      "POST /api/v1/pods?limit=5 HTTP/1.1",
      "host: [::1]:6443",
      "accept: application/json",
      "impersonate-group: a",
      "impersonate-group: b",
      "content-length: 2",
      "",
      "",
    ]);
  });

  test("without a body says nothing of a length", () => {
    expect(printHead({ ...head, bodyBytes: undefined })).not.toContain("content-length");
  });

  test.each(["", "api", "/a b", "/a\r\nx: y", "/ü", "/a\0"])("refuses the path %j", (target) => {
    expect(() => printHead({ ...head, target })).toThrow("the path holds characters that have to be escaped");
  });

  test.each([
    ["authorization", "Bearer s3cret\r\nx: y"],
    ["authorization", "Bearer s3cret\n"],
    ["authorization", "Bearer s3cretü"],
    ["authorization", "Bearer s3cret\0"],
    ["a b", "c"],
    ["", "c"],
  ])("refuses the header %j with %j, without telling its value", (name, value) => {
    const write = () => printHead({ ...head, headers: [{ [name]: value }] });
    expect(write).toThrow(`the header ${JSON.stringify(name)} holds characters that cannot be sent`);
    expect(write).not.toThrow("s3cret");
  });
});
