import { stages } from "../../model/compilation.ts";
import { anything, described, oneOf, optional, record, required, text } from "../yaml/shape.ts";

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
