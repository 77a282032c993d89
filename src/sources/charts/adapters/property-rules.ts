/**
 * The use of a property of a chart of Pulumi: qvs renders with it, it has no effect, or qvs rejects
 * it, because the objects or their deployment would differ from those that the adapter describes.
 */
export type PropertyRule =
  | { readonly type: "used" }
  | { readonly type: "without-effect"; readonly why: string }
  | { readonly type: "rejected"; readonly why: string; readonly fix: string };

const used: PropertyRule = { type: "used" };

/** The reasons why a property has no effect. */
const engine: PropertyRule = {
  type: "without-effect",
  why: "it controls how Helm stores and repeats a release, and qvs deploys without Helm",
};
const waiting: PropertyRule = {
  type: "without-effect",
  why: "qvs waits until each object is ready, at most for the timeout of the deployment",
};
const fetching: PropertyRule = {
  type: "without-effect",
  why: "qvs fetches the locked chart with its dependencies",
};
const outputs: PropertyRule = { type: "without-effect", why: "it is a result of Pulumi" };

const credentials: PropertyRule = {
  type: "rejected",
  why: "qvs reads passwords only from the Docker config",
  fix: "Remove it, and log in to the registry with docker login",
};
const certificates: PropertyRule = {
  type: "rejected",
  why: "The file exists only on one machine",
  fix: "Remove it, and set NODE_EXTRA_CA_CERTS to the certificate of the authority",
};
const provenance: PropertyRule = {
  type: "rejected",
  why: "qvs doesn't check signatures; the lockfile contains the digest of the chart",
  fix: "Remove it",
};
const postRendering: PropertyRule = {
  type: "rejected",
  why: "qvs runs no other program",
  fix: "Let an adapter add the fields to the objects of the chart by their ids",
};
const prefix: PropertyRule = {
  type: "rejected",
  why: "It would change the names of the objects",
  fix: "Remove it, and use the group of the adapter",
};

/**
 * The properties of `Chart` and `Release`, and of their parts. A property with the value that
 * Pulumi assumes (false, zero, or empty) counts as not set.
 * https://www.pulumi.com/registry/packages/kubernetes/api-docs/helm/v3/release/#inputs
 * https://www.pulumi.com/registry/packages/kubernetes/api-docs/helm/v3/chart/#inputs
 * https://www.pulumi.com/registry/packages/kubernetes/api-docs/helm/v4/chart/#inputs
 */
export const propertyRules: ReadonlyMap<string, PropertyRule> = new Map([
  ...Object.entries({
    ...{ chart: used, version: used, name: used, releaseName: used, namespace: used },
    ...{ values: used, allowNullValues: used, skipCrds: used, skipCRDRendering: used },
    ...{ apiVersions: used, kubeVersion: used },
    ...{ "fetchOpts.repo": used, "fetchOpts.version": used, "repositoryOpts.repo": used },
    ...{ atomic: engine, cleanupOnFail: engine, compat: engine, description: engine },
    ...{ disableOpenapiValidation: engine, disableCRDHooks: engine, forceUpdate: engine },
    ...{ lint: engine, maxHistory: engine, recreatePods: engine, renderSubchartNotes: engine },
    ...{ replace: engine, resetValues: engine },
    ...{ skipAwait: waiting, timeout: waiting, waitForJobs: waiting },
    ...{ dependencyUpdate: fetching, devel: fetching },
    ...{ "fetchOpts.destination": fetching, "fetchOpts.devel": fetching },
    ...{ "fetchOpts.home": fetching, "fetchOpts.prov": fetching },
    ...{ "fetchOpts.untar": fetching, "fetchOpts.untardir": fetching },
    ...{ manifest: outputs, resourceNames: outputs },
    ...{ "fetchOpts.password": credentials, "fetchOpts.username": credentials },
    ...{ "repositoryOpts.password": credentials, "repositoryOpts.username": credentials },
    ...{ "fetchOpts.ca": certificates, "fetchOpts.caFile": certificates },
    ...{ "fetchOpts.certFile": certificates, "fetchOpts.keyFile": certificates },
    ...{ "repositoryOpts.caFile": certificates, "repositoryOpts.certFile": certificates },
    ...{ "repositoryOpts.keyFile": certificates },
    ...{ keyring: provenance, verify: provenance },
    ...{ "fetchOpts.keyring": provenance, "fetchOpts.verify": provenance },
    ...{ postrender: postRendering, postRenderer: postRendering, transformations: postRendering },
    resourcePrefix: prefix,
    repo: {
      type: "rejected",
      why: "The name exists only in the Helm configuration of one machine",
      fix: "Write the address of the repository in fetchOpts.repo",
    },
    plainHttp: {
      type: "rejected",
      why: "qvs connects with TLS, so that the chart and the password stay secret",
      fix: "Remove it",
    },
    valueYamlFiles: {
      type: "rejected",
      why: "qvs reads no files for an adapter",
      fix: "Write the values in values, or read the file there with @embed",
    },
    reuseValues: {
      type: "rejected",
      why: "The same commit must give the same objects",
      fix: "Write all values in values",
    },
    createNamespace: {
      type: "rejected",
      why: "A release of Helm doesn't own its namespace",
      fix: "Declare the Namespace as a resource of the adapter, and set createNamespace to false",
    },
    disableWebhooks: {
      type: "rejected",
      why: "qvs runs the hooks of the chart",
      fix: "Turn off the hooks in values, and remove it",
    },
    includeTestHookResources: {
      type: "rejected",
      why: "qvs deploys no test hooks",
      fix: "Remove it",
    },
  } satisfies Record<string, PropertyRule>),
]);

/** The properties that contain others. */
export const propertyGroups: ReadonlySet<string> = new Set(["fetchOpts", "repositoryOpts"]);
