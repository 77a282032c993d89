/** Names that users write and see (docs/reference/annotations.md#annotations). */
export const dependsOnAnnotation = "vs.axis-dev.io/dependsOn";
export const ignoreChangesAnnotation = "vs.axis-dev.io/ignore-changes";
export const keepOnDeleteAnnotation = "vs.axis-dev.io/keepOnDelete";
export const revisionAnnotation = "vs.axis-dev.io/revision";
export const replaceAnnotation = "vs.axis-dev.io/replace";
/** On a Job: what it migrates, in words. A rollback does not undo it. */
export const migrationAnnotation = "vs.axis-dev.io/migration";
export const urlAnnotation = "vs.axis-dev.io/url";

/** Codes of findings that are meant: `vs.axis-dev.io/allow: image-not-pinned, many-deletions`. */
export const allowAnnotation = "vs.axis-dev.io/allow";

export function allowedCodes(text: string): readonly string[] {
  return text
    .split(",")
    .map((code) => code.trim())
    .filter((code) => code !== "");
}

export const managedByLabel = "app.kubernetes.io/managed-by";
export const managedByValue = "qvs";
export const deploymentLabel = "vs.axis-dev.io/deployment";
export const stageLabel = "vs.axis-dev.io/stage";
/** Where the releases of the deployment are: a deployment is known by its name in this namespace. */
export const releaseNamespaceLabel = "vs.axis-dev.io/release-namespace";
