// The API of VariantSet: one daemon for a mixed fleet, in variants that nodes get by kernel, operating system, architecture
// or labels. The custom resource definition and the parser both come from here.
import * as z from "zod";
import { isJsonObject } from "../../../core/json/json.ts";
import { RULE_LENGTH_MAX } from "../../../core/kernel/kernel-rule-grammar.ts";
import { PATTERN_LENGTH_MAX } from "../../../core/values/go-regexp.ts";
import { TEMPLATE_LENGTH_MAX } from "../../../core/values/image-template.ts";
import { quoted } from "../../../core/values/shown.ts";
import { podTemplateSchema } from "../../pod-template/pod-template-schema.ts";
import { durationSchema } from "../../schema/duration-schema.ts";
import { kubeSchema } from "../../schema/kube-schema.ts";
import { LABEL_KEY_MAX, LABEL_KEY_PATTERN, labelSelectorSchema } from "../../schema/label-selector-schema.ts";
import { updateStrategySchema } from "../../schema/update-strategy-schema.ts";
import { DAEMON_SETS_MAX } from "./schema-status.ts";

export const VARIANTS_MAX = 64;
const IMAGES_MAX = 32;
const OS_WORD_MAX = 64;

const kubernetesKeyRule = Object.freeze({
  rule: "!self.matches('^([^/]*[.])?(kubernetes|k8s)[.]io/')",
  message: "belongs to Kubernetes; choose a key of your own, or leave the field out",
});

const osSchema = kubeSchema.shape("The operating system, as the node's OS image tells it.", {
  id: kubeSchema
    .text("The id of the distribution as in its os-release file: ubuntu, sles, rhcos.", {
      ...{ max: OS_WORD_MAX, min: 1, pattern: /^[a-z0-9._-]+$/ },
      form: "an id in lower case such as ubuntu",
    })
    .optional(),
  version: kubeSchema
    .text("A rule on the version's numbers, in the grammar of kernel rules: 22.04, >=15.3, 8-9.", {
      ...{ max: RULE_LENGTH_MAX, min: 1 },
    })
    .optional(),
});

const matchSchema = kubeSchema
  .shape("The nodes that the variant is for: every field that is given must match.", {
    kernel: kubeSchema
      .text("A kernel rule: 5.x, >=5.4, 4.18-5.3, a whole release, /a regular expression/, several with ||.", {
        ...{ max: RULE_LENGTH_MAX, min: 1 },
      })
      .optional(),
    os: osSchema.optional(),
    osImage: kubeSchema
      .text("A regular expression (RE2) that is found in the node's OS image.", { max: PATTERN_LENGTH_MAX, min: 1 })
      .optional(),
    arch: kubeSchema
      .text("The architecture in Go's words: amd64, arm64.", {
        ...{ max: 32, min: 1, pattern: /^[a-z0-9]+$/ },
        form: "an architecture in lower case such as amd64 or arm64",
      })
      .optional(),
    runtime: kubeSchema
      .text("The name of the container runtime: containerd, cri-o.", {
        ...{ max: 64, min: 1, pattern: /^[a-z0-9._-]+$/ },
        form: "the name of a runtime such as containerd",
      })
      .optional(),
    labels: labelSelectorSchema.over("The labels that the node must have.").optional(),
  })
  .meta({ minProperties: 1 })
  .superRefine((match, context) => {
    if (Object.keys(match).length === 0)
      context.addIssue({ code: "custom", message: "is empty; give a rule, or use spec.default for all other nodes" });
  });

/** What a variant changes in the template; the default has the same. */
const changeFields = Object.freeze({
  images: kubeSchema
    .textMap(
      "Images by name of the container; variables such as KERNEL_FULL_VERSION give each kernel its own DaemonSet.",
      {
        ...{ max: IMAGES_MAX, keyMax: 63, valueMax: TEMPLATE_LENGTH_MAX },
      },
    )
    .optional(),
  patch: kubeSchema.opaque("A strategic merge patch on the pod template.").optional(),
  daemonSetName: kubeSchema
    .text("The name of the variant's DaemonSet, to adopt one that exists; without it the name is made.", {
      ...{ max: 63, min: 1, pattern: /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/ },
      form: "a name of letters a-z, digits, - and .",
    })
    .optional(),
});

const variantSchema = kubeSchema.shape("One variant.", {
  name: kubeSchema.text("The name: the value of the node label, and part of the DaemonSet's name.", {
    ...{ max: 63, min: 1, pattern: /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/ },
    form: "letters a-z, digits, -, _ and ., with a letter or digit at both ends",
  }),
  match: matchSchema,
  ...changeFields,
});

/** The object form of `spec.default`. */
export const defaultVariantSchema = z.strictObject(changeFields, {
  error: (issue) =>
    issue.code === "unrecognized_keys"
      ? `has no field ${issue.keys.map(quoted).join(", ")}; it may have ${Object.keys(changeFields).join(", ")}`
      : undefined,
});
/** A union of a word and an object, for which structural schemas have no words: the API server takes anything here. */
const defaultSchema = z
  .custom<string | object>((value) => value === "None" || value === "Hold" || isJsonObject(value), {
    error: ({ input }) =>
      `must be "None", "Hold" or an object with images, patch or daemonSetName, not ${quoted(input)}`,
  })
  .meta({
    description:
      "What nodes get that no variant matches: None (nothing), Hold (what they have), or an object with images, patch and daemonSetName.",
    "x-kubernetes-preserve-unknown-fields": true,
  });

export const variantSetSpecSchema = kubeSchema.shape("What runs where.", {
  nodeSelector: labelSelectorSchema.over("The nodes in scope; without it all Linux nodes are.").optional(),
  template: podTemplateSchema.of("The pods, before a variant changes them."),
  variants: kubeSchema
    .list("The variants; the first that matches a node wins.", variantSchema, {
      ...{ max: VARIANTS_MAX, type: "map", keys: ["name"] },
    })
    .default([]),
  default: defaultSchema.optional(),
  onUnknown: kubeSchema
    .choice("What a node gets when a fact that a rule needs cannot be read.", ["Default", "None", "Hold"])
    .default("Hold"),
  nodeLabel: kubeSchema
    .text("The key of the label that binds a node to its variant; variant.farrier.dev/<namespace>.<name> without it.", {
      ...{ max: LABEL_KEY_MAX, min: 1, pattern: LABEL_KEY_PATTERN },
      form: "a label key such as example.com/variant",
    })
    // Admission says the same with the value; here it holds where no webhook is installed.
    .meta({ "x-kubernetes-validations": [kubernetesKeyRule] })
    .optional(),
  updateStrategy: updateStrategySchema.of().prefault({}),
  prune: kubeSchema
    .shape("When a variant's DaemonSet without nodes is deleted.", {
      after: durationSchema.of("How long it must have been without nodes.").default("10m"),
    })
    .prefault({}),
  requireImage: kubeSchema.flag("Hold a node until the registry has the image of its variant.").default(false),
  maxVariants: kubeSchema
    .wholeNumber("How many DaemonSets the set may have at once; nodes that would need another are held.", {
      ...{ min: 1, max: DAEMON_SETS_MAX },
    })
    .default(VARIANTS_MAX),
});
