import type { YamlMap, YamlNode } from "../sources/yaml-node.ts";
import type { PreviewEnvironment, PreviewTemplate } from "./preview-environment.ts";

/**
 * A config with its params and the place where qvs deploys it (docs/reference/deployments-yaml.md).
 * Paths are relative to the root of the repository.
 */
export interface Deployment {
  /** A DNS label. It identifies the releases, field managers, deployment lock and comment. */
  readonly name: string;
  /** Empty if the deployment is known only from its records. */
  readonly config: string;
  /** The params files; later files override earlier ones. */
  readonly params: readonly string[];
  readonly environment: string | undefined;
  /** The kubeconfig context. */
  readonly context: string | undefined;
  /** The namespace of release records, and of objects that don't declare one. */
  readonly namespace: string;
  readonly dependsOn: readonly string[];
  /** The treatment of the deployed objects after the entry is removed; undefined keeps them. */
  readonly onRemoved?: OnRemoved | undefined;
  /** A property that each deployment must have; undefined for none. */
  readonly require?: DeploymentRequirement | undefined;
  /** The checks of the entry as written, in addition to those of the config. */
  readonly checks?: YamlNode | undefined;
  /** The environments of pull requests; undefined if there are none. */
  readonly preview?: PreviewTemplate | undefined;
  /** Set if the deployment is the environment of a pull request. */
  readonly environmentOf?: EnvironmentDeployment | undefined;
}

/** The parts of a deployment that only the environment of a pull request has. */
export interface EnvironmentDeployment {
  readonly recorded: PreviewEnvironment;
  /** The labels of its namespace. */
  readonly labels: Readonly<Record<string, string>>;
  /** The params of the entry's `preview`; undefined if there are none. */
  readonly params: YamlMap | undefined;
  readonly url: string | undefined;
}

/** Returns the namespace of objects that don't declare one. */
export function objectNamespace({
  namespace,
  environmentOf,
}: Pick<Deployment, "namespace" | "environmentOf">): string {
  return environmentOf?.recorded.namespace ?? namespace;
}

/** Reports whether a word is a glob pattern for names. A name is a DNS label. */
export function isNamePattern(word: string): boolean {
  return /[*?[{]/.test(word);
}

export const onRemovedValues = ["keep", "delete"] as const;
export type OnRemoved = (typeof onRemovedValues)[number];

/** `reversible` blocks a deployment that a rollback couldn't undo. */
export const deploymentRequirements = ["reversible"] as const;
export type DeploymentRequirement = (typeof deploymentRequirements)[number];

/**
 * The entry of a deployment in the newest commit of a branch, as the Git host has the branch now.
 */
export type DeploymentListing =
  | {
      readonly type: "listed";
      readonly commit: string;
      /**
       * The list in another directory that contains the deployment. Undefined if its own list
       * contains it.
       */
      readonly otherList: string | undefined;
    }
  | { readonly type: "not listed"; readonly commit: string }
  | UnknownReason;

/**
 * The reason why a listing is unknown, and the fix. Both are parts of a sentence without a period.
 */
export interface UnknownReason {
  readonly type: "unknown";
  readonly why: string;
  readonly fix: string;
}

/** Reads the entry of a deployment in the newest commit of the branch, on each call. */
export type ListingLookup = (deployment: Deployment) => Promise<DeploymentListing>;
