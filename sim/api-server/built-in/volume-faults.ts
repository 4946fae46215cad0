// What the real server refuses in the volumes of a pod, as far as the sources that daemons use.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, objectAt, textAt } from "../api-object.ts";
import {
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../faults/field-error.ts";

/** In the order in which the real server looks at them. */
const sources = ["emptyDir", "hostPath", "secret", "nfs", "persistentVolumeClaim", "downwardAPI", "configMap"];
const laterSources = ["projected", "csi", "ephemeral", "image"];
const hostTypes = [
  ...["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"],
];

/** The faults of one volume beside those of its name. */
export function volumeFaults(volume: JsonObject, at: string): readonly FieldError[] {
  const [source, ...others] = [...sources, ...laterSources].filter((key) => volume[key] !== undefined);
  return [
    ...(source === undefined ? [] : sourceFaults(source, objectAt(volume, source), `${at}.${source}`)),
    ...others.map((other) => forbiddenValue(`${at}.${other}`, "may not specify more than 1 volume type")),
  ];
}

function sourceFaults(source: string, said: JsonObject, at: string): readonly FieldError[] {
  switch (source) {
    case "hostPath":
      return hostPathFaults(said, at);
    case "configMap":
      return [...wanted(said, "name", at), ...itemFaults(said, at)];
    case "secret":
      return [...wanted(said, "secretName", at), ...itemFaults(said, at)];
    case "persistentVolumeClaim":
      return wanted(said, "claimName", at);
    default:
      return [];
  }
}

function hostPathFaults(said: JsonObject, at: string): readonly FieldError[] {
  const [path, type] = [textAt(said, "path"), textAt(said, "type")];
  return [
    ...wanted(said, "path", at),
    ...parentFaults(path, `${at}.path`),
    ...(hostTypes.includes(type) ? [] : [unsupportedValue(`${at}.type`, type, hostTypes)]),
  ];
}

/** The faults of entries that become files. */
function itemFaults(said: JsonObject, at: string): readonly FieldError[] {
  return listAt(said, "items").flatMap((item: Json, index) => {
    if (!isJsonObject(item)) return [];
    const place = `${at}.items[${index}]`;
    return [...wanted(item, "key", place), ...wanted(item, "path", place), ...pathFaults(item, "path", place)];
  });
}

/** The faults of a path that must stay below the folder where it begins. */
export function pathFaults(holder: JsonObject, key: string, at: string): readonly FieldError[] {
  const path = textAt(holder, key);
  const isAbsolute = path.startsWith("/");
  return [
    ...(isAbsolute ? [invalidValue(`${at}.${key}`, path, "must be a relative path")] : []),
    ...parentFaults(path, `${at}.${key}`),
  ];
}

function parentFaults(path: string, field: string): readonly FieldError[] {
  return path.split("/").includes("..") ? [invalidValue(field, path, "must not contain '..'")] : [];
}

function wanted(holder: JsonObject, key: string, at: string): readonly FieldError[] {
  return textAt(holder, key) === "" ? [requiredValue(`${at}.${key}`)] : [];
}
