/** Errors of existing objects: ownership, fields, deletion and keeping. */
export const ownershipCodes = {
  "adopted-object":
    "The object exists and this deployment didn't create it, or another tool replaced it. From now on, the deployment manages it. If that isn't intended, choose another name.",
  "also-deleted":
    "Objects are deleted together with a deleted or replaced object, or PersistentVolumeClaims together with Pods. A preview lists them.",
  "api-version-migrated":
    "The field owners are recorded in an older API version, and qvs rewrites them to the declared version. Update all tools that apply the object to that version.",
  "controller-owned-field":
    "A controller, such as an autoscaler, owns the field, so qvs keeps the live value. Name the field in the annotation `vs.axis-dev.io/ignore-changes`.",
  "dependency-deleted":
    "An object depends on an object that is no longer declared and would be deleted. Declare it again, or remove the dependency.",
  "deployment-source-mismatch":
    "A deployment of that name was last deployed from another repository or config. Give one of them another name, or adopt it with `--adopt`.",
  "fewer-replicas":
    "An interrupted run deleted a StatefulSet without its Pods, and the manifest declares fewer replicas than Pods exist. Declare the number of Pods, and change it in a later deployment.",
  "field-conflict":
    "Another field manager owns a field that the manifest sets. Keep the live value with `vs.axis-dev.io/ignore-changes`, remove the field from the manifest, or take ownership with `--takeover`.",
  "forced-field":
    "qvs takes ownership of a field from another field manager, as `--conflicts=force` or `--takeover` requests. Make sure that this manager no longer writes the field.",
  "foreign-object":
    "An object of that name exists and belongs to another deployment or an unknown one. Use another name, or adopt the object with `--adopt`.",
  "helm-release":
    "qvs adopts objects that Helm installed. Helm's record of the release stays and still lists them, so `helm uninstall` would delete them. Delete the record after the deployment.",
  "hidden-values":
    "qvs hides values of an object, because releases record that they came from Secrets. If they never did, find out who changed the releases.",
  "ignore-path-unmatched":
    "A path in the annotation `vs.axis-dev.io/ignore-changes` matches nothing. Correct or remove the path.",
  "ignored-value":
    "The manifest sets a new value, but the annotation `vs.axis-dev.io/ignore-changes` keeps the live value. To deploy the new value, remove its path from the annotation.",
  "immutable-field":
    'A field of an existing object is immutable. Give the object another name, or add the annotation `vs.axis-dev.io/replace: "true"` if the object can be absent for a moment. For a StatefulSet, `vs.axis-dev.io/replace: orphan` keeps its Pods.',
  "inexact-ignored-path":
    "A path in the annotation `vs.axis-dev.io/ignore-changes` matches only a part of a value that the server replaces as a whole. Name the whole value.",
  "kept-field":
    "A field is no longer declared but stays in the cluster, because another field manager owns it too. Remove it there, or take ownership of everything that this manager owns with `--takeover`.",
  "kept-object":
    "An object is no longer declared but stays in the cluster, because qvs isn't certain that this deployment created it, or no release lists it. If you don't need it, delete it manually.",
  "name-collision":
    "An object belongs to a deployment of the same name with releases in another namespace. Rename one of the two deployments or the object, or adopt it with `--adopt`.",
  "object-changed":
    "Another tool or user changed, deleted or replaced an object after qvs computed the plan. Run again. The new plan starts from the present state.",
  "one-way-field":
    "A rollback or drift correction keeps the live value of a field, because the API server doesn't allow the earlier value. For example, a PersistentVolumeClaim can only grow. qvs restores the rest of the release.",
  "outside-namespace":
    "A release would change objects outside its namespace without permission to do so. Deploy the config instead of the release.",
  "ownership-restored":
    "A user or tool cleared `metadata.managedFields`, so the object no longer showed which fields the deployment owns. qvs records them again, as in the last release. Find out who cleared it.",
  "ownership-transfer":
    "qvs takes ownership of an object's fields from another tool. Declare the fields that must stay, and stop applying the object with that tool.",
  "protected-deletion":
    "An object that is no longer declared, or must be replaced, would be deleted with everything that it contains or owns. Allow it with `--allow-delete`, declare it again, or keep it with `vs.axis-dev.io/keepOnDelete`. No flag allows a deletion that also deletes declared or kept objects: remove them from the config or delete them first.",
} as const;
