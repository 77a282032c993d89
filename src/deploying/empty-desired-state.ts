import type { DesiredState } from "../planning/desired-state.ts";

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
