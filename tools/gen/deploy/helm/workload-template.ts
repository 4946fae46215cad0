// The Deployment and what belongs to its pods as templates: each value of workload-values.ts has its hole here.
import type { Json, JsonObject } from "../../../../src/core/json/json.ts";
import { NAME } from "../names.ts";
import { AUTHORITIES_FILE, FILES_FOLDER, TEMPLATE_FILE } from "./setting-values.ts";
import {
  type Holes,
  hole,
  moreEntries,
  optionalBlock,
  optionalText,
  replacedAt,
  template,
  withHoles,
} from "./template.ts";
import { CONTAINER, POD } from "./workload-values.ts";

/** Whether there are files for flags that name one. */
const HAS_FILES = "or .Values.builderTemplate .Values.registryAuthorities";
const FILES = `${NAME}-files`;

const holes: Holes = {
  replicas: { inline: "{{ int .Values.replicas }}" },
  image: { inline: '{{ include "farrier.image" . | quote }}' },
  flags: { lines: (indent) => [`{{- include "farrier.flags" . | trim | nindent ${indent} }}`] },
  resources: optionalBlock("resources", ".Values.resources"),
  imagePullPolicy: optionalText("imagePullPolicy", ".Values.image.pullPolicy"),
  volumeMounts: onlyWithFiles(
    "volumeMounts:",
    `  - mountPath: ${FILES_FOLDER}`,
    "    name: files",
    "    readOnly: true",
  ),
  volumes: onlyWithFiles("volumes:", "  - configMap:", `      name: ${FILES}`, "    name: files"),
  priorityClassName: optionalText("priorityClassName", ".Values.priorityClassName"),
  imagePullSecrets: {
    lines: () => [
      ...["{{- with .Values.image.pullSecrets }}", "imagePullSecrets:", "  {{- range . }}"],
      ...["  - name: {{ . | quote }}", "  {{- end }}", "{{- end }}"],
    ],
  },
  nodeSelector: optionalBlock("nodeSelector", ".Values.nodeSelector"),
  tolerations: optionalBlock("tolerations", ".Values.tolerations"),
  affinity: optionalBlock("affinity", ".Values.affinity"),
  podLabels: moreEntries(".Values.podLabels"),
  annotations: {
    lines: (indent) => [
      `{{- if or .Values.podAnnotations (${HAS_FILES}) }}`,
      "annotations:",
      "  {{- with .Values.podAnnotations }}",
      `  {{- toYaml . | nindent ${indent + 2} }}`,
      "  {{- end }}",
      // The program reads its files once: others are for other pods.
      `  {{- if ${HAS_FILES} }}`,
      '  farrier.dev/files: {{ include "farrier.files" . | sha256sum }}',
      "  {{- end }}",
      "{{- end }}",
    ],
  },
};

/** The Deployment with a hole for each value. */
export function deploymentTemplate(deployment: JsonObject): string {
  const ofContainer = ["resources", "imagePullPolicy", "volumeMounts"];
  const ofPod = ["priorityClassName", "imagePullSecrets", "nodeSelector", "tolerations", "affinity", "volumes"];
  const changes: readonly (readonly [path: string, change: (old: Json) => Json])[] = [
    ["spec.replicas", () => hole("replicas")],
    [`${CONTAINER}.image`, () => hole("image")],
    [`${CONTAINER}.args`, (args) => [...(Array.isArray(args) ? args : []), hole("flags")]],
    [CONTAINER, (container) => withHoles(container, ofContainer)],
    [POD, (pod) => withHoles(pod, ofPod)],
    ["spec.template.metadata.labels", (known) => withHoles(known, ["podLabels"])],
    ["spec.template.metadata", (metadata) => withHoles(metadata, ["annotations"])],
  ];
  return template(
    changes.reduce<Json>((object, [path, change]) => replacedAt(object, path, change), deployment),
    holes,
  );
}

/** The service account with its annotations. */
export function serviceAccountTemplate(account: JsonObject): string {
  const marked = replacedAt(account, "metadata", (metadata) => withHoles(metadata, ["annotations"]));
  return template(marked, { annotations: optionalBlock("annotations", ".Values.serviceAccount.annotations") });
}

/** The files as a ConfigMap, if there are any. */
export function filesTemplate(deployment: JsonObject): string {
  const metadata = { ...Object(deployment.metadata), name: FILES };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, [hole("data")]: null };
  const files = { lines: () => ["data:", '  {{- include "farrier.files" . | trim | nindent 2 }}'] };
  return [`{{- if ${HAS_FILES} }}\n`, template(object, { data: files }), "{{- end }}\n"].join("");
}

/** The named templates of files: those of `data`. */
export const fileLines: readonly string[] = [
  ...["{{- with .Values.builderTemplate }}", `${TEMPLATE_FILE}: {{ toYaml . | toJson }}`, "{{- end }}"],
  ...["{{- with .Values.registryAuthorities }}", `${AUTHORITIES_FILE}: {{ toJson . }}`, "{{- end }}"],
];

function onlyWithFiles(...lines: readonly string[]) {
  return { lines: () => [`{{- if ${HAS_FILES} }}`, ...lines, "{{- end }}"] };
}
