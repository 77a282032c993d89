import { expect, test } from "vitest";
import {
  environmentDeletionRequest,
  environmentRequest,
} from "../../../../src/commands/environments/create-environment.ts";
import {
  type DeployRequest,
  defaultRequest,
} from "../../../../src/model/deployments/deploy-request.ts";

/** The request of the inputs of a deployment, as the Action has it. */
const inputs: DeployRequest = {
  ...{ adopt: true, onlyStage: "app", limits: { concurrency: 2, timeoutMs: 1000 } },
  policy: { allowDelete: ["Secret"], conflicts: { force: true, takeover: ["kubectl"] } },
  ...{ allowOutsideNamespace: true, allowIrreversible: true, overrideFreeze: "holidays" },
  ...{ whenOlder: "supersede", expected: undefined, waitForLock: false, keepReleases: 1 },
  ...{ onFailure: "rollback", allowFailed: true, runsHooks: true },
};

test.each([
  ["deploys", environmentRequest],
  ["deletes", environmentDeletionRequest],
])("a request that %s an environment takes only how to wait and the freeze", (_, request) => {
  const { limits, overrideFreeze, waitForLock } = inputs;
  const { policy, whenOlder, ...others } = defaultRequest;
  const made = request(inputs);
  expect(made).toMatchObject({ ...others, limits, overrideFreeze, waitForLock });
  expect(made.policy.conflicts).toEqual(policy.conflicts);
  expect(made.policy.allowDelete).not.toContain("Secret");
  expect(made.whenOlder).not.toBe("supersede");
});
