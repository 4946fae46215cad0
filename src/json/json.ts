// What a parsed JSON document may hold. Integers beyond 2^53 are bigint, so that no digit of an int64 is lost.

export type Json = null | boolean | number | bigint | string | JsonList | JsonObject;
export type JsonList = readonly Json[];
export type JsonObject = { readonly [key: string]: Json };
