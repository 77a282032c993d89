import type { DeploymentCheck } from "../model/deployments/deployment-checks.ts";
import type { InputConfig, Release } from "../model/deployments/release.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import type { DeletionHook } from "../model/plan/deletion.ts";
import type { Plan } from "../model/plan/plan.ts";
import type { Problem } from "../model/problems/problem.ts";
import type {
  CapabilityAnswer,
  IrreproducibleField,
  LayoutNode,
  Manifest,
} from "../model/sources/compilation.ts";
import { hiddenInAny } from "../releases/queries/hidden-strings.ts";
import { releaseManifests } from "../releases/select.ts";

/** The desired objects: just compiled, or recorded by an earlier release. */
export interface DesiredState {
  readonly manifests: readonly Manifest[];
  /** Resources that qvs would leave out; they block the whole deployment. */
  readonly unsupported: readonly Problem[];
  /** The charts whose objects aren't known, as `stage/id`; missing if there are none. */
  readonly unrendered?: readonly string[];
  readonly input: InputConfig;
  readonly layout: LayoutNode;
  /** The checks that run before anything is deleted; missing if there are none. */
  readonly checks?: readonly DeploymentCheck[] | undefined;
  /** The hooks that a later deletion runs; missing if there are none. */
  readonly deletionHooks?: readonly DeletionHook[] | undefined;
  readonly hides?: Plan["hides"];
  /** Warnings from compiling; none for a recorded release. */
  readonly warnings?: readonly Problem[];
  /** The fields that another rendering makes different; missing for a recorded release. */
  readonly irreproducible?: readonly IrreproducibleField[];
  /** The answers of the cluster that decided about the objects; missing if there are none. */
  readonly capabilities?: readonly CapabilityAnswer[] | undefined;
  readonly rollbackOf: number | undefined;
  /**
   * The current release, if this run corrects its drift.
   * A correction creates no release; `rollbackOf` is the number of this one.
   */
  readonly corrects?: Release | undefined;
  /** Set to delete the whole deployment: its objects and its releases. */
  readonly deletes?: true;
  /** Set to delete an environment whose owner has been checked. */
  readonly isOwnEnvironment?: true;
  /** Set if a commit removes the deployment; the commit must be newer than the current release. */
  readonly removedByCommit?: true;
  /**
   * Keys of the objects to plan; undefined for all.
   * Other objects stay unchanged, declared or not.
   */
  readonly onlyKeys?: ReadonlySet<string> | undefined;
}

/**
 * Returns the release that a rollback restores; undefined for a correction, which isn't a rollback.
 */
export function rollbackTarget({ rollbackOf, corrects }: DesiredState): number | undefined {
  return corrects === undefined ? rollbackOf : undefined;
}

/** Reports whether a commit defines the desired state, and not a record or a deletion. */
export function isFromCommit({
  rollbackOf,
  deletes,
}: Pick<DesiredState, "rollbackOf" | "deletes">): boolean {
  return rollbackOf === undefined && deletes === undefined;
}

/**
 * The desired state of a deletion, without any object. It needs neither a config nor a repository:
 * the inventory lists the objects to delete.
 */
export const emptyDesiredState: DesiredState = {
  manifests: [],
  unsupported: [],
  input: { config: "", params: {}, modules: [] },
  layout: {
    pattern: "",
    name: "",
    file: "",
    line: 0,
    group: undefined,
    params: {},
    resources: [],
    composites: [],
  },
  rollbackOf: undefined,
  deletes: true,
};

/** The desired state of a deletion because the checked-out commit removed the deployment. */
export const removedByCommit: DesiredState = { ...emptyDesiredState, removedByCommit: true };

/**
 * Returns the desired state of a release. It hides the secrets of all releases, because a live
 * object can be from any of them.
 */
export function recordedState(release: Release, { releases }: ReleaseHistory): DesiredState {
  const { inputConfig, layout, revision, checks, deletionHooks } = release;
  return {
    manifests: releaseManifests(release),
    unsupported: [],
    input: inputConfig,
    layout,
    checks,
    ...(deletionHooks === undefined ? {} : { deletionHooks }),
    hides: hiddenInAny(releases),
    rollbackOf: revision,
  };
}
