import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import { parseDenyingPolicy } from "../../model/cluster/api-messages/admission.ts";
import { keyOf, nameFromKey } from "../../model/object.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";

/**
 * Returns why a denial doesn't predict the result: the deployment first changes the policy or its
 * binding.
 * Policies are last in their stage, so the API server judges objects of the same stage by the
 * present policies.
 */
export function changedPolicy(
  { stage }: DesiredObject,
  failure: ApiFailure,
  { desired: { objects } }: PlanInput,
  isWritten: (object: DesiredObject) => boolean,
): string | undefined {
  const denial = [failure, ...failure.causes]
    .map(parseDenyingPolicy)
    .find((each) => each !== undefined);
  if (denial === undefined || stage !== "app") return undefined;
  const keys = [denial.policy, denial.binding].map((name, index) =>
    keyOf({ group: admission, kind: kinds[index] ?? "", namespace: "", name }),
  );
  const changed = objects.find(
    (object) => object.stage === "appSetup" && keys.includes(object.key) && isWritten(object),
  );
  return (
    changed &&
    `${nameFromKey(changed.key)}, which decides whether it is allowed, is changed by this deployment`
  );
}

const admission = "admissionregistration.k8s.io";
const kinds = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"] as const;
