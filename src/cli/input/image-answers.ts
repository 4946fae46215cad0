// What commands say of images in place of a registry: nobody asks one for a command.
import type { ImageState } from "../../core/decision/snapshot.ts";

/** For who forecasts or explains: the question stays open. */
export const UNASKED: ImageState = Object.freeze({ is: "unasked" });
/** For who shows what would run: every image is taken to be there. */
export const ASSUMED_PRESENT: ImageState = Object.freeze({ is: "present", digest: "", askedMs: 0 });
