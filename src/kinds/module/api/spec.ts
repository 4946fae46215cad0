// The parsed Module: one value for both spellings. Behind this type nobody knows which one its author used; only who wrote
// the driver's container still shows, because that is what is rendered.

import type { JsonObject } from "../../../core/json/json.ts";
import type { KernelRule } from "../../../core/kernel/kernel-rule.ts";
import type { LabelSelector } from "../../../core/labels/label-selector.ts";
import type { Toleration } from "../../../core/scheduling/taints.ts";
import type { GoRegexp } from "../../../core/values/go-regexp.ts";
import type { ImageTemplate } from "../../../core/values/image-template.ts";
import type { UpdateStrategy } from "../../schema/update-strategy-schema.ts";

export type Module = {
  readonly name: string;
  readonly namespace: string;
  /** The labels of `selector` and the conditions of `nodeSelector` together. */
  readonly selector: LabelSelector;
  readonly tolerations: readonly Toleration[];
  /** The same as they were written, for the pods. */
  readonly writtenTolerations: readonly JsonObject[];
  /** Undefined for a Module that is a device plugin alone. */
  readonly driver: Driver | undefined;
  readonly devicePlugin: DevicePlugin | undefined;
  /** The name of the Secret for registries. */
  readonly imageSecret: string | undefined;
  readonly rebuildTrigger: number | undefined;
  readonly updateStrategy: UpdateStrategy;
  /** False: the driver stays in the kernel when its pod goes. */
  readonly isUnloaded: boolean;
};

export type Driver = {
  /** In list order: the first that matches a node wins. */
  readonly mappings: readonly KernelMapping[];
  readonly container: DriverContainer;
  readonly serviceAccountName: string | undefined;
  readonly imagePullPolicy: string | undefined;
  /** For ordered upgrades; undefined for a Module without versions. */
  readonly version: string | undefined;
};

export type DriverContainer =
  /** Farrier writes the container, which calls modprobe. */
  | { readonly by: "farrier"; readonly modprobe: Modprobe }
  /** The author has written it; the mapping gives its image. */
  | { readonly by: "author"; readonly container: JsonObject; readonly volumes: readonly JsonObject[] };

export type Modprobe = {
  readonly load: ModprobeCall;
  readonly unload: ModprobeCall;
  readonly dirName: string;
  readonly firmwarePath: string | undefined;
  /** Empty where no order was given. */
  readonly loadingOrder: readonly string[];
};

export type ModprobeCall =
  /** The whole command line behind `modprobe`. */
  | { readonly kind: "raw"; readonly args: readonly string[] }
  | {
      readonly kind: "named";
      readonly moduleName: string;
      /** Undefined where modprobe's usual ones are meant. */
      readonly args: readonly string[] | undefined;
      /** Empty for unloading. */
      readonly parameters: readonly string[];
    };

export type KernelMapping = {
  /** Where it stands, as a user would find it: `spec.kernelMappings[2]`. */
  readonly place: string;
  readonly kernel: KernelRule;
  readonly arch: string | undefined;
  readonly osImage: GoRegexp | undefined;
  readonly image: ImageTemplate;
  /** Undefined where a missing image is not built. */
  readonly build: Build | undefined;
  readonly sign: Sign | undefined;
  readonly registryTls: RegistryTls;
  readonly inTreeModulesToRemove: readonly string[];
};

export type RegistryTls = { readonly isPlainHttp: boolean; readonly isAnyCertificateFine: boolean };

export type Build = {
  readonly dockerfileConfigMap: string;
  /** By name; those of the mapping have taken the place of those for all. */
  readonly args: ReadonlyMap<string, string>;
  readonly secrets: readonly string[];
  readonly baseImageTls: RegistryTls;
  readonly kanikoTag: string | undefined;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly backoffLimit: number;
};

export type Sign = {
  readonly keySecret: string;
  readonly certSecret: string;
  /** Undefined: what the build made is signed. */
  readonly unsignedImage: ImageTemplate | undefined;
  readonly unsignedImageTls: RegistryTls;
  readonly files: readonly string[];
};

export type DevicePlugin = {
  readonly container: JsonObject;
  readonly initContainer: JsonObject | undefined;
  readonly serviceAccountName: string | undefined;
  readonly automountsToken: boolean | undefined;
  readonly volumes: readonly JsonObject[];
};
