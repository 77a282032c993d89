/** What adapters are made of, and what they evaluate to. */
export const codesOfAdapters = {
  "cluster-field-left-out":
    "The manifest has a field that only the cluster writes, such as `status` or `metadata.uid`, often because it was copied from `kubectl get -o yaml`. It is not sent; remove it from the adapter.",
  "conflicting-values":
    "Two different values are given for one field, or a value breaks a rule of the adapter. Make them agree: change the parameter that one of them comes from, or the adapter.",
  "cue-version-too-old":
    "The module uses what is known only since a newer version of CUE than it declares. Raise `language.version` in its cue.mod/module.cue.",
  "dependency-cycle":
    "Deployments or objects wait for each other, so none could be first. Remove one of the dependencies.",
  "deprecated-syntax":
    "The adapter uses an old form of CUE, which is still understood. Newer versions of CUE need the new form.",
  "duplicate-object":
    "Several resources declare the same object. Give them one resource id, so that they are unified, or different names.",
  "embedded-file-unreadable":
    "An `@embed` names a file that does not exist, is too large, or leads out of its module. Correct the name, which counts from the directory of the CUE file, or commit the file.",
  "empty-config":
    "Nothing is declared any more, and everything that is live would be deleted. Look for what made the config empty, or allow it with `--allow-delete`.",
  "evaluation-cycle":
    "A value or a struct of the adapter is made from itself. Make it from something else, or make the field optional.",
  "evaluation-failed":
    "CUE could not compute a value. Correct the adapter, or the parameter that the value is made from.",
  "evaluation-limit":
    "The evaluation took too long, too much memory or too many levels and was stopped. Look in the adapter for a comprehension, a list or a definition that grows without end.",
  "incomplete-value":
    "A field has no concrete value. Give the parameter that it is made from, or set it in the adapter.",
  "invalid-annotation":
    "An annotation of this program has a value that cannot be understood. Write it in the form that docs/reference describes.",
  "invalid-composite":
    "An entry of `composites` in the adapter does not have the right form. Write `{pattern: PACKAGE.DesignPattern, params: {…}}`.",
  "invalid-cue":
    "A CUE file cannot be loaded: its syntax or its imports are wrong. Correct it at the place that is named.",
  "invalid-name":
    "A name is not allowed for an object or a deployment. Use lower-case letters, digits and hyphens; a `generateName` is not supported.",
  "invalid-object":
    "A resource is not a valid Kubernetes object, or the API server finds a value in it invalid. Correct the adapter, or the parameter that the value is made from.",
  "no-resources":
    "An adapter declares no resources, so nothing is deployed for it. Nothing has to be done for CI/CD adapters, which are run by their own pipeline.",
  "not-an-adapter":
    "The package has no field `DesignPattern` that is a struct, so it is not an adapter. Correct the import path or the package.",
  "null-left-out":
    "The manifest has null in a field in which the API server stores none: in a kind of Kubernetes, or where a CustomResourceDefinition declares the field without `nullable: true`. qvs does not send it. Remove the field from the adapter, or give it a value.",
  "pulumi-function":
    "A manifest calls a function of Pulumi (`fn::…`), which only Pulumi can compute. The manifest is shown, and `deploy` refuses it before anything is changed. Write the value itself, or give it by a parameter.",
  "pulumi-options-ignored":
    "A resource has options of Pulumi that have no effect, because it is applied without Pulumi. Use the annotations of this program instead.",
  "reference-not-found":
    "A name, an import or a reference leads to nothing. Declare it, or correct the name.",
  "trace-left-out":
    "Where fields come from would take too long to find out for this adapter, so previews leave it out. The manifests and the plan are the same without it.",
  "unknown-field":
    "A field, a stage or a key has a name that nobody reads, or that is not allowed there. Correct or remove it.",
  "unknown-pattern":
    "There is no adapter at that import path. Write the path of its module and the folder in it, without a version.",
  "unknown-resource":
    "There is no resource or field of that name in the deployment. Choose one that the message names.",
  "unresolved-reference":
    "A reference has no value at the time when it is needed: it is known only after deploying, or belongs to another object, stage or provider. Give the value by a parameter.",
  "unsupported-provider":
    "A resource has a provider that is not deployed. Correct the provider, or deploy the resource with its own tool.",
  "wrong-stage-order":
    "An object of appSetup depends on one of app, which comes later. Move one of the two resources to the other stage.",
} as const;
