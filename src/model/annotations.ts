/** The annotations that qvs reads and writes (docs/reference/annotations.md#annotations). */
export const dependsOnAnnotation = "vs.axis-dev.io/dependsOn";
export const ignoreChangesAnnotation = "vs.axis-dev.io/ignore-changes";
export const keepOnDeleteAnnotation = "vs.axis-dev.io/keepOnDelete";
export const revisionAnnotation = "vs.axis-dev.io/revision";
export const replaceAnnotation = "vs.axis-dev.io/replace";
/** Runs a Job once per content, also if the cluster deletes it after it has finished. */
export const runOnceAnnotation = "vs.axis-dev.io/run-once";
/** The description of the migration that a Job runs. A rollback doesn't undo the migration. */
export const migrationAnnotation = "vs.axis-dev.io/migration";
export const urlAnnotation = "vs.axis-dev.io/url";
/** The annotations that control the wait for an object (`readWaitPolicy`). */
export const waitAnnotation = "vs.axis-dev.io/wait";
export const timeoutAnnotation = "vs.axis-dev.io/timeout";
export const tolerateAnnotation = "vs.axis-dev.io/tolerate";

/**
 * The codes of findings that a user accepts: `vs.axis-dev.io/allow: image-not-pinned,
 * many-deletions`.
 */
export const allowAnnotation = "vs.axis-dev.io/allow";

/** Returns the listed codes as written; `currentCode` returns their current names. */
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
/** The namespace of the releases. Together with the name, it identifies a deployment. */
export const releaseNamespaceLabel = "vs.axis-dev.io/release-namespace";

/** The labels that qvs sets in each object of a deployment. */
export const ownLabels: ReadonlySet<string> = new Set([
  managedByLabel,
  deploymentLabel,
  releaseNamespaceLabel,
  stageLabel,
]);
