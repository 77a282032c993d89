import type { StepOf } from "../../model/plan.ts";
import type { StepKind } from "./step.ts";

/** The last step of each change, unless another step replaces it. */
export const apply: StepKind<StepOf<"apply">> = {
  detect: () => undefined,
  assume: () => undefined,
  execution: () => ({ by: "apply", force: [] }),
  describe: () => [],
  digest: () => ({}),
};
