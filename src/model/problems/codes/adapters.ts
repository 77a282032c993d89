/** Errors of adapters and their evaluation. */
export const adapterCodes = {
  "chart-properties-ignored":
    "A resource with the provider `kubernetes-helm` has properties without effect, because qvs deploys its chart without Helm and Pulumi. They change no object.",
  "charts-unknown":
    "`qvs lock` compiles deployments to find the charts of their adapters. One of them doesn't compile, or it uses parameters that only the command line sets. The existing entries of charts stay if the deployment can need them. Correct the error that the message names, or set the parameters in a file, and run `qvs lock` again. Remove entries that no deployment needs from the lockfile.",
  "cluster-field-omitted":
    "The manifest has a field that only the cluster writes, such as `status` or `metadata.uid`, often because it was copied from `kubectl get -o yaml`. qvs doesn't send it. Remove it from the adapter.",
  "conflicting-health-rules":
    "Two adapters, or two entries of a config, have different health rules for one kind. Remove one of them, or set the rule in the config, which wins over adapters.",
  "conflicting-values":
    "One field gets two different values, or a value breaks a rule of the adapter. Change the parameter that provides one of the values, or change the adapter.",
  "cue-version-too-old":
    "The module uses a feature of a newer CUE version than it declares. Raise `language.version` in its cue.mod/module.cue.",
  "dependency-cycle":
    "Deployments or objects wait for each other, so none can be first. Remove one of the dependencies.",
  "deprecated-syntax":
    "The adapter uses an old form of CUE that qvs still accepts. Newer versions of CUE need the new form.",
  "duplicate-object":
    "Several resources declare the same object. Give them one resource ID, so that CUE unifies them, or different names.",
  "embedded-file-unreadable":
    "An `@embed` names a file that doesn't exist, is too large, or is outside its module. Correct the name, which starts at the directory of the CUE file, or commit the file.",
  "empty-config":
    "The config declares nothing, so everything would be deleted. Find out why the config is empty, or allow the deletion with `--allow-delete`.",
  "evaluation-cycle":
    "A value or a struct of the adapter depends on itself. Break the cycle, or make the field optional.",
  "evaluation-failed":
    "CUE couldn't compute a value. Correct the adapter, or the parameter that the value depends on.",
  "evaluation-limit":
    "The evaluation took too long, used too much memory or nested too deeply, and qvs stopped it. Look in the adapter for a comprehension, list or definition that grows without end.",
  "file-not-in-package":
    "A CUE file is in the directory of an adapter, but has another package clause, or none. CUE doesn't read it as a part of the adapter, so its resources are missing. Correct the package clause, or move the file.",
  "incomplete-value":
    "A field has no concrete value. Set the parameter that it depends on, or set it in the adapter.",
  "invalid-annotation":
    "An annotation of qvs has an invalid value. Write it in the form that the reference describes.",
  "invalid-composite":
    "An entry of `composites` in the adapter has an invalid form. Write `{pattern: PACKAGE.DesignPattern, params: {…}}`.",
  "invalid-cue":
    "CUE can't load a file, because its syntax or its imports are wrong. Correct the named place.",
  "invalid-health-rule":
    "A health rule has an invalid expression, or lacks a field. Correct the expression at the named place.",
  "invalid-name":
    "A name is not valid for an object or a deployment. Use lowercase letters, digits and hyphens. qvs doesn't support `generateName`.",
  "invalid-object":
    "A resource is not a valid Kubernetes object, or the API server rejects a value in it. Correct the adapter, or the parameter that the value depends on.",
  "no-resources":
    "An adapter declares no resources, so qvs deploys nothing for it. For CI/CD adapters, which run in their own pipeline, this is normal.",
  "not-an-adapter":
    "The package has no field `DesignPattern` that is a struct, so it isn't an adapter. Correct the import path or the package.",
  "null-omitted":
    "The manifest has null in a field where the API server stores none: in a built-in kind, or in a custom resource whose CustomResourceDefinition doesn't declare the field `nullable`. qvs doesn't send it. Remove the field from the adapter, or set a value.",
  "pulumi-function":
    "A manifest calls a Pulumi function (`fn::…`), which only Pulumi can compute. qvs shows the manifest, and `deploy` stops before it changes anything. Write the value itself, or pass it as a parameter.",
  "pulumi-options-ignored":
    "A resource has Pulumi options without effect, because qvs applies it without Pulumi. Use the annotations of qvs instead.",
  "reference-not-found":
    "A name, an import or a reference doesn't exist. Declare it, or correct the name.",
  "trace-omitted":
    "Finding the source of each field would take too long for this adapter, so previews omit it. The manifests and the plan are complete.",
  "unknown-field":
    "A field, a stage or a key has a name that isn't used or isn't allowed in this place. Correct or remove it.",
  "unknown-pattern":
    "That import path has no adapter. Write the path of its module and the directory in it, without a version.",
  "unknown-resource":
    "The deployment has no resource or field of that name. Choose one from the message.",
  "unresolved-reference":
    "A reference has no value when it is needed. The value exists only after the deployment, or it belongs to another object, stage or provider. Pass the value as a parameter.",
  "unsupported-chart-property":
    "A resource with the provider `kubernetes-helm` has a property that qvs doesn't support, or a reference whose value isn't known before the chart is rendered. qvs shows the resource, and blocks the deployment. Correct the property in the adapter.",
  "unsupported-provider":
    "qvs doesn't deploy resources of this provider. Correct the provider, or deploy the resource with its own tool.",
  "wrong-stage-order":
    "An object of appSetup depends on an object of app, which qvs deploys later. Move one of the two resources to the other stage.",
} as const;
