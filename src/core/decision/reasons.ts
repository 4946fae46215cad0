// Every reason that Farrier gives, with its meaning and its remedy: one word each, the same in status, events, logs,
// the command line and the documents. `docs/reference/reasons.md` is generated from this list.

type Entry = { readonly meaning: string; readonly remedy: string };

const nothingToDo = "Nothing to do.";

export const reasons = {
  // All is well, or on its way.
  AllNodesFitted: { meaning: "Every node in scope runs what it should, at this generation.", remedy: nothingToDo },
  Fitted: { meaning: "The node runs the variant that its facts ask for.", remedy: nothingToDo },
  RolloutComplete: { meaning: "Every node that should be updated runs the newest revision.", remedy: nothingToDo },
  RolloutInProgress: {
    meaning: "Nodes are being moved to the newest revision within the budget.",
    remedy: "Wait, or watch it with `farrier status`.",
  },
  Succeeded: { meaning: "The last reconcile ended without trouble.", remedy: nothingToDo },
  NotObserved: {
    meaning: "The operator has not looked at this generation of the object yet.",
    remedy: "Wait; if it lasts, see with `farrier doctor` whether the operator runs.",
  },
  Progressing: { meaning: "The object changed, and the cluster is being brought in line with it.", remedy: "Wait." },

  // A node, or a class of nodes, that gets nothing.
  NotSelected: {
    meaning: "The object's node selector does not match the node's labels.",
    remedy: "Change the node's labels or the selector, if the node should be in scope.",
  },
  SelectorMatchesNothing: {
    meaning: "No node of the cluster matches the object's selector.",
    remedy: "Compare the selector with `kubectl get nodes --show-labels`.",
  },
  TaintNotTolerated: {
    meaning: "The node has a NoSchedule or NoExecute taint that the pod does not tolerate.",
    remedy: "Add a toleration, or remove the taint.",
  },
  AffinityMismatch: {
    meaning: "The pod's nodeSelector or required node affinity excludes the node.",
    remedy: "Correct the affinity in the template or patch, or the node's labels.",
  },
  KernelUnmapped: {
    meaning: "No mapping matches the node's kernel; nothing is deployed there.",
    remedy: "Add a mapping; `farrier explain node` shows the nearest miss.",
  },
  VersionNotAsked: {
    meaning:
      "The label of the node does not ask for the version of the Module; another version stays, none is loaded anew.",
    remedy: "Label the node kmm.node.kubernetes.io/version-module.<namespace>.<module>=<version> when it may move.",
  },
  KernelsMapped: { meaning: "Every kernel in scope has a mapping.", remedy: nothingToDo },
  NoVariant: {
    meaning: "No variant matches the node, and the set has no default for it.",
    remedy: "Add a variant or a default.",
  },
  DefaultUsed: {
    meaning: "No variant matches the node; it got the set's default.",
    remedy: "Add a variant, if the default does not suit it.",
  },
  FactUnknown: {
    meaning: "A fact that a rule needs could not be read from the node (kernel, OS, architecture).",
    remedy: "See the message for the raw value; correct the node's report, or set onUnknown.",
  },
  NodeNotReady: {
    meaning:
      "The node is not Ready. If it was lost with an old pod or none, it blocks no rollout; if its pod is of the newest revision, it spends the budget.",
    remedy: "Repair or drain the node.",
  },
  NodeLeaving: { meaning: "The node is being deleted.", remedy: nothingToDo },

  // Held back for a while.
  BudgetSpent: {
    meaning: "As many nodes are unavailable as the update strategy allows.",
    remedy: "Wait for them to become ready, or raise maxUnavailable.",
  },
  RolloutPartitioned: {
    meaning: "The partition keeps the node on the old revision.",
    remedy: "Lower the partition to go on.",
  },
  RolloutStalled: {
    meaning: "Updated pods do not become ready; no further node is moved.",
    remedy: "Look at the pods that the message names; fix the template or undo the rollout.",
  },
  PausedByUser: { meaning: "The object is paused.", remedy: "Set paused to false to go on." },
  WaitingForDeletion: {
    meaning: "The update strategy is OnDelete: the node gets the newest revision when somebody deletes its pod.",
    remedy: "Delete the pod, or change the strategy to RollingUpdate.",
  },
  FailedDaemonPod: {
    meaning: "The node's daemon pod failed; it is replaced after a pause that grows from failure to failure.",
    remedy: "Read the pod's status and logs; correct the template, the patch or the node.",
  },
  SucceededDaemonPod: {
    meaning: "The node's daemon pod ended without an error, which no daemon should; it is replaced.",
    remedy: "Let the container run until it is told to end.",
  },
  Settling: {
    meaning:
      "A fact of the node, or what it should run, changed a moment ago; the change is not acted upon until it has lasted.",
    remedy: "Wait.",
  },
  HandOver: {
    meaning:
      "One pod of the node waits for another: the new one until the old one is gone, or the old one until the new one serves or its hook lets go.",
    remedy: "Wait; if it takes long, look at the pod that is waited for.",
  },
  HookOverdue: {
    meaning: "A preDelete hook has held a pod for more than ten minutes; the pod stays until the hook lets it go.",
    remedy: "See to whoever should take the label or finalizer away that the message names, or take it away yourself.",
  },
  WaitingForImage: {
    meaning: "The image is not known to be in the registry yet; the node keeps what it has.",
    remedy: "Push the image, or wait for its build.",
  },
  WaitingForWorkload: { meaning: "The DaemonSet that the node needs does not exist yet.", remedy: "Wait." },
  VariantLimitReached: {
    meaning: "The set has as many DaemonSets as it may have at once, and the node needs another one.",
    remedy: "Raise spec.maxVariants, or take variants away.",
  },
  NamespaceTerminating: {
    meaning: "The object's namespace is being deleted; nothing is created in it.",
    remedy: nothingToDo,
  },

  // Images and builds.
  ImagesAvailable: { meaning: "Every image that a node needs is in its registry.", remedy: nothingToDo },
  ImageMissing: {
    meaning: "The registry does not have the image, and no build is configured for it.",
    remedy: "Push the image, correct its name, or add a build.",
  },
  ImageUnreachable: {
    meaning: "The registry could not be asked for the image.",
    remedy: "Check the registry, the pull secret and the TLS settings in the message.",
  },
  ImageInvalid: {
    meaning: "The image reference is not valid, or uses a variable that does not exist.",
    remedy: "Correct the reference that the message names.",
  },
  BuildQueued: {
    meaning: "The build waits, since as many builds run as the cluster allows.",
    remedy: "Wait, or raise the limit.",
  },
  BuildRunning: {
    meaning: "The image is being built in the cluster.",
    remedy: "Wait; the Job is named in the message.",
  },
  BuildInputMissing: {
    meaning: "The image has to be built, and the Dockerfile for it is not there or cannot be used.",
    remedy: "Create or correct the ConfigMap that the message names; it is read again within seconds.",
  },
  BuildSucceeded: { meaning: "The image was built and is in the registry.", remedy: nothingToDo },
  BuildFailed: {
    meaning: "The build failed as often as it may be retried.",
    remedy:
      "Read the end of its log in the message. Another Dockerfile, argument or secret starts a new build, and so does deleting the Job that failed.",
  },

  // Patches and rendering.
  PatchesValid: {
    meaning: "Every patch, alone and in each combination that occurs on a node, gives a valid pod.",
    remedy: nothingToDo,
  },
  PatchRejected: {
    meaning: "A patch cannot be applied to the template; only the nodes it matches are held.",
    remedy: "Correct the patch at the path in the message.",
  },
  PatchesDisabled: {
    meaning: "The gate AdvancedDaemonSetNodeLabelPatches is off; patches are ignored.",
    remedy: "Switch the gate on.",
  },

  // The object itself.
  InvalidSpec: {
    meaning: "The stored object breaks a rule; it is left as it is and nothing new is done for it.",
    remedy: "Correct the field that the message names.",
  },
  NameConflict: {
    meaning: "An object of the name we need exists and is not ours.",
    remedy: "Rename or remove that object.",
  },
  SurplusWorkload: {
    meaning: "Two DaemonSets are for one variant of the set: one of them is a copy, and nodes run pods of both.",
    remedy: "Delete the copy that the message names, or take our owner reference from it.",
  },
  BeingDeleted: {
    meaning: "The object is being deleted and a finalizer holds it; nothing is changed for it any more.",
    remedy: "See to the owner of the finalizer that the message names.",
  },
  Forbidden: {
    meaning: "The API server refuses us a verb that we need.",
    remedy: "Install the role of this version; the message names verb and resource.",
  },
  ApiTrouble: {
    meaning: "The API server did not answer as it should; we try again with growing pauses.",
    remedy: "Wait; if it lasts, look at the API server.",
  },
  OtherControllerActive: {
    meaning: "Another controller for this kind is live in the cluster; Farrier does not act on it.",
    remedy: "Remove the other controller, or tell Farrier to take over.",
  },
  LabelContested: {
    meaning: "Somebody else writes a node label that we own.",
    remedy: "Find the other writer in the node's managedFields; we report and do not fight.",
  },

  // What was done, for events.
  WorkloadCreated: { meaning: "A DaemonSet was created.", remedy: nothingToDo },
  WorkloadUpdated: { meaning: "A DaemonSet was brought in line with its object.", remedy: nothingToDo },
  WorkloadAdopted: {
    meaning: "An existing DaemonSet was taken over without restarting its pods.",
    remedy: nothingToDo,
  },
  WorkloadPruned: { meaning: "A DaemonSet that no node needs any more was deleted.", remedy: nothingToDo },
  PodCreated: { meaning: "A daemon pod was created on a node.", remedy: nothingToDo },
  PodReplaced: { meaning: "A daemon pod was deleted, to be made anew.", remedy: nothingToDo },
  PodUpdatedInPlace: { meaning: "A daemon pod was changed without being restarted as a whole.", remedy: nothingToDo },
  SuccessfulCreate: { meaning: "Pods of an advanced DaemonSet were created.", remedy: nothingToDo },
  SuccessfulDelete: { meaning: "Pods of an advanced DaemonSet were deleted.", remedy: nothingToDo },
  SuccessfulUpdatePodInPlace: {
    meaning: "Pods of an advanced DaemonSet are being changed without being recreated.",
    remedy: nothingToDo,
  },
  FailedCreate: {
    meaning: "Pods of an advanced DaemonSet could not be created.",
    remedy: "The message has the API server's words: a quota, an admission webhook, a name that is taken.",
  },
  FailedDelete: {
    meaning: "Pods of an advanced DaemonSet could not be deleted.",
    remedy: "The message has the API server's words.",
  },
  FailedUpdatePodInPlace: {
    meaning: "Pods of an advanced DaemonSet could not be changed in place.",
    remedy: "The message has the API server's words; the pod is tried again, or made anew.",
  },
  SelectingAll: {
    meaning: "The selector of an advanced DaemonSet is empty and would own every pod of its namespace.",
    remedy: "Give the labels of the template as the selector of a new set.",
  },
  NodeLabelled: { meaning: "Our label was written to a node.", remedy: nothingToDo },
  NodeUnlabelled: { meaning: "Our label was taken from a node that left the scope.", remedy: nothingToDo },
  RolloutUndone: { meaning: "The object was set back to an earlier revision.", remedy: nothingToDo },
} as const satisfies Readonly<Record<string, Entry>>;

export type Reason = keyof typeof reasons;

/** Whether a word is one of ours. */
export function isReason(word: string): word is Reason {
  return Object.hasOwn(reasons, word);
}
