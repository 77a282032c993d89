import type { DesiredState } from "../planning/desired-state.ts";

/** That nothing is to be there. It needs neither a config nor a repository: the inventory says what goes. */
export const nothingDesired: DesiredState = {
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

/** The same where the commit that is checked out has removed the deployment. */
export const removedByCommit: DesiredState = { ...nothingDesired, removedByCommit: true };
