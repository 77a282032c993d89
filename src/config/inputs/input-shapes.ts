import { stages } from "../../model/sources/compilation.ts";
import {
  anyMap,
  anything,
  described,
  flag,
  listOf,
  oneOf,
  optional,
  record,
  required,
  text,
} from "../yaml/shape.ts";

/** The keys of all entries that take objects from files. */
const common = {
  stage: described(
    "Stage of the objects: appSetup is deployed before app. Default: app.",
    optional(oneOf(stages)),
  ),
  group: described("Prefix of the resource ids.", optional(anything)),
  namespace: described("Namespace of namespaced objects that name none.", optional(anything)),
};

/** Advice for keys of adapters. */
const fixes = {
  params: "Write $(params.NAME) in the manifests: it takes the value of the config's parameter",
  pattern: "Write an entry of its own for the adapter",
};

/** The shape of an entry with plain manifests. */
export const manifestsShape = record(
  {
    manifests: described(
      "File, directory or glob of Kubernetes manifests in YAML or JSON, relative to this file.",
      required(text, "with a file, a directory or a glob"),
    ),
    ...common,
  },
  fixes,
);

/** The shape of an entry with a kustomization. */
export const kustomizeShape = record(
  {
    kustomize: described(
      "Directory of a kustomization, relative to this file. qvs renders it without a network.",
      required(text, "with the directory of a kustomization"),
    ),
    ...common,
  },
  fixes,
);

const chartShape = record(
  {
    chart: described(
      "Directory or packed chart (.tgz), relative to this file; oci://HOST/PATH/NAME; or a name in repo.",
      required(text, "with the directory or the .tgz of a chart, or with oci://…"),
    ),
    repo: described(
      "Address of the Helm repository that has the chart, as in helm template --repo.",
      optional(text),
    ),
    version: described(
      "Exact version of a chart of a registry or a Helm repository, such as 6.9.0.",
      optional(text),
    ),
    release: described(
      "Name of the release that the templates see.",
      required(anything, "with the name of the release"),
    ),
    values: described(
      "Values files, relative to this file. A later file overrides an earlier one.",
      optional(listOf(text)),
    ),
    set: described(
      "Single values by path, such as image.tag. They override files.",
      optional(anyMap),
    ),
    kubeVersion: described(
      "Version of Kubernetes that the templates see, such as v1.34.0. Default: that of the cluster.",
      optional(anything),
    ),
    apiVersions: described(
      "API versions that the templates see, such as monitoring.coreos.com/v1. Default: those of the cluster.",
      optional(anything),
    ),
    crds: described(
      "If false, the files in crds/ are left out, as with helm --skip-crds. Default: true.",
      optional(flag),
    ),
    ...common,
  },
  {
    ...fixes,
    skipCrds: 'Write "crds: false"',
    params: "Write $(params.NAME) in set or in a values file",
    repository: 'Write "repo"',
    digest: "Run `qvs lock`, which writes the digest to qvs.lock",
    valuesFiles: 'Write "values"',
  },
);

/** The shape of an entry with a chart. */
export const helmShape = record(
  {
    helm: described(
      "Chart with its values. qvs renders it without a network.",
      required(chartShape, "with chart and release"),
    ),
  },
  Object.fromEntries(
    ["chart", "repo", "version", "release", "values", "set", ...Object.keys(common)].map((key) => [
      key,
      `Write "${key}" below "helm:"`,
    ]),
  ),
);
