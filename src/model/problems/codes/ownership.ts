/** Objects that exist already: whose they are, which fields change, what is deleted or kept. */
export const codesOfOwnership = {
  "adopted-object":
    "The object exists already and was not created by this deployment, or was replaced by somebody since. It is managed by the deployment from now on. Give it another name if that is not meant.",
  "api-version-migrated":
    "The owners of the object's fields are recorded in an older API version and are rewritten to the declared one. Have everybody who applies the object use that version.",
  "controller-owned-field":
    "A controller of the cluster, such as an autoscaler, owns the field, so its live value stays. Name the field in the annotation `vs.axis-dev.io/ignore-changes`.",
  "dependency-deleted":
    "An object depends on another one that is no longer declared and would be deleted. Declare that one again, or remove the dependency.",
  "field-conflict":
    "Another field manager owns a field that the manifest sets. Leave the field to it with `vs.axis-dev.io/ignore-changes`, remove the field from the manifest, or take it over with `--takeover`.",
  "forced-field":
    "A field is taken from another field manager, as `--conflicts=force` or `--takeover` asks for. See that this manager does not write the field again.",
  "foreign-object":
    "An object of that name exists and belongs to another deployment, or to nobody known. Use another name, or take the object over with `--adopt`.",
  "hidden-values":
    "Texts of an object are not shown, because releases say that they came from Secrets. If they never did, find out who has changed the releases.",
  "ignored-nothing":
    "A path in the annotation `vs.axis-dev.io/ignore-changes` matches nothing. Correct or remove the path.",
  "ignored-value":
    "A field is declared with another value than before, but the annotation `vs.axis-dev.io/ignore-changes` keeps what is live. Remove its path from the annotation to have the new value deployed.",
  "immutable-field":
    'The field of an existing object cannot be changed. Give the object another name, or the annotation `vs.axis-dev.io/replace: "true"` if it may be absent for a moment.',
  "inexact-ignored-path":
    "A path in the annotation `vs.axis-dev.io/ignore-changes` matches only a part of what the server replaces as a whole. Name the whole.",
  "kept-field":
    "A field is no longer declared but stays in the cluster, because another field manager owns it too. Remove it there, take all that this manager holds with `--takeover`, or have it give the field up.",
  "kept-object":
    "An object is no longer declared but stays in the cluster, because it is not certain that this deployment created it, or because no release tells of it any more. Delete it yourself if nobody needs it.",
  "name-collision":
    "An object belongs to a deployment of the same name whose releases are in another namespace. Rename one of the two deployments or the object, or take it over with `--adopt`.",
  "object-changed":
    "An object was changed, deleted or replaced by somebody else after the plan was made. Run again: the new plan starts from what is in the cluster.",
  "one-way-field":
    "A rollback or a drift correction leaves a field at its live value, because the API server lets no one set it back: the size of a claim only grows, and others can't change once they are set. The rest of the release is restored.",
  "other-source":
    "A deployment of that name was last deployed from another repository or config. Give one of them another name, or take it over with `--adopt`.",
  "outside-namespace":
    "A release would change objects outside of its namespace that it may not change. Deploy the config instead of the release.",
  "ownership-restored":
    "Somebody has cleared `metadata.managedFields`, so that the object no longer told what belongs to the deployment. It is recorded again, as the last release has sent it. Find out who has cleared it.",
  "ownership-transfer":
    "The fields of an object are taken over from another tool. Declare what is to stay, and stop applying the object with that tool.",
  "protected-deletion":
    "An object that is no longer declared, or is to be recreated, would be deleted with everything that it holds or owns. Allow it with `--allow-delete`, declare it again, or keep it with `vs.axis-dev.io/keepOnDelete`.",
  "taken-along":
    "Objects go with one that is deleted or recreated, or claims with Pods that are no longer wanted. A preview tells it before.",
} as const;
