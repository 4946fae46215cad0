// Why a strategic merge cannot be done, and where: the kinds of failure that Kubernetes has, with a message for people.
import { cut, shownValue } from "../values/shown.ts";
import { type FieldPath, pathText } from "./path.ts";

export type StrategicMergeErrorKind =
  | "badDocument"
  | "badPatchType"
  | "mergeDirectiveInList"
  | "noMergeKey"
  | "noMergeKeyForList"
  | "mixedElementTypes"
  | "listOfLists"
  | "noElements"
  | "notAMap"
  | "badArgType"
  | "badRetainKeys"
  | "badPrimitiveList"
  | "badSetElementOrder"
  | "orderMismatch"
  | "unknownField"
  | "notStruct"
  | "expectedSlice"
  /** Kubernetes crashes on this input; here it is refused like any other. */
  | "goPanic";

const PATH_LENGTH_MAX = 200;

export type Why = { readonly problem: string; readonly remedy: string };

/** A patch that cannot be applied; nothing of it has been. */
export class StrategicMergeError extends Error {
  override readonly name = "StrategicMergeError";
  readonly kind: StrategicMergeErrorKind;
  /** For example `spec.containers[name=a].ports`; empty for the whole document. */
  readonly path: string;
  /** The layer whose patch it is, where layers have names. */
  readonly layer: string | undefined;

  readonly #at: FieldPath;
  readonly #why: Why;

  constructor(kind: StrategicMergeErrorKind, at: FieldPath, why: Why, layer?: string) {
    const path = pathText(at);
    const prefix = layer === undefined ? "" : `patch ${shownValue(layer)}: `;
    super(`${prefix}${path === "" ? "pod template" : cut(path, PATH_LENGTH_MAX)}: ${why.problem}; ${why.remedy}`);
    this.kind = kind;
    this.path = path;
    this.layer = layer;
    this.#at = at;
    this.#why = why;
  }

  /** The same error, said of the patch of a layer. */
  inLayer(layer: string): StrategicMergeError {
    return new StrategicMergeError(this.kind, this.#at, this.#why, layer);
  }
}
