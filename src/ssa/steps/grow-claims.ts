import type { JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { ClaimGrowth, StepOf } from "../../model/plan/plan.ts";
import { resourceVersionGuard } from "../json-patch.ts";
import type { StepKind } from "./step.ts";

/**
 * Makes the claims of a StatefulSet larger before its replacement (`src/plan/changes`).
 * A template creates only missing claims and never changes existing ones. If the run ends between
 * two claims, the next plan contains the others.
 */
export const growClaims: StepKind<StepOf<"grow-claims">> = {
  detect: () => undefined,
  assume: () => undefined,
  execution: ({ claims }) => ({ by: "grow claims", claims }),
  describe: () => [],
  digest: ({ claims }) => ({ grows: claims.map(({ name, uid, to }) => ({ name, uid, to })) }),
};

/** Returns the patch for this version of the claim. */
export function growClaimPatch({ to }: ClaimGrowth, claim: KubeObject): readonly JsonObject[] {
  return [
    resourceVersionGuard(claim),
    { op: "replace", path: "/spec/resources/requests/storage", value: to },
  ];
}
