// The webhooks as routes of an HTTP server: bytes in, a judgement of the kinds' pure functions out.
// Nobody is asked who they are: an answer tells nothing that the caller has not sent.
import { canonicalJson } from "../core/json/canonical-json.ts";
import type { Json, JsonObject } from "../core/json/json.ts";
import { parseJson } from "../core/json/parse-json.ts";
import type { Kind } from "../kinds/kind.ts";
import { type Handler, type Routes, textAnswer } from "../runtime/http/http-routes.ts";
import { type AdmissionRequest, admissionAnswer, type Judgement, readAdmissionRequest } from "./admission-review.ts";
import { convertReview } from "./conversion-review.ts";
import { judgeDefaults, judgeValidity } from "./judge.ts";
import { CONVERT_PATH, defaultsPath, validatePaths } from "./webhook-paths.ts";

/** The routes for these kinds. */
export function webhookRoutes(kinds: readonly Kind[]): Routes {
  const routes = new Map<string, Handler>();
  for (const kind of kinds) {
    const validate = admissionHandler((request) => judgeValidity(kind, request));
    for (const path of validatePaths(kind)) routes.set(`POST ${path}`, validate);
    if (kind.withDefaults === undefined) continue;
    routes.set(
      `POST ${defaultsPath(kind)}`,
      admissionHandler((request) => judgeDefaults(kind, request)),
    );
  }
  if (kinds.some(({ conversion }) => conversion !== undefined)) {
    routes.set(
      `POST ${CONVERT_PATH}`,
      handler("a ConversionReview", (review) => convertReview(kinds, review)),
    );
  }
  return routes;
}

function admissionHandler(judge: (request: AdmissionRequest) => Judgement): Handler {
  return handler("an AdmissionReview", (review) => {
    const request = readAdmissionRequest(review);
    return request === undefined ? undefined : admissionAnswer(request, judge(request));
  });
}

function handler(expected: string, answer: (review: Json) => JsonObject | undefined): Handler {
  return ({ body }) => {
    const parsed = parseJson(new TextDecoder().decode(body), "the body");
    if (!parsed.ok) return textAnswer(400, parsed.problems.map(({ path, message }) => `${path} ${message}`).join("; "));
    const answered = answer(parsed.value);
    if (answered === undefined) return textAnswer(400, `the body is not ${expected} of version v1`);
    return { status: 200, headers: { "content-type": "application/json" }, body: canonicalJson(answered) };
  };
}
