// The labels, annotations and gates that pods of an advanced DaemonSet carry. Kruise's own keys where it has one: its tools, and a
// return to it, rely on them.

/** Label: the revision, one value for all pods that were made or confirmed at it. */
export const REVISION_HASH = "controller-revision-hash";
/** Label: the identity of the rendered template. */
export const RENDERED_HASH = "daemonset.kruise.io/patch-combined-hash";
/** Annotation: the places of the applied patches in the patches of the revision, in the order of application. */
export const APPLIED_PATCHES = "daemonset.kruise.io/applied-patches";
/** Label: the generation of the template as old clients number it, on sets that carry TEMPLATE_GENERATION_OF_SET. */
export const TEMPLATE_GENERATION = "pod-template-generation";
export const TEMPLATE_GENERATION_OF_SET = "deprecated.daemonset.template.generation";
/** Annotation: `generation/count`: how many predecessors on this node failed one after the other at this generation. */
export const FAILURES = "daemonset.farrier.dev/failures";
/** Readiness gate of pods that may be updated in place. */
export const IN_PLACE_GATE = "InPlaceUpdateReady";
